package canister

// PagesDiffering returns how many pages of 4 KiB of the heaps and of the stable memories of two canisters differ, as of
// their last message. Pages that forks share are not read. Neither canister may run meanwhile. The error comes from the
// checkpoint file.
func (c *Canister) PagesDiffering(o *Canister) (heap, stable uint64, err error) {
	switch {
	case c.state == o.state, c.state != nil && o.state != nil && c.state.root != nil && c.state.root == o.state.root:
		return 0, 0, nil
	case c.state == nil:
		b := o.state.loadedRunner()
		return b.guest.Written(), b.stable.Written(), nil
	case o.state == nil:
		a := c.state.loadedRunner()
		return a.guest.Written(), a.stable.Written(), nil
	}
	a, b := c.state.loadedRunner(), o.state.loadedRunner()
	if heap, err = a.guest.Differing(b.guest); err != nil {
		return 0, 0, err
	}
	stable, err = a.stable.Differing(b.stable)
	return heap, stable, err
}
