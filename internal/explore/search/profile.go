package search

// Profile counts what happened in one run, for strategies that need to know how long runs are.
type Profile struct {
	Moves     int            // that were made
	Tasks     map[string]int // moves by task
	Receivers []int          // with moves of two tasks or more, in the order of their first moves
	at        map[place]int  // moves by task and receiver
}

// place is where a move of a task is made.
type place struct {
	task     string
	receiver int
}

// Profiler is a picker that counts what another picker does.
type Profiler struct {
	Picker  Picker
	Profile Profile
}

// Pick asks the other picker, and counts the move.
func (p *Profiler) Pick(moves []Move) int {
	at := p.Picker.Pick(moves)
	p.Profile.count(&moves[at])
	return at
}

func (p *Profile) count(m *Move) {
	if p.Tasks == nil {
		p.Tasks, p.at = make(map[string]int), make(map[place]int)
	}
	p.Moves++
	p.Tasks[m.Task]++
	first := p.at[place{m.Task, m.Receiver}] == 0
	p.at[place{m.Task, m.Receiver}]++
	if !first {
		return
	}
	for _, known := range p.Receivers {
		if known == m.Receiver {
			return
		}
	}
	for task := range p.Tasks { // whether any other is there: the order makes no difference
		if task != m.Task && p.at[place{task, m.Receiver}] > 0 {
			p.Receivers = append(p.Receivers, m.Receiver)
			return
		}
	}
}
