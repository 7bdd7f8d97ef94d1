package intercanister

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/timers"
)

// FutureState is the state of a call as its caller sees it.
type FutureState uint8

const (
	Waiting FutureState = iota + 1 // registered, without an answer
	Settled                        // answered; the callback is queued
	Running                        // the callback runs
)

// Future is one outgoing call of a canister, from ic0.call_perform until its callback has run. Records are recycled: a
// *Future is valid until the next change of the call table.
type Future struct {
	Context       ContextID
	Deadline      uint64 // nanoseconds; 0 for a call with guaranteed response
	Expiry        timers.Handle
	Cycles        cycles.Amount // attached
	Method        string        // for lists of awaited calls
	execution     uint64        // prepaid for the callback; prices fit 64 bits, see Register
	transmission  uint64        // prepaid for the response
	environments  [3]uint64     // of reply, reject, cleanup
	functions     [3]uint32
	State         FutureState // with hasCleanup in the four bytes after functions
	hasCleanup    bool
	Owner, Callee principal.Principal
}

// Call is a call to be registered: what ic0.call_new and the calls after it built.
type Call struct {
	Context       ContextID
	Owner, Callee principal.Principal
	Method        string
	Reply, Reject Closure
	Cleanup       *Closure
	Cycles        cycles.Amount
	Execution     cycles.Amount // prepaid for the callback
	Transmission  cycles.Amount // prepaid for the response
	Deadline      uint64
}

func (f *Future) closure(i int) Closure { return Closure{f.functions[i], f.environments[i]} }

// OnReply returns the closure for a reply.
func (f *Future) OnReply() Closure { return f.closure(0) }

// OnReject returns the closure for a reject.
func (f *Future) OnReject() Closure { return f.closure(1) }

// OnCleanup returns the closure that runs if the callback traps; nil if there is none.
func (f *Future) OnCleanup() *Closure {
	if !f.hasCleanup {
		return nil
	}
	c := f.closure(2)
	return &c
}

// Execution returns the prepayment for running the callback.
func (f *Future) Execution() cycles.Amount { return cycles.Of(f.execution) }

// Transmission returns the prepayment for transmitting the response.
func (f *Future) Transmission() cycles.Amount { return cycles.Of(f.transmission) }

// fill sets the fields of a new future.
func (f *Future) fill(c *Call) {
	if c.Execution.Hi != 0 || c.Transmission.Hi != 0 {
		panic("intercanister: a prepayment of more than 2^64 cycles")
	}
	f.Context, f.Owner, f.Callee, f.Method = c.Context, c.Owner, c.Callee, c.Method
	f.Deadline, f.Cycles, f.State = c.Deadline, c.Cycles, Waiting
	f.execution, f.transmission = c.Execution.Lo, c.Transmission.Lo
	f.functions[0], f.environments[0] = c.Reply.Fn, c.Reply.Env
	f.functions[1], f.environments[1] = c.Reject.Fn, c.Reject.Env
	if c.Cleanup != nil {
		f.functions[2], f.environments[2], f.hasCleanup = c.Cleanup.Fn, c.Cleanup.Env, true
	}
}
