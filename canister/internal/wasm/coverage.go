package wasm

import (
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// ran is what is known of the blocks that ran in an instance of a module for coverage.
type ran struct {
	count api.Function // rewrite.CountRan, nil without coverage
	last  uint64       // its result when the globals were read
}

// loadRan finds the function that counts blocks.
func (r *resident) loadRan() error {
	if r.code.ran == nil {
		return nil
	}
	if r.ran.count = r.instance.ExportedFunction(rewrite.CountRan); r.ran.count == nil {
		return fmt.Errorf("module for coverage exports no %q", rewrite.CountRan)
	}
	return nil
}

// tellRan adds the blocks that ran in the instance to those of its code.
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
	for i := range r.code.ran {
		r.code.ran[i].Or(r.instance.ExportedGlobal(rewrite.RanGlobal(i)).Get())
	}
}
