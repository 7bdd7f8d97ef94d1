package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// Meter receives how many instructions calls take. It changes nothing that a network does, and is not part of its state.
type Meter interface {
	// Metered receives a message that was executed, on the goroutine of the network.
	Metered(m MeteredMessage)
}

// MeteredMessage is a message of a call.
type MeteredMessage struct {
	Canister principal.Principal
	Method   string // of the call; of a task, its function
	First    bool   // it began the call
	// Before is what the other messages of the call have taken so far, Total what they have taken with this one:
	// instructions that the canister is charged for.
	Before, Total uint64
}

// Meter sends the messages that end from now on to a meter; nil stops them.
func (n *Network) Meter(m Meter) { n.meter = m }

// measure tells the meter of a message, which its call context counts already.
func (s *subnet) measure(j *Job, context *intercanister.Context) {
	if s.net.meter == nil {
		return
	}
	m := MeteredMessage{
		Canister: context.Canister, Method: context.Method, First: !j.Callback,
		Before: context.Instructions - j.outcome.Instructions, Total: context.Instructions,
	}
	if task := context.Origin.Task; task != intercanister.NoTask {
		m.Method = task.String()
	}
	s.net.meter.Metered(m)
}
