package canister

// PagesDiffering is how many pages of 4 KiB of the heaps and of the stable memories of two canisters differ, as of their last message. Pages that
// forks share are not read. Nobody may run meanwhile. The error is that of the checkpoint file.
func (c *Canister) PagesDiffering(o *Canister) (heap, stable uint64, err error) {
	switch {
	case c.state == o.state, c.state != nil && o.state != nil && c.state.moment != nil && c.state.moment == o.state.moment:
		return 0, 0, nil
	case c.state == nil:
		b := o.state.awake()
		return b.guest.Written(), b.stable.Written(), nil
	case o.state == nil:
		a := c.state.awake()
		return a.guest.Written(), a.stable.Written(), nil
	}
	a, b := c.state.awake(), o.state.awake()
	if heap, err = a.guest.Differing(b.guest); err != nil {
		return 0, 0, err
	}
	stable, err = a.stable.Differing(b.stable)
	return heap, stable, err
}
