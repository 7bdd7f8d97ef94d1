package property

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Violation says how a run violates a property.
type Violation struct {
	Property string // name of the property
	Canister principal.Principal
	Method   string
	At       string // name of the message or call with the violation; "" for none
	Text     string // one sentence without a period
	// Suspicion says that the violation may be intended: a service may promise less than the property demands.
	Suspicion bool
}

// Key is equal for violations that are reported as one finding. A suspicion and a certain violation are never one
// finding.
func (v *Violation) Key() string {
	key := v.Property + " " + v.Canister.String() + " " + v.Method
	if v.Suspicion {
		key += " suspicion"
	}
	return key
}

// Property is a check of runs.
type Property interface {
	// Name returns the name in reports.
	Name() string
	// AtRest checks a run that is over.
	AtRest(r *harness.Run) []Violation
	// AfterMessage checks a run after its latest step, before it is over too.
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

// Finds reports whether the violations of a property can have a name.
func Finds(p Property, name string) bool {
	_, open := p.(OpenAtRest)
	return p.Name() == name || open && name == circularWait
}

// Baseline is a property that compares runs with runs that are known to be right: before any check, it learns the FIFO
// run and the serial runs, which make one operation after the other.
type Baseline interface {
	Property
	// Learn is called with runs without faults that are over.
	Learn(r *harness.Run, serial bool)
}

// SerialStateLearner is a Baseline that also learns the states between the operations of serial runs.
type SerialStateLearner interface {
	Baseline
	LearnSerialState(r *harness.Run)
}

// Together returns the canisters whose states a property compares after each message; all says that it may compare any.
// The order of messages of these canisters then makes a difference.
func Together(p Property) (canisters []principal.Principal, all bool) {
	switch p := p.(type) {
	case *Invariant:
		if p.When != EachMessage {
			return nil, false
		}
		for _, q := range p.Queries() {
			if !slices.Contains(canisters, q.Canister) {
				canisters = append(canisters, q.Canister)
			}
		}
		if len(canisters) > 1 {
			return canisters, false
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

// Builtin returns the properties that are checked by default. Serial says that the baselines will learn all serial
// orders of the operations. replyText is LostService.ReplyText.
func Builtin(serial bool, observe []harness.Query, replyText func(canister principal.Principal, method string, reply []byte) string) []Property {
	all := []Property{&Traps{}, TrapAfterAwait{}, OpenAtRest{}, &NeverResumes{}, &LostService{ReplyText: replyText}, &LostTimer{}, NeverRests{}}
	if serial {
		all = append(all, &LostCycles{}, &Serializable{Observe: observe})
	}
	return all
}

// atRest is embedded by properties that do not check the middle of a run.
type atRest struct{}

// AfterMessage finds nothing.
func (atRest) AfterMessage(*harness.Run) []Violation { return nil }
