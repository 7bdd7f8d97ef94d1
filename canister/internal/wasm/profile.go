package wasm

import (
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/internal/profile"
)

// A guest is profiled with code that has probes (rewrite.Options.Probes). The probes and the host functions tell the
// recorder of the run what begins and ends, together with the executed instructions at that moment.

// Use makes the guest run another form of its module, with or without probes. Heap, globals and segments stay as they
// are, so a guest can change its form between any two runs, also within a message. After an error it has its old form.
func (g *Guest) Use(code *Code) error {
	if g.code == code {
		return nil
	}
	g.begin()
	old := g.resident
	if g.code.module.MutatesTable {
		return fmt.Errorf("module %x cannot change its form: its table is part of its state", g.code.module.Hash[:8])
	}
	next := &resident{guest: g, code: code, heap: old.heap, context: old.context}
	if err := next.load(); err != nil {
		next.heap = nil
		_ = next.close()
		return fmt.Errorf("use code with probes: %w", err)
	}
	words := make([]uint64, g.code.layout.words)
	readGlobals(old.globals, words)
	writeGlobals(next.globals, words)
	for i, s := range old.segments {
		if len(s) != len(old.segmentsWere[i]) {
			next.segments[i] = nil
		}
	}
	old.heap = nil
	g.code, g.resident = code, next
	return old.close()
}

// Record gives the next Run a recorder. Without probes in the code it sees only the host functions.
func (g *Guest) Record(r *profile.Recorder) { g.recorder = r }

// Recorder returns the recorder of the current Run for host functions, nil if none records it.
func (g *Guest) Recorder() *profile.Recorder { return g.recorder }

// HostName returns the name of a host function, "module.function", by the index of its frame.
func (e *Engine) HostName(frame uint32) string { return e.hosts.names[frame] }

// recorded returns a host function with a frame. A function that ends the message does not leave it.
func recorded(call func(*Guest, []uint64), frame uint32) func(*Guest, []uint64) {
	return func(g *Guest, stack []uint64) {
		r := g.recorder
		if r == nil {
			call(g, stack)
			return
		}
		r.Enter(profile.Frame{Kind: profile.Host, Index: frame}, g.Executed())
		call(g, stack)
		r.Leave(g.Executed())
	}
}

func (g *Guest) probeEnter(stack []uint64) {
	if r := g.recorder; r != nil {
		r.Enter(profile.Frame{Kind: profile.Function, Index: uint32(stack[0])}, g.executedAt(stack[1]))
	}
}

func (g *Guest) probeLeave(stack []uint64) {
	if r := g.recorder; r != nil {
		r.Leave(g.executedAt(stack[0]))
	}
}

func (g *Guest) probeWithdraw([]uint64) {
	if r := g.recorder; r != nil {
		r.Withdraw()
	}
}

// executedAt is Executed at a value of the counter.
func (g *Guest) executedAt(counter uint64) uint64 {
	return g.granted - uint64(rewrite.Instructions(counter))
}
