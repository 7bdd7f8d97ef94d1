package search

// Before is a deviation from FIFO: the move Later waits until the move First was made. Such constraints still apply
// after other operations are removed: names stay the same, and a constraint that cannot be met is dropped.
type Before struct {
	First, Later string
}

// Constrained follows FIFO under constraints. If every possible move waits for one that is not possible, it drops the
// oldest constraint.
type Constrained struct {
	Constraints []Before
	made        map[string]bool
	dropped     map[int]bool
}

// Follow returns a picker that follows FIFO under constraints.
func Follow(constraints []Before) *Constrained {
	return &Constrained{Constraints: constraints, made: make(map[string]bool), dropped: make(map[int]bool)}
}

// Pick chooses the first move that does not wait.
func (c *Constrained) Pick(moves []Move) int {
	for {
		blocking := -1
		for i := range moves {
			by := c.waits(moves[i].Name)
			if by < 0 {
				c.made[moves[i].Name] = true
				return i
			}
			if blocking < 0 || by < blocking {
				blocking = by
			}
		}
		c.dropped[blocking] = true
	}
}

// waits returns the constraint that a move waits for, -1 for none.
func (c *Constrained) waits(name string) int {
	for i, b := range c.Constraints {
		if b.Later == name && !c.made[b.First] && !c.dropped[i] {
			return i
		}
	}
	return -1
}

// Unmet returns the constraints that the run did not meet: their moves did not appear, or not in this order.
func (c *Constrained) Unmet() (unmet []Before) {
	for i, b := range c.Constraints {
		if c.dropped[i] || !c.made[b.First] || !c.made[b.Later] {
			unmet = append(unmet, b)
		}
	}
	return unmet
}

// Recorder is a picker that records, as constraints, how another picker deviates from FIFO.
type Recorder struct {
	Picker      Picker
	Constraints []Before
	made        map[string]bool
}

// Record returns a recorder of a picker.
func Record(picker Picker) *Recorder { return &Recorder{Picker: picker, made: make(map[string]bool)} }

// Pick asks the other picker. It adds a constraint for each move before the chosen one, unless an earlier constraint
// already holds it back.
func (r *Recorder) Pick(moves []Move) int {
	at := r.Picker.Pick(moves)
	for i := range at {
		if !r.waits(moves[i].Name) {
			r.Constraints = append(r.Constraints, Before{First: moves[at].Name, Later: moves[i].Name})
		}
	}
	r.made[moves[at].Name] = true
	return at
}

func (r *Recorder) waits(name string) bool {
	for _, b := range r.Constraints {
		if b.Later == name && !r.made[b.First] {
			return true
		}
	}
	return false
}

// Named makes the moves with the given names, one after the other. It follows FIFO if a name is missing and after the
// last.
func Named(names []string) Picker {
	made := 0
	return PickerFunc(func(moves []Move) int {
		made++
		if made > len(names) {
			return 0
		}
		return max(0, find(moves, names[made-1]))
	})
}

// Begun makes the moves with the given names, one after the other. Once a name is missing, and after the last, another
// picker chooses.
func Begun(names []string, rest Picker) Picker {
	return PickerFunc(func(moves []Move) int {
		if len(names) > 0 {
			if at := find(moves, names[0]); at >= 0 {
				names = names[1:]
				return at
			}
			names = nil
		}
		return rest.Pick(moves)
	})
}
