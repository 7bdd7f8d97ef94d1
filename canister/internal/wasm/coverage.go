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
}

// Cover gives the next runs the words that get the bits of their blocks, beside those of Config.Ran; nil: none get them.
// The code has coverage if there are any.
func (g *Guest) Cover(words []atomic.Uint64) { g.covered = words }

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
func (r *resident) cover(words []atomic.Uint64) {
	if sameWords(r.ran.words, words) {
		return
	}
	r.ran.words, r.ran.last = words, 0
	if r.ran.count == nil {
		return
	}
	for i := range r.code.module.RanGlobals {
		r.instance.ExportedGlobal(rewrite.RanGlobal(i)).(api.MutableGlobal).Set(0)
	}
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
	for i := range r.code.module.RanGlobals {
		bits := r.instance.ExportedGlobal(rewrite.RanGlobal(i)).Get()
		if r.code.ran != nil {
			r.code.ran[i].Or(bits)
		}
		if r.ran.words != nil {
			r.ran.words[i].Or(bits)
		}
	}
}
