package search

import "math/rand/v2"

// All is the receiver of moves that commute with no other.
const All = -1

// Move is one legal next step of a run.
type Move struct {
	// Name is unique within a run. The same step has the same name in all runs that are equivalent up to it.
	Name string
	// Task is the operation that the move is a part of.
	Task string
	// Cause is the name of the move that made this one possible; "" if it was possible from the beginning.
	Cause string
	// Receiver numbers what the move reads and changes; All: everything.
	Receiver int
}

// Commute reports whether two moves may be exchanged without effect.
func Commute(a, b *Move) bool {
	return a.Receiver != b.Receiver && a.Receiver != All && b.Receiver != All
}

// Run is one run of the system that is explored. The same moves lead to the same states.
type Run interface {
	// Moves returns the legal next moves in FIFO order, none if the run is over. The slice is valid until the next call of
	// Take.
	Moves() []Move
	// Take makes the move at a position of Moves.
	Take(at int)
}

// Tree is a run that can be continued in several ways.
type Tree interface {
	Run
	// Fork returns a second run at the same point.
	Fork() Tree
	// Close frees the run.
	Close()
}

// Picker chooses the moves of one run.
type Picker interface {
	// Pick returns the position of the move to make. There is at least one move.
	Pick(moves []Move) int
}

// PickerFunc is a function as a Picker.
type PickerFunc func(moves []Move) int

// Pick calls the function.
func (f PickerFunc) Pick(moves []Move) int { return f(moves) }

// Strategy draws orders.
type Strategy struct {
	Name string
	// Begin returns the picker of one run. The run owns chance; the profile is of an earlier run.
	Begin func(chance *rand.Rand, seen *Profile) Picker
	// Guided says that a share of the runs begins like earlier runs that showed something new.
	Guided bool
}

// Drive makes at most limit moves, until the run is over. It returns whether the run is over.
func Drive(run Run, picker Picker, limit int) bool {
	for range limit {
		moves := run.Moves()
		if len(moves) == 0 {
			return true
		}
		run.Take(picker.Pick(moves))
	}
	return len(run.Moves()) == 0
}

// find returns the position of the move with a name, -1 if there is none.
func find(moves []Move, name string) int {
	for i := range moves {
		if moves[i].Name == name {
			return i
		}
	}
	return -1
}
