package replica

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// RequestID is the id of a request (interface specification, "Request ids").
type RequestID = state.RequestID

// Status is the status of an ingress message (interface specification, "The request life cycle").
type Status = state.Status

// The states of an ingress message. The zero Status means unknown.
const (
	Received   = state.Received
	Processing = state.Processing
	Replied    = state.Replied
	Rejected   = state.Rejected
	Done       = state.Done
)

// Input is something that happens to a network from outside: one of *Ingress, AdvanceTo, *HTTPAnswer, *ModulePrepared,
// AddCycles, SetCycles, SetStableMemory, SetFeatures, SetVersion, CertifyAt, QueryCounts, *ForgetAnswers, *ShedAnswers, *DropAnswers,
// MigrateCanister,// RenameCanister, *AddSubnet, DeleteSubnet, *AddRule, RemoveRule, ReleaseHeld, DropHeld, *SettleHeld, *SettleCall, FireTimer,
// CancelTimer.
type Input interface{ input() }

// Receipt is the outcome of an ingress message that was not refused: zero if it was accepted.
type Receipt struct {
	Reject *intercanister.Reject // non-replicated rejection; nothing happened
	Known  Status                // the status of a message that was known before
}

// SenderInfo is what a canister attests of a user. A nil one attests nothing; any other must have been verified.
type SenderInfo = intercanister.SenderInfo

// Ingress is a user's update call whose signature was checked.
type Ingress struct {
	ID        RequestID
	Sender    principal.Principal
	Receiver  principal.Principal // field canister_id: a canister, or the management canister
	Effective principal.Principal // canister id of the URL
	Subnet    principal.Principal // subnet id of the URL; Effective is ignored then
	BySubnet  bool                // the URL names a subnet
	Method    string
	Arg       []byte // kept by the network: read-only from now on
	Expiry    uint64 // ns
	Size      int    // bytes of the signed envelope
	Info      *SenderInfo
	AnyExpiry bool // accept an expiry however far in the future
	AnySize   bool // accept any size
	Inspected bool // canister_inspect_message was run before (Network.Inspect)
}

// AdvanceTo sets the time of the next round, in nanoseconds. The time never goes back.
type AdvanceTo uint64

// AddCycles gives a canister cycles from nowhere: a test control.
type AddCycles struct {
	Canister principal.Principal
	Amount   cycles.Amount
}

func (*Ingress) input()    {}
func (AdvanceTo) input()   {}
func (*HTTPAnswer) input() {}
func (AddCycles) input()   {}

// Result is the outcome of an input: zero if it was accepted. It has at most four fields: Go keeps such a struct in
// registers, and a larger one in memory, where each function on the way of a message copies it.
type Result struct {
	Refusal *refusal.Refusal      // it was malformed or not for this network; nothing happened
	Reject  *intercanister.Reject // non-replicated rejection of an ingress message; nothing happened
	Known   Status                // the status of a message that was known before
	Rule    uint64                // id of the rule that was made (AddRule)
}

// Accepted reports whether the input took effect: it was neither refused nor rejected, and is not of a message that was
// known before.
func (r *Result) Accepted() bool { return r.Refusal == nil && r.Reject == nil && r.Known == 0 }

func refuse(kind refusal.Kind, format string, args ...any) Result {
	return Result{Refusal: refusal.New(kind, format, args...)}
}

// Apply applies an input. Nothing is executed before the next Round or Step, except canister_inspect_message.
func (n *Network) Apply(in Input) Result {
	if n.journal != nil {
		return n.applyRecorded(in)
	}
	return n.apply(in)
}

func (n *Network) apply(in Input) Result {
	switch in := in.(type) {
	case *Ingress:
		return n.admit(in)
	case AdvanceTo:
		n.clock = max(n.clock, uint64(in))
		return Result{}
	case *HTTPAnswer:
		return n.answerOutcall(in)
	case *ModulePrepared:
		return n.modulePrepared(in)
	case AddCycles:
		return n.addCycles(in)
	case SetCycles:
		return n.setCycles(in)
	case SetStableMemory:
		return n.setStableMemory(in)
	case SetFeatures:
		return n.setFeatures(in)
	case SetVersion:
		return n.setVersion(in)
	case CertifyAt:
		return n.certifyAt(in)
	case MigrateCanister:
		return n.migrate(in)
	case RenameCanister:
		return n.rename(in)
	case *AddSubnet:
		return n.addSubnet(in)
	case DeleteSubnet:
		return n.deleteSubnet(in)
	case QueryCounts:
		return n.countQueries(in)
	case *ShedAnswers:
		return n.shedAnswers(in)
	case *DropAnswers:
		return n.dropAnswers(in)
	case *ForgetAnswers:
		return n.forgetAnswers(in)
	}
	return n.applyControl(in)
}

// applyControl applies the test controls of messages in flight and of timers.
func (n *Network) applyControl(in Input) Result {
	switch in := in.(type) {
	case *AddRule:
		return n.addRule(in)
	case RemoveRule:
		return n.removeRule(in)
	case ReleaseHeld:
		return n.releaseHeld(in)
	case DropHeld:
		return n.dropHeld(in)
	case *SettleHeld:
		return n.settleHeld(in)
	case *SettleCall:
		return n.settleCall(in)
	case FireTimer:
		return n.fireTimer(in)
	case CancelTimer:
		return n.cancelTimer(in)
	}
	panic(fmt.Sprintf("replica: an input of type %T", in))
}

func (n *Network) addCycles(in AddCycles) Result {
	m, r := n.find(in.Canister)
	if r == nil {
		return refuse(refusal.Invalid, "canister %s does not exist: cycles can be added only to an existing canister", in.Canister)
	}
	r.Give(in.Amount)
	m.Totals.Mint(in.Amount)
	m.TreeChanged = true
	n.generation++
	return Result{}
}
