package campaign

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// Await is a call from one method to another, with the faults that its messages can have.
type Await struct {
	Caller, Callee string // canister and method
	// Tried counts the runs in which a fault happened. 0: the fault is possible, but no run has tried it.
	Tried map[harness.FaultKind]int
	Runs  int // that made the call
}

// matrix finds the awaits of a report by their methods and by the messages and faults that belong to them.
type matrix struct {
	positions map[[2]string]int // in Awaits, by caller and callee
	byMessage map[string][]int  // positions in Awaits, by the name of a call and by the message that makes it
	titles    map[method]string
}

// method is a method of a canister.
type method struct {
	canister principal.Principal
	name     string
}

// title returns a method for people: bank.withdraw.
func (r *Report) title(canister principal.Principal, name string) string {
	key := method{canister, name}
	title, known := r.matrix.titles[key]
	if !known {
		title = r.config.Setup.NameOf(canister) + "." + name
		r.matrix.titles[key] = title
	}
	return title
}

// countAwaits adds the calls and the faults of a run.
func (r *Report) countAwaits(o *outcome) {
	for i, s := range o.steps {
		for n := range s.Calls {
			made := &s.Calls[n]
			at := r.await(r.caller(o.steps[:i+1], s.Context), r.title(made.Callee, made.Method))
			r.Awaits[at].Runs++
			r.matrix.add(made.Name, at)
			r.matrix.add(s.Move, at)
		}
	}
	for _, f := range o.plan {
		if !o.hasFault(f) {
			continue
		}
		for _, at := range r.matrix.of(f) {
			r.Awaits[at].Tried[f.Kind]++
		}
	}
}

// addPossible adds faults that messages can have, whether or not a run tries them.
func (r *Report) addPossible(faults []harness.Fault) {
	for _, f := range faults {
		for _, at := range r.matrix.of(f) {
			r.Awaits[at].Tried[f.Kind] += 0
		}
	}
}

// await returns the position of an await in Awaits, and adds it if it is new.
func (r *Report) await(caller, callee string) int {
	key := [2]string{caller, callee}
	at, known := r.matrix.positions[key]
	if !known {
		at = len(r.Awaits)
		r.matrix.positions[key] = at
		r.Awaits = append(r.Awaits, Await{Caller: caller, Callee: callee, Tried: make(map[harness.FaultKind]int)})
	}
	return at
}

// caller returns the method that opened a call context, "" if no step has.
func (r *Report) caller(steps []*harness.Step, context string) string {
	for _, s := range slices.Backward(steps) {
		if s.Kind != replica.MoveResponse && s.Began && s.Context == context {
			return r.title(s.Canister, s.Method)
		}
	}
	return ""
}

// add maps a call, or the message that makes it, to an await.
func (m *matrix) add(name string, at int) {
	if known := m.byMessage[name]; !slices.Contains(known, at) && len(m.byMessage) < maxCovered {
		m.byMessage[name] = append(known, at)
	}
}

// of returns the awaits that a fault belongs to: the call whose request or answer has the fault, or, for NoCalls, the
// calls of the message.
func (m *matrix) of(f harness.Fault) []int {
	if f.Kind == harness.NoCalls {
		return m.byMessage[f.At]
	}
	return m.byMessage[harness.CallOf(f.At)]
}
