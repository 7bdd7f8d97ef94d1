package campaign

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/replica/sched"
)

// Await is a call of a method by another, with the faults that its messages can have.
type Await struct {
	Caller, Callee string // canister and method
	// Tried is in how many runs a fault took place; 0: it can, and no run has tried it.
	Tried map[harness.FaultKind]int
	Runs  int // that came to it
}

// matrix finds the awaits of a report that messages and their faults belong to.
type matrix struct {
	positions map[[2]string]int // in Awaits, by caller and callee
	concerned map[string][]int  // positions in Awaits, by the name of a call, and by the message that makes calls
	titles    map[method]string
}

// method is a method of a canister.
type method struct {
	canister principal.Principal
	name     string
}

// title is a method for people: bank.withdraw.
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
			r.matrix.concern(made.Name, at)
			r.matrix.concern(s.Move, at)
		}
	}
	for _, f := range o.plan {
		if !o.had(f) {
			continue
		}
		for _, at := range r.matrix.of(f) {
			r.Awaits[at].Tried[f.Kind]++
		}
	}
}

// possible enters faults that messages can have.
func (r *Report) possible(faults []harness.Fault) {
	for _, f := range faults {
		for _, at := range r.matrix.of(f) {
			r.Awaits[at].Tried[f.Kind] += 0
		}
	}
}

// await is the position of an await, which is added if it is new.
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

// caller is the method that a call context executes, "" if no step has begun it.
func (r *Report) caller(steps []*harness.Step, context string) string {
	for _, s := range slices.Backward(steps) {
		if s.Kind != sched.Response && s.Began && s.Context == context {
			return r.title(s.Canister, s.Method)
		}
	}
	return ""
}

// concern notes that a call, or the message that makes it, belongs to an await.
func (m *matrix) concern(name string, at int) {
	if known := m.concerned[name]; !slices.Contains(known, at) && len(m.concerned) < maxCovered {
		m.concerned[name] = append(known, at)
	}
}

// of are the awaits that a fault belongs to: that of the call whose request or answer has it, or, where a message cannot
// make calls, those of its calls.
func (m *matrix) of(f harness.Fault) []int {
	if f.Kind == harness.NoCalls {
		return m.concerned[f.At]
	}
	return m.concerned[harness.CallOf(f.At)]
}
