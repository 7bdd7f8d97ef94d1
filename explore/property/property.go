package property

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/harness"
)

// Violation is one way in which a run breaks a property.
type Violation struct {
	Property string // its name
	Canister principal.Principal
	Method   string
	At       string // name of the message or call that it is about; "" for none
	Text     string // one sentence without a period
	// Suspicion says that the property need not hold: two users may see something that no serial order explains.
	Suspicion bool
}

// Key is the same for violations that are told as one. A violation is not told as more of a suspicion.
func (v *Violation) Key() string {
	key := v.Property + " " + v.Canister.String() + " " + v.Method
	if v.Suspicion {
		key += " suspicion"
	}
	return key
}

// Property is what a run is checked for.
type Property interface {
	// Name is what reports call it.
	Name() string
	// AtRest checks a run that is over.
	AtRest(r *harness.Run) []Violation
	// AfterMessage checks a run after its newest step, wherever the run stands.
	AfterMessage(r *harness.Run) []Violation
}

// When is when a property that users state is checked.
type When int

// The states of a run in which a property is checked.
const (
	AtRest      When = iota // no message is left, whether the run then goes on at the next timer or not
	EachMessage             // after each message, and at rest
	Eventually              // the run is over: before, a timer may repair what is wrong
)

// MayRepair reports whether a property may be violated at rest if a timer repairs it.
func MayRepair(p Property) bool {
	switch p := p.(type) {
	case *Invariant:
		return p.When == Eventually
	case *Func:
		return p.When == Eventually
	}
	return false
}

// Finds reports whether a violation of a property may have a name.
func Finds(p Property, name string) bool {
	_, open := p.(OpenAtRest)
	return p.Name() == name || open && name == circularWait
}

// Baseline is a property that compares runs with what is known to be right: it is shown the FIFO run and the serial ones,
// which do one operation after the other, before it checks any.
type Baseline interface {
	Property
	// Learn is shown a run without faults that is over.
	Learn(r *harness.Run, serial bool)
}

// Between is a Baseline that is also shown the states of serial runs in which some operations are over, and the others have
// not begun.
type Between interface {
	Baseline
	LearnBetween(r *harness.Run)
}

// Together are the canisters whose state a property looks at together after each message, or all. Which of their messages
// comes first makes a difference then.
func Together(p Property) (canisters []principal.Principal, all bool) {
	switch p := p.(type) {
	case *Invariant:
		if p.When == EachMessage && p.Right != nil && p.Right.Canister != p.Left.Canister {
			return []principal.Principal{p.Left.Canister, p.Right.Canister}, false
		}
	case *Func:
		return nil, p.When == EachMessage
	}
	return nil, false
}

// Endless is a property that also checks runs that were ended before they came to rest.
type Endless interface {
	Property
	Unfinished(r *harness.Run) []Violation
}

// Builtin are the properties that are checked without being asked for. Serial says that the baselines will be shown all
// serial orders of the operations.
func Builtin(serial bool, observe []harness.Query) []Property {
	all := []Property{&Traps{}, TrapAfterAwait{}, OpenAtRest{}, &LostService{}, NeverRests{}}
	if serial {
		all = append(all, &LostCycles{}, &Serializable{Observe: observe})
	}
	return all
}

// atRest is for properties that say nothing about the middle of a run.
type atRest struct{}

// AfterMessage finds nothing.
func (atRest) AfterMessage(*harness.Run) []Violation { return nil }
