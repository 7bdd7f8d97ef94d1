package harness

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/replica"
)

// Operation is an update call of a user in the runs of a harness. The harness sets the id and the expiry of the
// message.
type Operation struct {
	Title   string // for people: bank.withdraw(100)
	Message replica.Ingress
	Retried bool // its user may send it twice
}

// Setup is the configuration of a harness.
type Setup struct {
	Base       *replica.Network // idle; the harness only forks it, and the owner closes it
	Operations []Operation
	// Name returns the name of a canister or an identity for people, "" if it has none; nil: no principal has a name.
	Name func(principal.Principal) string
	// Principal is the reverse of Name, also for ids; nil: only Name is known.
	Principal func(name string) (principal.Principal, bool)
	// Generated makes explanations and diagrams show the messages of methods that compilers add (package generated).
	Generated bool
	// Waits is how often a run at rest continues at the next global timer.
	Waits int
	// Upgrades are the modules to which canisters may be upgraded in the middle of a run.
	Upgrades map[principal.Principal]NextModule
	// Outcalls are the possible answers to HTTP outcalls. Without a fault, an outcall gets the first; none: no outcall is
	// answered.
	Outcalls []replica.OutcallAnswer
	// Blocks records in Step.Blocks which blocks of code ran. Code that tells this is slower.
	Blocks bool
	// Expired cuts runs when it becomes true (Run.Cut); nil: never.
	Expired func() bool
}

// Harness makes runs. Only one goroutine may use it.
type Harness struct {
	setup        *Setup
	base         *replica.Network // a fork of the base with all messages of operations in their queues
	runner       *replica.Coroutines
	blocks       *blockRecorder // nil: no blocks are recorded
	ops          map[replica.RequestID]string
	participants []participant // in the order of their positions

	before map[queryKey]queryResult // results of Run.QueryBefore; nil: there are none

	cut         bool // Setup.Expired was true
	sinceExpiry int  // messages since Setup.Expired was last called
}

// participant is an operation that takes part.
type participant struct {
	position int
	name     string
	id       replica.RequestID
}

// New returns a harness for some of the operations, given by their positions; nil for all. Operations keep their names
// when others are left out. The error says which message the network did not accept. The caller closes the harness.
func New(setup *Setup, chosen []int) (*Harness, error) {
	l := &Harness{setup: setup, runner: new(replica.Coroutines), blocks: setup.newBlockRecorder(), ops: make(map[replica.RequestID]string)}
	l.base = setup.Base.Fork(replica.ForkConfig{Parts: replica.Parts{Runner: l.runner}, Volatile: true})
	if chosen == nil {
		for i := range setup.Operations {
			chosen = append(chosen, i)
		}
	}
	now := l.base.Activity().Clock
	for _, i := range chosen {
		in := setup.Operations[i].Message
		in.ID = sha256.Sum256(fmt.Appendf(nil, "canisterd explore operation %d", i+1))
		in.Expiry = now + replica.MaxIngressTTL
		if err := l.submit(&in); err != nil {
			l.Close()
			return nil, fmt.Errorf("operation %d, %s: %w", i+1, setup.Operations[i].Title, err)
		}
		l.ops[in.ID] = OperationName(i)
		l.participants = append(l.participants, participant{i, OperationName(i), in.ID})
		if setup.Operations[i].Retried {
			l.ops[againID(i)] = AgainOf(OperationName(i))
		}
	}
	slices.SortFunc(l.participants, func(a, b participant) int { return cmp.Compare(a.position, b.position) })
	return l, nil
}

// againID returns the id of the second message of an operation.
func againID(position int) replica.RequestID {
	return sha256.Sum256(fmt.Appendf(nil, "canisterd explore operation %d again", position+1))
}

// retried reports whether a message begins an operation that its user may send twice.
func (s *Setup) retried(move string) bool {
	for i := range s.Operations {
		if OperationName(i) == move {
			return s.Operations[i].Retried
		}
	}
	return false
}

// sentTwice returns the positions of the operations that users send twice under a plan.
func (s *Setup) sentTwice(plan Plan) (all []int) {
	for i := range s.Operations {
		if s.Operations[i].Retried && plan.at(OperationName(i)).Kind == SendTwice {
			all = append(all, i)
		}
	}
	return all
}

// BeginAlike reports whether runs under two plans begin in the same state.
func (l *Harness) BeginAlike(a, b Plan) bool {
	return slices.Equal(l.setup.sentTwice(a), l.setup.sentTwice(b))
}

// sendTwice sends the second messages of the operations that users send twice under the plan.
func (r *Run) sendTwice() {
	for _, i := range r.harness.setup.sentTwice(r.plan) {
		in := r.harness.setup.Operations[i].Message
		in.ID, in.Expiry = againID(i), r.network.Activity().Clock+replica.MaxIngressTTL
		r.network.Apply(&in) // a refused message does not come
	}
}

// probeID returns the id of the message of a probe.
func probeID(position int) replica.RequestID {
	return sha256.Sum256(fmt.Appendf(nil, "canisterd explore probe %d", position+1))
}

// OperationName returns the name of the operation at a position, and of the message that begins it.
func OperationName(position int) string { return fmt.Sprintf("op%d", position+1) }

func (l *Harness) submit(in *replica.Ingress) error {
	result := l.base.Apply(in)
	switch {
	case result.Refusal != nil:
		return result.Refusal
	case result.Reject != nil:
		return fmt.Errorf("the message is not accepted: %s", result.Reject)
	}
	return nil
}

// Fork returns a second harness for another goroutine, which closes it.
func (l *Harness) Fork() *Harness {
	f := &Harness{setup: l.setup, runner: new(replica.Coroutines), blocks: l.setup.newBlockRecorder(), ops: l.ops, participants: l.participants}
	f.base = l.base.Fork(replica.ForkConfig{Parts: replica.Parts{Runner: f.runner}})
	return f
}

// Close frees the harness. Its runs must be closed first.
func (l *Harness) Close() {
	l.base.Close()
	l.runner.Close()
}

// NameOf returns the name of a canister for people, its id if it has none.
func (s *Setup) NameOf(id principal.Principal) string {
	if s.Name != nil {
		if name := s.Name(id); name != "" {
			return name
		}
	}
	if id == principal.Management {
		return "management"
	}
	return id.String()
}

// WithNames returns a text with references in place of the principals that have names.
func (s *Setup) WithNames(text string) string {
	if s.Name == nil {
		return text
	}
	return reference.Write(text, s.Name)
}

// The parameters of the hash FNV-1a of 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// ReceiverOf returns the Receiver of the moves of a canister. It is the same in all runs.
func ReceiverOf(id principal.Principal) int {
	sum := uint64(fnvOffset)
	var bytes [principal.MaxLen]byte
	for _, b := range id.Append(bytes[:0]) {
		sum = (sum ^ uint64(b)) * fnvPrime
	}
	return int(sum >> 1)
}
