package harness

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// NextModule is what a canister may be upgraded to.
type NextModule struct {
	Module []byte // as uploaded
	Arg    []byte // of canister_post_upgrade; nil: no arguments
}

// noArguments is the Candid encoding of no values.
var noArguments = []byte("DIDL\x00\x00")

// upgrade lets the controller of a canister upgrade it. The canister may refuse that by a trap.
func (r *Run) upgrade(id principal.Principal) bool {
	next, given := r.harness.setup.Upgrades[id]
	if !given {
		return false
	}
	options := &management.UpgradeOptions{}
	in := management.Install{Canister: id, Module: next.Module, Arg: next.Arg}
	if in.Arg == nil {
		in.Arg = noArguments
	}
	in.Mode.Upgrade = &options
	return r.command(id, "install_code", in)
}

// stop lets the controller of a canister stop it: it is started again when no message is left.
func (r *Run) stop(id principal.Principal) bool {
	if !r.command(id, "stop_canister", management.Canister{ID: id}) {
		return false
	}
	r.stopped = append(r.stopped, id)
	return true
}

// startStopped starts the canisters that were stopped, and reports whether there were any.
func (r *Run) startStopped() bool {
	started := false
	for _, id := range r.stopped {
		started = r.command(id, "start_canister", management.Canister{ID: id}) || started
	}
	r.stopped = nil
	return started
}

// command executes a call of the management canister at once, by a controller of a canister. It returns false if the
// canister has no controller, or if the network does not accept the call.
func (r *Run) command(id principal.Principal, method string, argument any) bool {
	c := r.network.Canister(id)
	if c == nil || len(c.Settings.Controllers) == 0 {
		return false
	}
	arg, err := candid.Marshal(argument)
	if err != nil {
		panic(fmt.Sprintf("harness: the argument of %s cannot be written: %v", method, err))
	}
	r.commands++
	in := replica.Ingress{
		ID:     sha256.Sum256(fmt.Appendf(nil, "canisterd explore command %d", r.commands)),
		Sender: c.Settings.Controllers[0], Receiver: principal.Management, Effective: id, Method: method, Arg: arg,
		Expiry: r.network.Activity().Clock + replica.MaxIngressTTL, Size: len(arg) + replica.EnvelopeBytes, AnySize: true,
	}
	if result := r.network.Apply(&in); result.Refusal != nil || result.Reject != nil {
		return false
	}
	step := r.step
	r.step = nil // what happens belongs to no message of the run
	defer func() { r.step = step }()
	for _, a := range r.network.NextDeliveries() {
		if a.Move.Kind == replica.MoveIngress && a.Request == in.ID {
			r.network.Step(r.only(&a))
			return true
		}
	}
	return false
}

// endRoundsUntil ends rounds until a delivery is legal: a command may have used up the round's budget for messages.
func (r *Run) endRoundsUntil(a *replica.Delivery) {
	if r.step.Fault != Stop && r.step.Fault != Upgrade {
		return
	}
	for !slices.ContainsFunc(r.network.NextDeliveries(), func(other replica.Delivery) bool { return other.Move == a.Move }) {
		r.network.EndRound()
	}
}

// only chooses one delivery at any position: other inputs may have come before it.
func (r *Run) only(a *replica.Delivery) replica.Oracle {
	r.wanted = a.Move
	return r
}

// Choose returns the position of the delivery that was chosen last.
func (r *Run) Choose(moves []replica.Move) int {
	if i := slices.Index(moves, r.wanted); i >= 0 {
		return i
	}
	panic("harness: a message is gone before its delivery")
}

// answerOutcalls answers the HTTP outcalls that the network waits for with one of the answers.
func (r *Run) answerOutcalls(position int) {
	answers := r.harness.setup.Outcalls
	if len(answers) == 0 {
		return
	}
	for _, pending := range r.network.Outcalls() {
		r.network.Apply(&replica.HTTPAnswer{Subnet: pending.Subnet, Number: pending.Number, Answers: answers[position : position+1]})
	}
}
