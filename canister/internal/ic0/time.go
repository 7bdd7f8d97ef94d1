package ic0

// timeFunctions return times and instruction counts, and set the timer.
func timeFunctions() []function {
	return []function{
		// time() is the time of the message, in ns since 1970. It does not change while the message runs.
		{name: "time", results: "l", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = x.Time
		}},
		// global_timer_set(time) sets when canister_global_timer runs, in ns since 1970; 0: never. It returns the
		// previous time.
		{name: "global_timer_set", params: "l", results: "l", where: timing, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.Timer, s[0] = s[0], x.Timer
			x.TimerSet = true
		}},
		// performance_counter(type) is the instructions executed so far: type 0 by this message, 1 by all messages of
		// the call context. Any other type traps: "Error getting performance counter type …".
		{name: "performance_counter", params: "i", results: "l", where: everywhere, cost: flat(200), body: func(x *Execution, s []uint64) {
			switch s[0] {
			case 0:
				s[0] = x.Guest.Executed()
			case 1:
				s[0] = x.Message.PriorInstructions + x.Guest.Executed()
			default:
				x.refuse("", "Error getting performance counter type %d", s[0])
			}
		}},
	}
}
