package canister

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
)

// attempt is one run of one function of the code.
type attempt struct {
	context Context
	entry   wasm.Entry
	limit   uint64 // instructions it may use
	report  uint64 // the limit that its failure names
	slice   uint64 // the replica's slices, 0 for none
	tracked bool   // changed pages are charged
	short   bool   // it fails where it is not short
	pause   func()
	after   uint64
	starved bool // a test control gave it no instructions

	canceled func() bool // nil in messages that change the state
}

// result is the result of an attempt.
type result struct {
	instructions uint64
	pages        int
	counted      bool   // the subnet limits delta, and the message keeps its changes
	delta        uint64 // bytes of both memories that changed
	failure      *failure
}

// run runs a function of c's code for m. Its effects are in r.x and in the memories; nothing is committed. log gives
// the numbers of log records.
func (r *runner) run(c *Canister, log *Log, sub *Subnet, m *Message, a *attempt) (out result) {
	r.running = true
	r.fill(c, log, sub, m, a.context)
	r.prepare(c, sub, a.context)
	r.pause, r.canceled, r.after, r.nextPause = a.pause, a.canceled, a.after, a.after
	if a.short {
		r.keepShort()
	}
	budget := wasm.Budget{Limit: a.limit, Slice: engineSlice, ReplicaSlice: a.slice, Pause: r.onSlice}
	if a.tracked {
		budget.ScatteredPages, budget.ScatteredSlice = scatteredPages, ScatteredPauseAfter
	}
	err := r.guest.Run(a.entry, r.x, budget)
	r.running = false // not after a panic, or if a paused message is abandoned
	if a.short && errors.Is(err, errNotShort) {
		out.failure = notShort
		return out
	}
	r.x.EndLine()
	if r.x.Exited {
		err = nil
	}
	executed, charged := r.guest.Executed(), uint64(0)
	if a.tracked {
		out.counted = sub.Limits.HeapDelta > 0
		out.pages = r.guest.DirtyPages()
		charge := uint64(pageCharge)
		if r.guest.Memory64() {
			charge = widePageCharge
		}
		charged = charge * uint64(out.pages)
	}
	out.instructions = min(executed+charged, a.limit)
	r.record(c, executed, charged, out.pages, a.limit)
	if err != nil {
		out.failure = r.failureOf(err, a, c.visible(m))
	}
	return out
}

// fill sets everything that the execution may know.
func (r *runner) fill(c *Canister, log *Log, sub *Subnet, m *Message, context Context) {
	r.ready()
	x, set := r.x, c.Settings
	x.Context, x.Subnet, x.Message, x.Time = context, sub, m, sub.Time
	x.Sleep, x.Short = nil, false
	if mayWait(context) {
		x.Sleep = m.Sleep
	}
	x.ID, x.Status, x.Version, x.Controllers = c.ID, uint32(c.Status), c.Version, set.Controllers
	x.Variables, x.LogRoom, x.NextLog = set.Environment, set.LogMemoryLimit, log.Next()
	x.InUse, x.Allocation, x.Messages, x.Compute = c.memoryUsedBy(r), set.MemoryAllocation, c.MessageBytes, set.ComputeAllocation
	x.Threshold, x.HeapLimit, x.Limit, x.Used = set.FreezingThreshold, set.WasmMemoryLimit, set.ReservedLimit, sub.MemoryUsed
	x.Changes = ic0.Changes{}
	x.Balance, x.Reserved, x.Offered, x.Timer = c.Balance, c.Reserved, m.Available, c.Timer
	x.Begin(stablePages(&sub.Limits, context))
}

// mayWait reports whether code may park messages of a context.
func mayWait(context Context) bool {
	switch context {
	case Update, Heartbeat, GlobalTimer, LowMemory:
		return true
	}
	return false
}

func stablePages(l *Limits, context Context) uint64 {
	switch context {
	case Init, PostUpgrade, PreUpgrade:
		return l.StablePagesInstall
	case ReplicatedQuery, Query, TransformQuery, CompositeQuery, CompositeReply, CompositeReject, CompositeCleanup, InspectMessage:
		return l.StablePagesQuery
	}
	return l.StablePages
}

// traps are the replica's terms for the ways code can fail.
var traps = map[wasm.TrapKind]string{
	wasm.HeapOutOfBounds:   "heap out of bounds",
	wasm.TableOutOfBounds:  "table out of bounds",
	wasm.IntegerDivByZero:  "integer division by 0",
	wasm.IntegerOverflow:   "unknown",
	wasm.InvalidConversion: "unknown",
	wasm.Unreachable:       "unreachable",
	wasm.StackOverflow:     "stack overflow",
	wasm.BadSignature:      "unknown",
	wasm.NullFunction:      "unknown",
}

// closures are the replica's terms for closures that cannot be called.
var closures = map[wasm.TrapKind]string{
	wasm.TableNotFound:    "table not found",
	wasm.NullClosure:      "unexpected null function reference",
	wasm.ClosureSignature: "function invocation does not match its signature",
}

// failureOf returns why a run failed.
func (r *runner) failureOf(err error, a *attempt, visible bool) *failure {
	var trap *wasm.Trap
	errors.As(err, &trap)
	f := &failure{visible: visible}
	if f.Failure = r.x.Failure; f.Failure == nil {
		if trap == nil {
			panic(fmt.Errorf("canister: a message ended for no reason: %w", err))
		}
		f.Failure = failureOfTrap(trap, a)
	}
	stopIfDamaged(f.Broken)
	if trap != nil && f.Traces {
		frames := shownFrames(trap.Backtrace)
		if f.trace = backtrace(frames); f.trace != "" {
			f.lines = r.module.located(r.guest.Code().Module(), frames)
		}
	}
	return f
}

// starved is the failure of code to which a test gives no instructions. The text is ours: that of an exceeded limit
// sends people looking for an expensive loop in their code.
func starved(context Context) *ic0.Failure {
	return &ic0.Failure{
		Code: intercanister.CanisterInstructionLimitExceeded,
		Text: fmt.Sprintf("The %s was given no instructions (injected fault)", context),
	}
}

func failureOfTrap(trap *wasm.Trap, a *attempt) *ic0.Failure {
	if what, ok := traps[trap.Kind]; ok {
		return ic0.Trapped(what)
	}
	if what, ok := closures[trap.Kind]; ok {
		return ic0.Misuse(what)
	}
	switch trap.Kind {
	case wasm.ClosureArgument:
		return ic0.Misuse(fmt.Sprintf("error converting additional value %d to u32", a.entry.Env))
	case wasm.InstructionLimit:
		if a.starved {
			return starved(a.context)
		}
		return &ic0.Failure{
			Code: intercanister.CanisterInstructionLimitExceeded,
			Text: fmt.Sprintf("Canister exceeded the limit of %d instructions for single message execution.", cmp.Or(trap.Count, a.report)),
			Help: ic0.Advice("Try optimizing this method to consume fewer instructions or split the work across multiple messages.", "instruction-limit-exceeded"),
		}
	case wasm.SliceOverrun:
		return &ic0.Failure{
			Code: intercanister.CanisterInstructionLimitExceeded,
			Text: fmt.Sprintf("Canister attempted to perform a large memory operation that used %d instructions and exceeded the slice limit %d.", trap.Count, a.slice),
			Help: ic0.Advice("Try breaking up large copies within the canister code into smaller chunks.", "slice-overrun"),
		}
	case wasm.FunctionNotFound:
		return &ic0.Failure{
			Code: intercanister.CanisterFunctionNotFound,
			Text: fmt.Sprintf("Canister requested to invoke a non-existent Wasm function %d from table 0", a.entry.Fn),
			Help: ic0.ToolchainHelp,
		}
	}
	return &ic0.Failure{Code: intercanister.CanisterWasmEngineError, Text: "Canister encountered a Wasm engine error: " + trap.Error()}
}
