// Package probe runs mutants that are compiled into one binary: each call stands for an
// expression and what one mutant makes of it. At most one mutant is active in a process.
// Where none is, a call notes that the mutant would make a difference.
package probe

import (
	"cmp"
	"os"
	"strconv"
	"sync/atomic"
)

// Environment variables of a process with mutants.
const (
	// ActiveVariable is the number of the active mutant.
	ActiveVariable = "CANISTERD_MUTANT"
	// InfectedVariable is the file that gets a line with the number of each mutant that
	// would make a difference. Where it is empty, nothing is noted.
	InfectedVariable = "CANISTERD_MUTANTS_INFECTED"
)

// numbers is above the number of each mutant.
const numbers = 1 << 14

var (
	active, _ = strconv.Atoi(os.Getenv(ActiveVariable))
	path      = os.Getenv(InfectedVariable)
	noted     [numbers]atomic.Bool
)

// Pick returns the original, or what the mutant makes of it where that is active.
func Pick[T comparable](mutant int, original, mutated T) T {
	if original != mutated && differs(mutant) {
		return mutated
	}
	return original
}

// Not is for a comparison that the mutant turns into its opposite.
func Not(mutant int, original bool) bool {
	return original != differs(mutant)
}

// Less is a < b, or a <= b.
func Less[T cmp.Ordered](mutant int, a, b T) bool {
	return a < b || a == b && differs(mutant)
}

// LessOrEqual is a <= b, or a < b.
func LessOrEqual[T cmp.Ordered](mutant int, a, b T) bool {
	return a < b || a == b && !differs(mutant)
}

// Greater is a > b, or a >= b.
func Greater[T cmp.Ordered](mutant int, a, b T) bool {
	return a > b || a == b && differs(mutant)
}

// GreaterOrEqual is a >= b, or a > b.
func GreaterOrEqual[T cmp.Ordered](mutant int, a, b T) bool {
	return a > b || a == b && !differs(mutant)
}

// differs reports whether the mutant is active. It is called where the mutant makes a difference.
func differs(mutant int) bool {
	if active != 0 || path == "" || noted[mutant].Load() {
		return active == mutant
	}
	if !noted[mutant].Swap(true) {
		note(mutant)
	}
	return false
}

// note adds a line to the file. It does not keep the file open: tests count open files. A
// process that cannot note what it reaches must not pass for one that reaches nothing.
func note(mutant int) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.WriteString(strconv.Itoa(mutant) + "\n")
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		panic(err)
	}
}
