package canister

import "github.com/canisterd/canisterd/canister/internal/stable"

// SetStable replaces the stable memory of an idle canister that has code by content, with zeros up to the end of a Wasm
// page. Nothing runs, and everything else stays. An error means that the disk is full; the canister is then unchanged.
func (c *Canister) SetStable(content []byte) error {
	s := c.state
	memory := stable.New(s.module.engine.wasm.File())
	defer memory.Close() // Load takes a fork of it
	if _, ok := memory.Grow((uint64(len(content)) + stable.PageSize - 1) / stable.PageSize); !ok {
		panic("canister: the content of a stable memory is longer than one can be")
	}
	if err := memory.Write(0, content); err != nil {
		return err
	}
	if err := memory.Commit(); err != nil {
		return err
	}
	before := c.Snapshot(0, HookNotSatisfied)
	own := before.stable
	before.stable = memory
	err := c.Load(before, s.module)
	before.stable = own
	before.Close()
	return err
}
