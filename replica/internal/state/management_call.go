package state

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/certify"
)

// Management is the management canister as a subnet sees it, implemented by package management. All methods are called
// on the goroutine of the network, except Query, which must only read and may be called from any.
type Management interface {
	// Effective returns the canister that an ingress message to the method is about: argument canister_id or
	// target_canister (interface specification, "Effective canister id"). anywhere is true for the methods that create
	// canisters. A reject says why there is none.
	Effective(method string, arg []byte) (id principal.Principal, anywhere bool, reject *intercanister.Reject)

	// Payment returns when the canister that an ingress message to the method is about pays for the message.
	Payment(method string, arg []byte) Payment

	// Redirect returns the canister or subnet to which a canister's call of the method is routed instead of the
	// caller's subnet, with name and argument unchanged: the Bitcoin canisters, or the subnet that the call asks about.
	// It is empty for calls that are routed by Effective, or stay.
	Redirect(method string, arg []byte) principal.Principal

	// Sent checks a call of a canister when it is made. version is the sender's, as its message saw it; hosted reports
	// whether a canister id belongs to any subnet, nil if the sender named the subnet itself. A reject answers the call
	// in place of its execution.
	Sent(method string, arg []byte, version uint64, hosted func(principal.Principal) bool) *intercanister.Reject

	// Admit returns a reject unless an ingress message is accepted: users may call the method, and the sender is one of
	// them. Nothing changes.
	Admit(c *ManagementCall) *intercanister.Reject

	// Run executes one call. It answers now, later (Deferred) or asks to be called again when Command.Target is idle
	// (Busy).
	Run(c *ManagementCall) Answer

	// Postponed returns the function that answers the calls of a method that were postponed to the next round
	// (AnswerNextRound), nil for a method that postpones nothing.
	Postponed(method string) func(*State) Answer

	// Installed answers the caller of an installation that has ended (InstallCode): spent are the instructions that
	// were spent before it began.
	Installed(c *ManagementCall, target *Entry, spent uint64, out canister.Outcome) Answer

	// Query executes one of the methods that users and composite queries may query, on a state that does not change
	// meanwhile.
	Query(c *ManagementCall) Answer
}

// Payment says when a user's message is paid for.
type Payment uint8

const (
	PaysBefore  Payment = iota // it is executed
	PaysAfter                  // it was executed, so that a frozen canister can be thawed
	PaysNothing                // it brings cycles into the network, or no canister could pay
)

// ManagementCall is one call of the management canister as a handler sees it: the caller, the method and its arguments,
// and the means to carry it out.
type ManagementCall struct {
	Host   Host
	State  *State // of the subnet that executes the call
	Method string
	Arg    []byte
	Caller principal.Principal
	// Sender is the calling canister if it is on this subnet.
	Sender *Entry
	// Origin says whether a user or a canister calls, and how the answer returns.
	Origin intercanister.Origin
	// Target is the effective canister of an ingress message, nil otherwise or if there is none.
	Target *Entry
	// Attached are the cycles of the call that are not accepted yet. The rest is refunded with the answer.
	Attached cycles.Amount
}

// FromUser reports whether the call is an ingress message.
func (c *ManagementCall) FromUser() bool { return c.Origin.Kind == intercanister.FromIngress }

// Accept takes up to n of the attached cycles.
func (c *ManagementCall) Accept(n cycles.Amount) cycles.Amount {
	n = n.Min(c.Attached)
	c.Attached = c.Attached.Sub(n)
	return n
}

// Ticket returns the right to answer the call later.
func (c *ManagementCall) Ticket() Ticket { return Ticket{Origin: c.Origin, Refund: c.Attached} }

// Ticket is a call of the management canister that is not answered yet.
type Ticket struct {
	Origin intercanister.Origin
	Refund cycles.Amount
}

// Answer is the result of a handler: a reply, a reject, or neither yet; and what the subnet does before it answers.
type Answer struct {
	Reply  []byte
	Reject *intercanister.Reject
	When   When
	Effect Effect
	// Target is the canister of the effect, or, for Busy, the one that must be idle first.
	Target *Entry
	// Install is what InstallCode installs, and Spent are the instructions that were spent before.
	Install *canister.Install
	Spent   uint64
	// Outcall is what SendOutcall sends, and Withheld the cycles that its nodes may spend.
	Outcall  *Outcall
	Withheld cycles.Amount
	// Instructions are the instructions that count in the round, or, if a composite query made the call, in the query's
	// limit.
	Instructions uint64
}

// When says when the answer to a command comes.
type When uint8

const (
	Now       When = iota
	Deferred       // the effect answers, or the holder of the ticket, exactly once
	Busy           // run the command again when Answer.Target is idle
	Compiling      // run the command again when the module it installs is ready
)

// Effect is what the subnet does for a handler in addition to the changes of the state that the handler made.
type Effect uint8

const (
	NoEffect Effect = iota
	// StartCanister makes the target running and rejects the waiting callers of stop_canister (IC0511).
	StartCanister
	// StopCanister begins to stop the target. The call is answered when it has stopped, restarted (IC0511) or after
	// StopTimeout (IC0206).
	StopCanister
	// InstallCode runs an installation as a message of the target, which must be idle; it may take many rounds. The
	// execution is prepaid from the balance and refunded; if that is impossible, the Failure of its Outcome is IC0207.
	// Management.Installed makes the answer.
	InstallCode
	// UninstallCode removes code and memories of the target, which must be idle: its open contexts are rejected (IC0406)
	// and deleted.
	UninstallCode
	// RefreshEntryPoints handles a change of the target's code other than by installation: heartbeat, timer, hook.
	RefreshEntryPoints
	// DeleteCanister removes the stopped target with everything that it owns. Its id is not reused.
	DeleteCanister
	// SendOutcall passes an HTTP outcall to the outside. Its answers, which come as input, or its timeout settle the call.
	SendOutcall
	// AnswerNextRound settles the call at the beginning of the next round, before any message, with the answer of
	// Management.Postponed for the state then.
	AnswerNextRound
)

// Reply returns an answer with a reply.
func Reply(arg []byte) Answer { return Answer{Reply: arg} }

// Fail returns an answer with a reject.
func Fail(r *intercanister.Reject) Answer { return Answer{Reject: r} }

// Later returns the answer of a handler that has passed on its ticket.
func Later() Answer { return Answer{When: Deferred} }

// After returns the answer with an effect on a canister, which the subnet applies first.
func (a Answer) After(effect Effect, target *Entry) Answer {
	a.Effect, a.Target = effect, target
	return a
}

// WhenIdle returns the answer of a handler that needs a canister whose message has not ended (Entry.Running): the
// handler is called again then. Handlers that only read, or change settings, need not wait.
func WhenIdle(r *Entry) Answer { return Answer{When: Busy, Target: r} }

// WhenCompiled returns the answer of a handler whose module is being compiled (Host.Compiling): the handler is called
// again then.
func WhenCompiled() Answer { return Answer{When: Compiling} }

// WhenInstalled returns the answer of a handler that installs something into a canister. Only one installation of the
// subnet can be parked: the handler is called again when that has ended.
func (s *State) WhenInstalled(target *Entry, in *canister.Install, spent uint64) Answer {
	if target.Running {
		return WhenIdle(target)
	}
	for _, x := range s.Parked {
		if x.Install != nil {
			return WhenIdle(x.Entry)
		}
	}
	return Answer{When: Deferred, Effect: InstallCode, Target: target, Install: in, Spent: spent}
}

// Host is what a handler can ask of the subnet, beyond its State.
type Host interface {
	// Metrics returns the certified metrics of the subnet at the end of the previous round, and all instructions of its
	// rounds until then.
	Metrics() (metrics certify.SubnetMetrics, instructions uint64)

	// Create makes an empty canister, with a new id if id is nil, and gives it cycles. It rejects if the subnet is full
	// (IC0102), the id is taken (IC0205) or not of this subnet (IC0405).
	Create(id *principal.Principal, settings canister.Settings, balance cycles.Amount) (*Entry, *intercanister.Reject)

	// Preceded reports whether another command that installs something into a canister waits for its module: the
	// handler then answers WhenCompiled before it reads the canister, so that the two keep their order.
	Preceded(target *Entry) bool

	// Compiling reports whether the module that a command brings to a canister must be compiled first, in parallel with
	// everything else: the handler then answers WhenCompiled. It must not have changed anything.
	Compiling(c *ManagementCall, target *Entry, uploaded []byte) bool

	// Prepare makes an uploaded module ready for installation, or rejects it.
	Prepare(uploaded []byte, features canister.Features) (*canister.Module, *intercanister.Reject)

	// Engine returns the engine that runs canisters.
	Engine() *canister.Engine

	// SubnetOf returns the subnet that hosts a canister id, Root the root subnet.
	SubnetOf(id principal.Principal) (subnet principal.Principal, ok bool)
	Root() principal.Principal

	// Version returns the replica version of the subnet's nodes.
	Version() string
}
