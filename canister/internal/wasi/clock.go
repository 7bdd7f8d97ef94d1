package wasi

// The clocks (WASI preview 1, "clockid"); those of processors do not exist.
const (
	realtime  = 0
	monotonic = 1
)

// clockFunctions return the time of the message, in nanoseconds.
func clockFunctions() []function {
	return []function{
		{name: "clock_res_get", params: "ii", body: func(c *call) errno { return c.putClock(c.params[0], c.params[1], 1) }},
		{name: "clock_time_get", params: "ili", body: func(c *call) errno { return c.putClock(c.params[0], c.params[2], c.Time) }},
	}
}

// putClock writes a number of a clock.
func (c *call) putClock(clock, ptr, n uint64) errno {
	if clock > monotonic {
		return invalid
	}
	return c.put64(ptr, n)
}
