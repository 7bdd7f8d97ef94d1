package state

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/timers"
)

// Entry is one canister of a subnet: the canister, the messages and callers that wait for it, and the subnet's data
// about it.
type Entry struct {
	Canister *canister.Canister
	Mailbox  intercanister.Mailbox

	// Stops are the callers of stop_canister that wait for an answer.
	Stops []Stop
	// Waiting are commands of the management canister that need this canister idle. They are queued again when its
	// message has ended.
	Waiting []Input
	// DeferredCredit is cycles that came while a message ran; they are added to the balance when it has ended, because
	// until then its executor owns the balance.
	DeferredCredit cycles.Amount
	// Debit is the cost of ingress messages that were accepted while a message ran; it is taken from the balance when
	// the message has ended, as far as the balance allows.
	Debit cycles.Amount
	// Messages is the memory of the canister's messages; Canister.MessageBytes is the sum.
	Messages MessageMemory
	// Isolated is the part of it, modulo 2^64, that the running message must not see.
	Isolated uint64
	before   struct{ batch, bytes uint64 } // the memory of messages before its first change in a batch
	// Counted is the canister's part of the memory of the subnet, in bytes.
	Counted uint64
	// Outgoing is how many messages of the canister wait to be sent to other subnets.
	Outgoing int
	// Charged is the time until which the canister has paid for its resources.
	Charged uint64

	timer    timers.Handle
	timerAt  uint64
	debits   Debits
	Staged   Staged
	Freezing Freezing

	// Running is set while a message or an installation runs, paused or not.
	Running   bool
	touched   bool
	Gone      bool // deleted; kept only by earlier references
	Hook      Hook
	Heartbeat bool // exports canister_heartbeat
}

// Input is a message that waits for the management canister.
type Input = intercanister.Input

// Stop is a waiting caller of stop_canister.
type Stop struct {
	Ticket  Ticket
	Number  uint64
	Timeout timers.Handle
}

// Hook is the state of the low-memory hook (interface specification, "On low
// wasm memory").
type Hook = canister.Hook

const (
	NotSatisfied = canister.HookNotSatisfied
	Ready        = canister.HookReady
	Executed     = canister.HookExecuted
)

// Staged is the canister's part of the certified tree. It holds the changes since.
type Staged struct {
	Certified []byte
	Recorded  uint64 // the number of the last change that its subnet has recorded of it
}

// Freezing is the freezing limit with the values from which it was computed.
type Freezing struct {
	Holdings  cycles.Holdings
	Threshold uint64
	Reserved  cycles.Amount
	Limit     cycles.Amount
	Known     bool
}

// ID returns the canister's id.
func (r *Entry) ID() principal.Principal { return r.Canister.ID }

// Give adds cycles to the canister's balance, at once or when its running message has ended.
func (r *Entry) Give(amount cycles.Amount) {
	if r.Running {
		r.DeferredCredit = r.DeferredCredit.Add(amount)
		return
	}
	r.Canister.Balance = r.Canister.Balance.Add(amount)
}

// ApplyDeferred adds the deferred credit to the balance and takes the debit from it, when the running message has
// ended.
func (r *Entry) ApplyDeferred() {
	c := r.Canister
	c.Balance = c.Balance.Add(r.DeferredCredit)
	due := r.Debit.Min(c.Balance)
	c.Balance = c.Balance.Sub(due)
	c.Consumed.Ingress = c.Consumed.Ingress.Add(due)
	r.DeferredCredit, r.Debit = cycles.Amount{}, cycles.Amount{}
}

// ReadyToMigrate reports whether the canister is stopped and nothing waits for it: it may
// move to another subnet (ready_for_migration).
func (r *Entry) ReadyToMigrate() bool {
	return r.Canister.Status == canister.Stopped && !r.Running && len(r.Waiting) == 0 && r.Mailbox.Len() == 0 && r.Outgoing == 0
}

// Controls reports whether p is a controller.
func (r *Entry) Controls(p principal.Principal) bool {
	return slices.Contains(r.Canister.Settings.Controllers, p)
}

func byID(r *Entry, id principal.Principal) int { return r.ID().Compare(id) }
