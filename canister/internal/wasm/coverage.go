package wasm

import (
	"fmt"
	"sync/atomic"

	"github.com/tetratelabs/wazero/api"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// ran is what is known of the blocks that ran in an instance of a module for coverage.
type ran struct {
	count api.Function // rewrite.CountRan, nil without coverage
	last  uint64       // its result when the globals were read
	// words are those of the guest when its message began. Bits are cleared when they change: they may be of runs of
	// another guest, or of runs that were not covered.
	words []atomic.Uint64
	cells []api.MutableGlobal // the globals with the bits; nil until they are used
}

// Cover gives the next runs the words that get the bits of their blocks, beside those of Config.Ran; nil: none get them.
// The code has coverage if there are any. With perRun, the words get the bits of each run, also those that they have had
// before: their owner clears them between runs.
func (g *Guest) Cover(words []atomic.Uint64, perRun bool) { g.covered, g.coveredPerRun = words, perRun }

// loadRan finds the function that counts blocks.
func (r *resident) loadRan() error {
	if !r.code.module.Coverage {
		return nil
	}
	if r.ran.count = r.exportedFunction(rewrite.CountRan); r.ran.count == nil {
		return fmt.Errorf("module for coverage exports no %q", rewrite.CountRan)
	}
	return nil
}

// cover begins a run whose bits are added to words.
func (r *resident) cover(words []atomic.Uint64, perRun bool) {
	if !perRun && sameWords(r.ran.words, words) {
		return
	}
	r.ran.words, r.ran.last = words, 0
	for _, c := range r.ranCells() {
		c.Set(0)
	}
}

// ranCells returns the globals with the bits of blocks, none without coverage.
func (r *resident) ranCells() []api.MutableGlobal {
	if r.ran.count == nil {
		return nil
	}
	if r.ran.cells == nil {
		r.ran.cells = make([]api.MutableGlobal, r.code.module.RanGlobals)
		for i := range r.ran.cells {
			r.ran.cells[i] = r.instance.ExportedGlobal(rewrite.RanGlobal(i)).(api.MutableGlobal)
		}
	}
	return r.ran.cells
}

func sameWords(a, b []atomic.Uint64) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// tellRan adds the blocks that ran in the instance to those of its code and of the run.
func (r *resident) tellRan() {
	if r.ran.count == nil {
		return
	}
	var result [1]uint64
	if err := r.ran.count.CallWithStack(&r.context, result[:]); err != nil {
		panic(fmt.Errorf("wasm: count the blocks that ran: %w", err)) // it cannot trap
	}
	if result[0] == r.ran.last {
		return
	}
	r.ran.last = result[0]
	for i, c := range r.ranCells() {
		bits := c.Get()
		if bits == 0 {
			continue
		}
		if r.code.ran != nil {
			r.code.ran[i].Or(bits)
		}
		if r.ran.words != nil {
			r.ran.words[i].Or(bits)
		}
	}
}
