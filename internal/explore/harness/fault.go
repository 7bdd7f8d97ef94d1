package harness

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// FaultKind is what happens to a message instead of its delivery.
type FaultKind uint8

// The faults. On mainnet each can happen to any message of its kind, whatever the canisters do.
const (
	NoFault FaultKind = iota
	// A request is rejected, and its callee does not see it: by the network (SYS_TRANSIENT), because the callee is gone
	// (DESTINATION_INVALID), because its code fails (CANISTER_ERROR), or by its code (CANISTER_REJECT).
	RejectTransient
	RejectDestination
	RejectError
	RejectCanister
	// The caller of a best-effort call gets SYS_UNKNOWN: the callee did not run, or it ran and its answer was lost.
	Unknown
	LostAnswer
	// A callback exceeds its instruction limit; its cleanup closure runs, or exceeds the limit too.
	TrapCallback
	TrapCleanup
	// The message cannot make calls: ic0.call_perform is not 0.
	NoCalls
	// The callee of a request does not answer before the end of the run.
	Silent
	// The global timer of the message's receiver fires after the message, even if it is not due.
	FireTimer
	// After the message, time passes until the next timer or the next deadline of a call: the round ends, the remaining
	// messages wait for the next one, and heartbeats run.
	PassTime
	// Before an answer arrives, the controller asks its canister to stop. The canister is started when no message is left.
	Stop
	// Before an answer arrives, the controller upgrades its canister to a module of Setup.Upgrades. If the canister traps
	// in the upgrade, nothing changes.
	Upgrade
	// The user sends the message of an operation a second time, with another request id: Operation.Retried.
	SendTwice
	// An HTTP outcall gets an answer of Setup.Outcalls other than the first.
	OtherAnswer
)

// Fault is a fault that a plan has for a message.
type Fault struct {
	At     string // name of the message
	Kind   FaultKind
	Answer int // OtherAnswer: position in Setup.Outcalls
}

// Words say what happens to the message.
func (f Fault) Words() string {
	if f.Kind == OtherAnswer {
		return fmt.Sprintf("has answer %d of the list", f.Answer+1)
	}
	return f.Kind.Words()
}

// Plan is the faults of a run, at most one for each message.
type Plan []Fault

func (p Plan) at(move string) Fault {
	for _, f := range p {
		if f.At == move {
			return f
		}
	}
	return Fault{}
}

// Under continues the run under another plan, which must have the same faults for the messages so far.
func (r *Run) Under(plan Plan) { r.plan = plan }

// FaultsAffecting returns the faults of a plan that change the move at a position of Moves. Runs that make the same moves
// under the same faults have the same state.
func (r *Run) FaultsAffecting(plan Plan, at int) (some Plan) {
	if len(plan) == 0 {
		return nil
	}
	move := r.moves[at].Name
	if f := plan.at(move); f.Kind != NoFault {
		some = append(some, f)
	}
	context := executedIn(move)
	for _, f := range plan {
		if f.Kind == Silent && f.At != move && callerOf(f.At) == context {
			some = append(some, f)
		}
	}
	return some
}

// rejections are the rejects in place of answers of callees.
var rejections = map[FaultKind]*intercanister.Reject{
	RejectTransient:   {Code: intercanister.SysTransient, Text: "the network could not deliver the call (injected fault)"},
	RejectDestination: {Code: intercanister.DestinationInvalid, Text: "the callee does not exist (injected fault)"},
	RejectError:       {Code: intercanister.CanisterError, Text: "the callee trapped (injected fault)"},
	RejectCanister:    {Code: intercanister.CanisterReject, Text: "the callee rejects the call (injected fault)"},
}

// Possible returns the faults that can happen to the message of a step, except Silent, which depends on the callee.
func (s *Setup) Possible(step *Step) (all []Fault) {
	add := func(kinds ...FaultKind) {
		for _, kind := range kinds {
			all = append(all, Fault{At: step.Move, Kind: kind})
		}
	}
	switch step.Kind {
	case replica.MoveIngress:
		if s.retried(step.Move) {
			add(SendTwice)
		}
	case replica.MoveRequest:
		add(RejectTransient, RejectDestination, RejectError, RejectCanister)
		if step.Bounded {
			add(Unknown, LostAnswer)
		}
	case replica.MoveResponse:
		add(TrapCallback, TrapCleanup, Stop)
		if _, next := s.Upgrades[step.Canister]; next {
			add(Upgrade)
		}
	}
	if len(step.Calls) > 0 {
		add(NoCalls)
	}
	if step.Timer {
		add(FireTimer)
	}
	if step.Due {
		add(PassTime)
	}
	if step.Outcall {
		for i := 1; i < len(s.Outcalls); i++ {
			all = append(all, Fault{step.Move, OtherAnswer, i})
		}
	}
	return all
}

// intercept answers a request in place of its callee if the fault says so, and reports whether it did.
func (r *Run) intercept(a *replica.Delivery, kind FaultKind) bool {
	if a.Move.Kind != replica.MoveRequest {
		return false
	}
	answer := replica.Settlement{Reject: rejections[kind], Unknown: kind == Unknown}
	if answer.Reject == nil && !answer.Unknown {
		return false
	}
	r.step.Over, r.step.Dropped = true, true
	if !r.settle(a, answer) {
		r.clearApplied()
		r.step.Over, r.step.Dropped = false, false
		return false
	}
	return true
}

// settle answers the call of a request in place of its callee, and reports whether the network accepted that.
func (r *Run) settle(a *replica.Delivery, answer replica.Settlement) bool {
	subnet, hosted := r.network.HostOf(a.Sender)
	return hosted && r.network.Apply(&replica.SettleCall{Subnet: subnet, Call: a.Call, Answer: answer}).Refusal == nil
}

// clearApplied records that the fault of the present step cannot happen to its message.
func (r *Run) clearApplied() {
	r.step.Fault = NoFault
	delete(r.applied, r.step.Move)
}

// deliver makes a delivery under a fault that lets the message reach its receiver.
func (r *Run) deliver(at int, fault Fault) {
	a := &r.ahead[at]
	if !r.applyBefore(a, fault.Kind) {
		r.clearApplied()
	}
	r.endRoundsUntil(a)
	faults := replica.StepFaults{NoCalls: fault.Kind == NoCalls}
	switch fault.Kind {
	case TrapCallback:
		faults.Callback = canister.CallbackExhausted
	case TrapCleanup:
		faults.Callback = canister.CleanupExhaustedToo
	case LostAnswer:
		r.addRule("", replica.Rule{
			Match:  replica.Match{Kind: replica.KindResponse, Caller: &a.Sender, Callee: &a.Receiver, Method: a.Method, Times: 1},
			Action: replica.Action{Kind: replica.ActUnknown},
		})
	}
	r.silence(a)
	r.network.StepWith(faults, r.only(a))
	if fault.Kind == LostAnswer {
		r.settle(a, replica.Settlement{Unknown: true}) // refused where the rule has done it
	}
	r.removeRules()
	if !r.applyAfter(a, fault) {
		r.clearApplied()
	}
}

// applyBefore applies the part of a fault that comes before its message, and reports whether that was possible.
func (r *Run) applyBefore(a *replica.Delivery, kind FaultKind) bool {
	switch kind {
	case Stop:
		return r.stop(a.Receiver)
	case Upgrade:
		return r.upgrade(a.Receiver)
	}
	return true
}

// applyAfter applies the part of a fault that comes after its message, and reports whether that was possible.
func (r *Run) applyAfter(a *replica.Delivery, fault Fault) bool {
	if r.step.Outcall {
		r.answerOutcalls(fault.Answer)
	}
	switch fault.Kind {
	case FireTimer:
		return r.network.Apply(replica.FireTimer{Canister: a.Receiver}).Refusal == nil
	case PassTime:
		return r.passTime()
	}
	return true
}

// ruleFor is a rule for the present step, with the message of its fault.
type ruleFor struct {
	id uint64
	at string
}

// silence adds rules that hold the requests of the present message whose callees must stay silent.
func (r *Run) silence(a *replica.Delivery) {
	for _, f := range r.plan {
		if f.Kind != Silent || callerOf(f.At) != r.step.Context {
			continue
		}
		call := CallOf(f.At)
		ordinal, err := strconv.Atoi(call[strings.LastIndexByte(call, '/')+1:])
		if made := r.madeBy(r.step.Context); made != nil {
			ordinal -= made.count
		}
		if skip := ordinal - 1; err == nil && skip >= 0 {
			r.addRule(f.At, replica.Rule{
				Match:  replica.Match{Kind: replica.KindRequest, Caller: &a.Receiver, Skip: uint64(skip), Times: 1},
				Action: replica.Action{Kind: replica.ActHold},
			})
		}
	}
}

// addRule adds a rule for the present step.
func (r *Run) addRule(at string, rule replica.Rule) {
	r.rules = append(r.rules, ruleFor{r.network.Apply(&replica.AddRule{Rule: rule}).Rule, at})
}

// removeRules removes the rules of the present step. The messages that they hold stay held.
func (r *Run) removeRules() {
	if len(r.rules) == 0 {
		return
	}
	for _, state := range r.network.Rules() {
		for _, mine := range r.rules {
			if mine.id == state.ID && mine.at != "" && state.Matched > 0 {
				r.markApplied(mine.at)
			}
		}
	}
	for _, mine := range r.rules {
		r.network.Apply(replica.RemoveRule{ID: mine.id})
	}
	r.rules = r.rules[:0]
}
