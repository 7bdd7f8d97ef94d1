package harness

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/replica"
)

// Run is one run of the operations of a harness under a plan of faults. It is a search.Tree.
type Run struct {
	harness *Harness
	network *replica.Network
	plan    Plan
	ahead   []replica.Delivery
	moves   []search.Move
	steps   []*Step // finished steps do not change: forks and outcomes share them
	step    *Step   // the present step, which is the last; nil between steps
	calls   []callState
	made    []madeCalls    // by context
	tasks   map[string]int // how often system tasks ran, by the prefix of their names; nil for none
	parked  map[principal.Principal]parked
	applied map[string]bool // faults that happened, by the names of their messages; nil for none
	rules   []ruleFor       // of the present step
	wanted  replica.Move    // the move that Choose looks for

	instructions uint64 // of all messages

	waits    int                   // how often the run may still wait for a timer
	rested   bool                  // the run has waited before the present moves
	over     bool                  // the run has ended; without this flag, a later round might find another timer due
	waited   uint64                // ns that have passed since the latest step
	kept     []*Answer             // answers from before time passed, by participant; nil for none
	stopped  []principal.Principal // canisters to start again at rest
	commands int                   // number of commands by controllers, for their ids
	payloads map[string][]byte     // arguments and replies, by the names of messages; nil: they are not kept
}

// WithNames returns a text with references in place of the principals that have names.
func (r *Run) WithNames(text string) string { return r.harness.setup.WithNames(text) }

// parked is a message in the middle of its code.
type parked struct {
	move   string
	last   string // name of the last slice that ran
	slices int
}

var _ search.Tree = (*Run)(nil)

// Begin returns a run before its first move. The caller closes it.
func (l *Harness) Begin(plan Plan) *Run {
	r := &Run{harness: l, plan: plan, waits: l.setup.Waits}
	r.network = l.base.Fork(replica.ForkConfig{Parts: replica.Parts{Runner: l.runner, Events: r}})
	l.blocks.watch(r.network)
	r.sendTwice()
	return r
}

// Fork returns a second run at the same point.
func (r *Run) Fork() search.Tree {
	f := *r
	f.steps, f.ahead, f.moves, f.rules = slices.Clip(r.steps), nil, nil, nil
	f.calls, f.made, f.tasks = slices.Clone(r.calls), slices.Clone(r.made), maps.Clone(r.tasks)
	f.parked, f.applied, f.stopped = maps.Clone(r.parked), maps.Clone(r.applied), slices.Clone(r.stopped)
	f.kept, f.payloads = slices.Clone(r.kept), maps.Clone(r.payloads)
	f.network = r.network.Fork(replica.ForkConfig{Parts: replica.Parts{Runner: r.harness.runner, Events: &f}})
	r.harness.blocks.watch(f.network)
	return &f
}

// Close frees the run.
func (r *Run) Close() { r.network.Close() }

// Moves returns the legal next deliveries. It ends rounds that have nothing left to deliver. It returns none when the
// run is over: at rest, with no timer left to wait for.
func (r *Run) Moves() []search.Move {
	if len(r.moves) > 0 {
		return r.moves
	}
	if r.over {
		return nil
	}
	for {
		if r.ahead = r.network.AppendNextDeliveries(r.ahead[:0]); len(r.ahead) > 0 {
			break
		}
		if !r.network.Step(replica.FIFO{}) && !r.startStopped() && !r.wait() {
			r.over = true
			return nil
		}
	}
	for i := range r.ahead {
		r.moves = append(r.moves, r.move(&r.ahead[i]))
	}
	return r.moves
}

// Take makes a delivery under the fault that the plan has for it.
func (r *Run) Take(at int) {
	a, move := &r.ahead[at], r.moves[at]
	r.step = &Step{
		Move: move.Name, Context: executedIn(move.Name), Kind: a.Move.Kind, Canister: a.Receiver, Peer: a.Sender, Subnet: a.Subnet, Method: a.Method,
		Began: a.Move.Kind != replica.MoveResume, Waited: r.waited,
	}
	r.steps = append(r.steps, r.step)
	r.rested, r.waited = false, 0
	switch a.Move.Kind {
	case replica.MoveRequest:
		r.step.Bounded = r.callOf(callKey{a.Sender, a.Call}).bounded
	case replica.MoveResponse:
		r.recordAnswer(callKey{a.Receiver, a.Call})
	}
	fault := r.plan.at(move.Name)
	if fault.Kind != NoFault {
		r.markApplied(move.Name)
		r.step.Fault = fault.Kind
	}
	r.harness.blocks.take(a.Receiver) // of queries
	if !r.intercept(a, fault.Kind) {
		r.deliver(at, fault)
	}
	r.step.Blocks = r.harness.blocks.take(a.Receiver)
	if c := r.network.Canister(a.Receiver); c != nil {
		r.step.Timer = c.Timer != 0
	}
	r.step.Due = r.Due()
	r.updateNames(a)
	r.step, r.moves = nil, r.moves[:0]
}

// recordAnswer sets the peer and the rejection of the present step, an answer, and removes the call.
func (r *Run) recordAnswer(key callKey) {
	c := r.callOf(key)
	r.step.Peer, r.step.Rejected, r.step.Bounded = c.callee, c.rejection, c.bounded
	r.calls = slices.DeleteFunc(r.calls, func(c callState) bool { return c.key == key })
}

// markApplied records that the fault of a message happens.
func (r *Run) markApplied(move string) {
	if r.applied == nil {
		r.applied = make(map[string]bool)
	}
	r.applied[move] = true
}

// updateNames counts the tasks and slices that ran, which the names of later messages need.
func (r *Run) updateNames(a *replica.Delivery) {
	name := r.step.Move
	if a.Move.Kind == replica.MoveTask {
		if r.tasks == nil {
			r.tasks = make(map[string]int)
		}
		r.tasks[strings.TrimRight(name, "0123456789")]++
	}
	p, was := r.parked[a.Receiver]
	if r.step.Over || a.Receiver == principal.Management {
		if was {
			delete(r.parked, a.Receiver)
		}
		return
	}
	if r.parked == nil {
		r.parked = make(map[principal.Principal]parked)
	}
	if !was {
		p = parked{move: name}
	}
	r.parked[a.Receiver] = parked{p.move, name, p.slices + 1}
}

// KeepPayloads makes the run keep the arguments and the replies of its calls from now on.
func (r *Run) KeepPayloads() { r.payloads = make(map[string][]byte) }

// Payload returns the argument of a request, or the reply in a response, if the run keeps payloads; nil if there is none.
func (r *Run) Payload(move string) []byte { return r.payloads[move] }

// keepPayload keeps the payload of a message if the run keeps payloads.
func (r *Run) keepPayload(move string, payload []byte) {
	if r.payloads != nil {
		r.payloads[move] = bytes.Clone(payload)
	}
}

// Steps returns the deliveries so far. They are read-only.
func (r *Run) Steps() []*Step { return r.steps }

// Instructions returns the number of instructions of all messages so far.
func (r *Run) Instructions() uint64 { return r.instructions }

// Unapplied returns the faults of the plan that did not happen.
func (r *Run) Unapplied() (left []Fault) {
	for _, f := range r.plan {
		if !r.applied[f.At] {
			left = append(left, f)
		}
	}
	return left
}
