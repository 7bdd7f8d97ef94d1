package property

import (
	"fmt"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// Traps finds methods and tasks that trap, but neither in the FIFO run nor in a serial run. These are suspicions,
// because a method that traps changes nothing. TrapAfterAwait checks callbacks.
type Traps struct {
	atRest
	known map[string]bool // canister and method
}

// Name returns "new-trap".
func (*Traps) Name() string { return "new-trap" }

// Learn records the traps of a run.
func (t *Traps) Learn(r *harness.Run, _ bool) {
	if t.known == nil {
		t.known = make(map[string]bool)
	}
	for _, s := range r.Steps() {
		if s.Failure != nil {
			t.known[trapKey(s)] = true
		}
	}
}

func trapKey(s *harness.Step) string { return s.Canister.String() + " " + s.Method }

// AtRest returns the traps that no baseline has.
func (t *Traps) AtRest(r *harness.Run) (found []Violation) {
	for _, s := range r.Steps() {
		if s.Failure == nil || s.Kind == replica.MoveResponse || t.known[trapKey(s)] || s.Fault != harness.NoFault {
			continue
		}
		found = append(found, Violation{
			Property: t.Name(), Canister: s.Canister, Method: s.Method, At: s.Move, Suspicion: true,
			Text: fmt.Sprintf("%s fails in %s, and does not in other orders: %s", name(r, s), s.Method, s.Failure),
		})
	}
	return found
}

// TrapAfterAwait finds callbacks that trap after earlier messages of the same call have changed the canister: those
// changes stay. It ignores traps by a fault: they can hit any callback, so it would report every method that awaits.
// Other properties check what follows from such a trap.
type TrapAfterAwait struct{ atRest }

// Name returns "trap-after-await".
func (TrapAfterAwait) Name() string { return "trap-after-await" }

// AtRest returns the callbacks that trapped.
func (p TrapAfterAwait) AtRest(r *harness.Run) (found []Violation) {
	steps := r.Steps()
	for i, s := range steps {
		if s.Failure == nil || s.Fault != harness.NoFault || s.Entry != canister.ReplyCallback && s.Entry != canister.RejectCallback {
			continue
		}
		if method, changed := changedBefore(steps[:i], s); changed {
			found = append(found, Violation{
				Property: p.Name(), Canister: s.Canister, Method: method, At: s.Move,
				Text: fmt.Sprintf("%s traps in %s after an await, and keeps what it changed before: %s", name(r, s), method, s.Failure),
			})
		}
	}
	return found
}

// changedBefore reports whether an earlier message of the same call context was committed with changes, and names the
// method that opened the context.
func changedBefore(before []*harness.Step, s *harness.Step) (method string, changed bool) {
	for _, b := range before {
		if b.Context != s.Context || b.Canister != s.Canister {
			continue
		}
		if b.Kind != replica.MoveResponse && b.Began {
			method = b.Method
		}
		changed = changed || b.Failure == nil && b.Dirty > 0
	}
	return method, changed
}

func name(r *harness.Run, s *harness.Step) string { return r.Setup().NameOf(s.Canister) }
