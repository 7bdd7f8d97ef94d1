package search

import "math/rand/v2"

// FIFO picks the move that has waited longest, as a network without faults does.
var FIFO Picker = PickerFunc(func([]Move) int { return 0 })

// InOrder is the strategy of FIFO: all its runs are the same.
func InOrder() Strategy {
	return Strategy{Name: "fifo", Begin: func(*rand.Rand, *Profile) Picker { return FIFO }}
}

// Serial runs one task after the other: a task begins when the earlier ones have no moves left. Tasks are given by the
// names of their first moves; all other tasks come after them.
func Serial(tasks []string) Picker {
	rank := make(map[string]int, len(tasks))
	for i, name := range tasks {
		rank[name] = i - len(tasks)
	}
	return PickerFunc(func(moves []Move) int {
		first := 0
		for i := range moves {
			a, b := &moves[i], &moves[first]
			if begins(b) && (!begins(a) || rank[a.Name] < rank[b.Name]) {
				first = i
			}
		}
		return first
	})
}

// begins reports whether a move is the first of its task.
func begins(m *Move) bool { return m.Cause == "" }
