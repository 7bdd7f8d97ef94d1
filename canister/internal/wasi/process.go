package wasi

// processFunctions end the message, or do nothing: there is one process, and one thread.
func processFunctions() []function {
	return []function{
		{name: "proc_exit", params: "i", none: true, body: func(c *call) errno {
			c.Exit(uint32(c.params[0]))
			return success
		}},
		{name: "sched_yield", body: func(*call) errno { return success }},
	}
}
