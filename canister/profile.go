package canister

import (
	"context"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/internal/demangle"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/sourcelines"
)

// ProfiledRun is the profile of one run of a canister's code: of a message, of the cleanup closure after a failed
// callback, or of a step of an installation. Its instructions are those that the run is charged for.
type ProfiledRun struct {
	Canister principal.Principal
	Module   *Module
	Tree     *profile.Tree
	probed   *rewrite.Module    // nil if the code ran without probes
	lines    *sourcelines.Lines // of the module; nil before FindLines
}

// Charges beside the code, as indices of frames.
const (
	chargedPages uint32 = iota
	chargedCompiling
)

// chargeNames are the names of charges in profiles.
var chargeNames = [...]string{"(changed pages of the heap)", "(compiling the module)"}

// FindLines looks up the source lines of the module, for Symbol.
func (r *ProfiledRun) FindLines() {
	if r.probed != nil {
		r.lines = r.Module.engine.linesOf(r.Module)
	}
}

// Symbol returns what a frame of the run stands for: a function without its source line before FindLines.
func (r *ProfiledRun) Symbol(f profile.Frame) profile.Symbol {
	s := profile.Symbol{Kind: f.Kind, Canister: r.Canister}
	switch f.Kind {
	case profile.Function:
		s.Index = rewrite.ReplicaIndexOf(f.Index)
		if s.Name = demangle.Name(r.probed.FunctionName(f.Index)); s.Name == "" {
			s.Name = fmt.Sprintf("function %d", s.Index)
		}
		line := beginning(r.probed, r.lines, f.Index)
		s.File, s.Line = line.File, int32(line.Number)
	case profile.Host:
		s.Name = strings.Replace(r.Module.engine.wasm.HostName(f.Index), rewrite.WideSystemModule+".", rewrite.SystemModule+".", 1)
	case profile.Entry:
		s.Entry = entryName(Context(f.Index))
	case profile.Charge:
		s.Name = chargeNames[f.Index]
	}
	return s
}

// entryName is the term of a context in profiles. The replica's terms do not distinguish some contexts.
func entryName(c Context) string {
	switch c {
	case PostUpgrade:
		return "post upgrade"
	case Query:
		return "query"
	case TransformQuery:
		return "transform"
	}
	return c.String()
}

// HasFunctions reports whether the tree has the functions of the module. Code that cannot have probes runs without: its
// instructions are those of the entry.
func (r *ProfiledRun) HasFunctions() bool { return r.probed != nil }

// WarmProbes compiles the form of the module that profiles need, so that no message waits for it. A canister has the
// module.
func (m *Module) WarmProbes(ctx context.Context) error {
	_, err := m.codeOf(ctx, form{probes: true})
	return err
}

// profiling is the profile of a runner's message.
type profiling struct {
	recorder *profile.Recorder
	runs     []ProfiledRun
}

// beginProfile begins the profile of the next run, if it has one.
func (r *runner) beginProfile(profiled bool, entry Context) {
	r.recorder = nil // a run that was abandoned, or could not begin, has left one
	if profiled {
		r.recorder = profile.NewRecorder(uint32(entry))
	}
	r.guest.Record(r.recorder)
}

// record ends the profile of a run with what it is charged for.
func (r *runner) record(c *Canister, executed, charge uint64, pages int, limit uint64) {
	if r.recorder == nil {
		return
	}
	run := ProfiledRun{Canister: c.ID, Module: r.module}
	if m := r.guest.Code().Module(); m.Probes {
		run.probed = m
	}
	run.Tree = r.recorder.End(executed, []profile.Node{{
		Frame: profile.Frame{Kind: profile.Charge, Index: chargedPages}, Weights: profile.Weights{Calls: uint64(pages), Instructions: charge},
	}}, limit)
	r.recorder = nil
	r.runs = append(r.runs, run)
}

// compiling returns the profile of an installation for preparing its module.
func (m *Module) compiling(of principal.Principal, instructions uint64) ProfiledRun {
	return ProfiledRun{Canister: of, Module: m, Tree: &profile.Tree{Nodes: []profile.Node{{
		Frame: profile.Frame{Kind: profile.Charge, Index: chargedCompiling}, Parent: -1,
		Weights: profile.Weights{Calls: 1, Instructions: instructions},
	}}}}
}

// takeRuns returns the profiles of the runs since it was called last.
func (r *runner) takeRuns() []ProfiledRun {
	runs := r.runs
	r.runs = nil
	return runs
}
