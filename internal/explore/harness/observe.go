package harness

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
)

// Answer is the answer to an operation.
type Answer struct {
	Operation string // op1
	Position  int    // of the operation in the setup
	Reply     []byte
	Reject    *intercanister.Reject
	Open      bool // the operation was not answered
}

// String returns the answer for comparisons: equal for equal answers.
func (a Answer) String() string {
	switch {
	case a.Open:
		return a.Operation + " is not answered"
	case a.Reject != nil:
		return fmt.Sprintf("%s is rejected: %s", a.Operation, a.Reject)
	}
	return fmt.Sprintf("%s is answered %x", a.Operation, a.Reply)
}

// Answers returns the answers to the operations that take part, in the order of their positions.
func (r *Run) Answers() (all []Answer) {
	all = make([]Answer, len(r.harness.participants))
	for i := range r.harness.participants {
		if r.kept != nil && r.kept[i] != nil {
			all[i] = *r.kept[i]
			continue
		}
		t := &r.harness.participants[i]
		all[i] = r.answer(t.position, t.name, t.id)
	}
	return all
}

// keepAnswers saves the answers so far, because the network forgets them after some minutes.
func (r *Run) keepAnswers() {
	if r.kept == nil {
		r.kept = make([]*Answer, len(r.harness.participants))
	}
	for i, a := range r.Answers() {
		if !a.Open {
			r.kept[i] = &a
		}
	}
}

// answer returns the answer to a message of the operation at a position.
func (r *Run) answer(position int, operation string, id replica.RequestID) Answer {
	in := &r.harness.setup.Operations[position].Message
	answer := Answer{Operation: operation, Position: position, Open: true}
	subnet, hosted := r.network.HostOf(in.Effective)
	if !hosted {
		return answer
	}
	if a, known := r.network.IngressAnswer(subnet, id); known && a.Status.Terminal() {
		answer.Open, answer.Reply, answer.Reject = false, a.Reply, a.Reject
	}
	return answer
}

// Query is a query call of a user to a canister.
type Query struct {
	Canister, Sender principal.Principal
	Method           string
	Arg              []byte
}

// Query runs a query in the present state. The error is the reject of the canister or the refusal of the network.
func (r *Run) Query(q *Query) ([]byte, error) {
	reply, reject, err := ask(r.network, q)
	if reject != nil {
		return nil, fmt.Errorf("query %s of %s is rejected: %s", q.Method, r.harness.setup.NameOf(q.Canister), reject)
	}
	return reply, err
}

// Ask runs a query in the present state of a network.
func Ask(n *replica.Network, q *Query) ([]byte, error) {
	reply, reject, err := ask(n, q)
	if reject != nil {
		return nil, fmt.Errorf("query %s is rejected: %s", q.Method, reject)
	}
	return reply, err
}

// ask returns the reply or the reject of a query. The error is the refusal of the network.
func ask(n *replica.Network, q *Query) ([]byte, *intercanister.Reject, error) {
	result := n.Query(&replica.Query{Sender: q.Sender, Receiver: q.Canister, Effective: q.Canister, Method: q.Method, Arg: q.Arg})
	if result.Refusal != nil {
		return nil, nil, result.Refusal
	}
	return result.Reply, result.Reject, nil
}

// QueryBefore runs a query in the state before the first message of the run.
func (r *Run) QueryBefore(q *Query) ([]byte, error) {
	l := r.harness
	key := queryKey{q.Canister, q.Sender, q.Method, string(q.Arg)}
	if known, found := l.before[key]; found {
		return known.reply, known.err
	}
	begin := l.Begin(nil)
	defer begin.Close()
	reply, err := begin.Query(q)
	if l.before == nil {
		l.before = make(map[queryKey]queryResult)
	}
	l.before[key] = queryResult{reply, err}
	return reply, err
}

// queryKey identifies a query.
type queryKey struct {
	canister, sender principal.Principal
	method, arg      string
}

// queryResult is the result of a query.
type queryResult struct {
	reply []byte
	err   error
}

// Open returns the open call contexts that do not end when deadlines of best-effort calls pass: at rest, those that are
// never answered. It returns none while HTTP outcalls or signatures wait for an answer from outside.
func (r *Run) Open() []introspect.OpenContext {
	census := r.network.Census()
	if census.Contexts == 0 || census.Outcalls > 0 || census.Signatures > 0 {
		return nil
	}
	network := r.network.Introspect()
	open, _ := network.Contexts(introspect.Page{})
	calls, _ := network.Futures(introspect.Page{})
	return openForever(open, calls)
}

// openForever removes the contexts that end with time: each of their calls has a deadline, or is served by such a
// context.
func openForever(open []introspect.OpenContext, calls []introspect.OpenFuture) []introspect.OpenContext {
	ends := make(map[introspect.CallRef]bool)
	for i := range calls {
		if calls[i].Deadline != 0 {
			ends[calls[i].CallRef] = true
		}
	}
	endless := func(call introspect.CallRef) bool { return !ends[call] }
	for {
		left := len(open)
		open = slices.DeleteFunc(open, func(c introspect.OpenContext) bool {
			if len(c.Awaits) == 0 || slices.ContainsFunc(c.Awaits, endless) {
				return false
			}
			ends[c.Call] = true
			return true
		})
		if len(open) == left {
			return open
		}
	}
}

// Gain returns how many cycles a canister has gained since the run began (negative: lost), not counting fees: it adds
// the cycles accepted and refunded, and subtracts those attached to calls and burned. Fees depend on the order of
// messages; what canisters give each other must not. Gain is nil if the canister did not exist before the run or does
// not now.
func (r *Run) Gain(id principal.Principal) *big.Int {
	before, now := r.harness.base.Canister(id), r.network.Canister(id)
	if before == nil || now == nil {
		return nil
	}
	return new(big.Int).Sub(totalCycles(now), totalCycles(before))
}

// totalCycles returns the cycles of a canister plus the fees that it has paid.
func totalCycles(c *canister.Canister) *big.Int {
	sum := c.Balance.Add(c.Reserved).Add(c.Consumed.Total()).Big()
	return sum.Sub(sum, c.Consumed.Burned.Big())
}

// Settled reports whether no call is open. Then no cycles are in transit.
func (r *Run) Settled() bool { return r.network.Census().Contexts == 0 }

// Setup returns the setup of the harness.
func (r *Run) Setup() *Setup { return r.harness.setup }

// Plan returns the faults of the run.
func (r *Run) Plan() Plan { return r.plan }

// Probe runs an operation alone on a fork of the network after the run is over, and returns its answer. The answer
// means nothing if the run is cut. Later is how much time passes before the operation, in nanoseconds; all that is due
// by then happens first.
func (r *Run) Probe(position, limit int, later uint64) Answer {
	f := r.Fork().(*Run)
	defer f.Close()
	f.waits, f.over = 0, false
	if later > 0 {
		now := f.network.Activity().Clock
		f.advance(now+later, now)
		f.runFIFO(limit)
		f.over = false
	}
	in := r.harness.setup.Operations[position].Message
	in.ID, in.Expiry = probeID(position), f.network.Activity().Clock+replica.MaxIngressTTL
	answer := Answer{Operation: OperationName(position), Position: position, Open: true}
	if result := f.network.Apply(&in); result.Refusal != nil || result.Reject != nil {
		answer.Open, answer.Reject = false, result.Reject
		return answer
	}
	f.runFIFO(limit)
	return f.answer(position, answer.Operation, in.ID)
}

// runFIFO makes at most limit moves in FIFO order, until the run is over or cut.
func (r *Run) runFIFO(limit int) {
	for range limit {
		if len(r.Moves()) == 0 {
			return
		}
		if r.Take(0); r.Cut() {
			return
		}
	}
}
