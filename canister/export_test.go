package canister

// IdleViews is how many views of the canister's state wait for the next query.
func (c *Canister) IdleViews() int {
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	return int(c.state.views)
}
