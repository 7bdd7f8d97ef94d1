package ic0

// timeFunctions tell time and instructions, and set the timer.
func timeFunctions() []function {
	return []function{
		{name: "time", results: "l", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = x.Time
		}},
		{name: "global_timer_set", params: "l", results: "l", where: timing, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.Timer, s[0] = s[0], x.Timer
			x.TimerSet = true
		}},
		{name: "performance_counter", params: "i", results: "l", where: everywhere, cost: flat(200), body: func(x *Execution, s []uint64) {
			switch s[0] {
			case 0:
				s[0] = x.Guest.Executed()
			case 1:
				s[0] = x.Prior + x.Guest.Executed()
			default:
				x.refuse("", "Error getting performance counter type %d", s[0])
			}
		}},
	}
}
