package trace

import "slices"

// executions are all executions of a call and of those under it, in the order in which they
// ended; those that have not come last.
func executions(c *Call) []*Execution {
	var all []*Execution
	gather(c, &all)
	slices.SortStableFunc(all, func(a, b *Execution) int { return a.Ended.compare(b.Ended) })
	return all
}

func gather(c *Call, all *[]*Execution) {
	for _, x := range c.Executions {
		*all = append(*all, x)
		for _, made := range x.Calls {
			gather(made, all)
		}
	}
}
