package trace

import "slices"

// executions returns all executions of a call and of the calls under it, in the order in which they ended; unfinished
// ones come last.
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

// within returns how many calls an execution and those under it have made.
func within(x *Execution) int {
	n := len(x.Calls)
	for _, c := range x.Calls {
		for _, below := range c.Executions {
			n += within(below)
		}
	}
	return n
}
