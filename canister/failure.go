package canister

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/internal/demangle"
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
)

// failure is why a run failed, with its backtrace.
type failure struct {
	*ic0.Failure
	trace   string       // lines, each with a line end; empty if there is none
	lines   []SourceLine // of each function in trace; nil if none is known
	visible bool         // the receiver of the reject may see the backtrace
}

// sentence returns the replica's text without the canister and the advice.
func (f *failure) sentence() string {
	if f.trace == "" || !f.visible {
		return f.Text
	}
	return f.Text + "\n" + f.trace
}

// reject returns the failure as the answer to a call.
func (f *failure) reject(id principal.Principal) *intercanister.Reject {
	text := "Error from Canister " + id.String() + ": " + f.sentence()
	if f.Help != "" {
		text += ".\n" + f.Help
	}
	return rejection(f.Code, text)
}

// joined returns the reject of a callback whose cleanup failed as well.
func joined(id principal.Principal, callback, cleanup *failure) *intercanister.Reject {
	return rejection(callback.Code, "Error from Canister "+id.String()+": "+callback.sentence()+
		"\n\ncall_on_cleanup also failed:\n\n"+cleanup.sentence())
}

func rejection(code intercanister.ErrorCode, text string) *intercanister.Reject {
	return &intercanister.Reject{Code: code.Reject(), Error: code, Text: intercanister.Elide(text)}
}

// log adds the failure to the execution's log.
func (f *failure) log(x *ic0.Execution) {
	if f.Trap == "" || !x.Context.Replicated() {
		return
	}
	text := "[TRAP]: " + f.Trap
	if f.trace != "" {
		text += "\n" + f.trace
	}
	x.Log(text)
}

// visible reports whether the sender of m may see backtraces: users who may read the logs can.
func (c *Canister) visible(m *Message) bool {
	return c.Settings.LogVisibility.Allows(m.Caller, c.Settings.Controllers)
}

// shownFrames returns the frames that backtraces show: those of the canister's own functions, up to a maximum.
func shownFrames(frames []wasm.Frame) []wasm.Frame {
	shown := slices.DeleteFunc(slices.Clone(frames), func(f wasm.Frame) bool { return ours(f.Name) })
	return shown[:min(len(shown), maxBacktraceFrames)]
}

// backtrace prints frames, one on a line. It is empty if none of them has a name.
func backtrace(frames []wasm.Frame) string {
	var lines strings.Builder
	named := false
	for _, frame := range frames {
		if frame.Name != "" {
			named = true
			lines.WriteString(demangle.Name(frame.Name) + "\n")
		} else {
			fmt.Fprintf(&lines, "unknown function at index %d\n", frame.Index)
		}
	}
	if !named {
		return ""
	}
	return backtraceTitle + lines.String()
}

// backtraceTitle is the line before the frames.
const backtraceTitle = "Canister Backtrace:\n"

// frames returns the lines of the backtrace without its title.
func (f *failure) frames() string {
	return strings.TrimSuffix(strings.TrimPrefix(f.trace, backtraceTitle), "\n")
}

// ours reports whether a function is not the canister's, but belongs to the System API or was added by the rewriter.
func ours(name string) bool {
	return strings.HasPrefix(name, "ic0.") || strings.HasPrefix(name, "ic0_64.") || strings.HasPrefix(name, "canisterd") ||
		strings.HasPrefix(name, rewrite.WASIModule+".")
}

// HeapOverLimit returns the reject of every update while the heap is larger than wasm_memory_limit (IC0539), or nil.
func (c *Canister) HeapOverLimit() *intercanister.Reject {
	if c.state == nil || c.Settings.WasmMemoryLimit == 0 || c.state.heap <= c.Settings.WasmMemoryLimit {
		return nil
	}
	return (&failure{Failure: ic0.HeapLimit(c.Settings.WasmMemoryLimit, c.state.heap)}).reject(c.ID)
}

func methodNotFound(kind, name string) *failure {
	return &failure{Failure: &ic0.Failure{
		Code: intercanister.CanisterMethodNotFound,
		Text: fmt.Sprintf("Canister has no %s method '%s'.", kind, name),
		Help: ic0.Advice("Check that the method being called is exported by the target canister.", "method-not-found"),
	}}
}

func moduleNotFound() *failure {
	return &failure{Failure: &ic0.Failure{
		Code: intercanister.CanisterWasmModuleNotFound,
		Text: "Attempted to execute a message, but the canister contains no Wasm module.",
		Help: ic0.Advice("Please install code to this canister before calling it.", "wasm-module-not-found"),
	}}
}

// DamagedPages is the panic of a network if a page file from which it loads a memory is damaged: the canister is not at
// fault, and cannot continue.
type DamagedPages = archive.PageFileError

// stopIfDamaged panics if an error reports a damaged page file.
func stopIfDamaged(err error) {
	if damaged, ok := errors.AsType[*DamagedPages](err); ok {
		panic(damaged)
	}
}

func engineFailed(err error) *failure {
	stopIfDamaged(err)
	return &failure{Failure: &ic0.Failure{
		Code: intercanister.CanisterWasmEngineError, Text: "Canister encountered a Wasm engine error: " + err.Error(),
	}}
}
