package search

import "math/rand/v2"

// SURW is selectively uniform random walk (Zhao et al., ASPLOS 2025): it draws the next task in proportion to the moves
// that the task has left, which makes each order about as likely as any other where step by step a long task is late too
// often. Only the moves at one receiver count, which is drawn for each run; tasks take the other moves on their way.
func SURW() Strategy {
	return Strategy{Name: "surw", Begin: func(chance *rand.Rand, seen *Profile) Picker {
		s := &surw{chance: chance, left: make(map[string]int), receiver: All}
		if len(seen.Receivers) > 0 {
			s.receiver = seen.Receivers[chance.IntN(len(seen.Receivers))]
		}
		for task, moves := range seen.Tasks {
			s.left[task] = moves
			if s.receiver != All {
				s.left[task] = seen.at[place{task, s.receiver}]
			}
		}
		return s
	}}
}

type surw struct {
	chance   *rand.Rand
	receiver int            // whose moves count; All: all moves
	left     map[string]int // moves that count, by task, as far as the profile knows
	intended string         // the task whose move counts next; "" if it is to be drawn
}

func (s *surw) counts(m *Move) bool { return s.receiver == All || m.Receiver == s.receiver }

// Pick draws a task among those with a move, and one of its moves.
func (s *surw) Pick(moves []Move) int {
	tasks := tasksOf(moves)
	if indexOf(tasks, s.intended) < 0 {
		s.intended = s.draw(tasks)
	}
	var allowed []int
	for i := range moves {
		if m := &moves[i]; !s.counts(m) || m.Task == s.intended {
			allowed = append(allowed, i)
		}
	}
	if len(allowed) == 0 { // the intended task waits for others
		s.intended = s.draw(tasks)
		for i := range moves {
			if moves[i].Task == s.intended {
				allowed = append(allowed, i)
			}
		}
	}
	at := allowed[s.chance.IntN(len(allowed))]
	if m := &moves[at]; s.counts(m) {
		s.left[m.Task]--
		s.intended = ""
	}
	return at
}

// draw draws a task in proportion to the moves that it has left; a task that the profile does not know has one.
func (s *surw) draw(tasks []string) string {
	sum := 0
	for _, task := range tasks {
		sum += max(1, s.left[task])
	}
	n := s.chance.IntN(sum)
	for _, task := range tasks {
		if n -= max(1, s.left[task]); n < 0 {
			return task
		}
	}
	return tasks[0]
}

// tasksOf returns the tasks of moves, each once.
func tasksOf(moves []Move) (tasks []string) {
	for i := range moves {
		if indexOf(tasks, moves[i].Task) < 0 {
			tasks = append(tasks, moves[i].Task)
		}
	}
	return tasks
}

func indexOf(list []string, wanted string) int {
	for i, s := range list {
		if s == wanted {
			return i
		}
	}
	return -1
}
