package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/timers"
)

// NextTimer is when the next global timer of a canister is due.
func (n *Network) NextTimer() (at uint64, ok bool) {
	return n.nextOf(func(k timers.Kind) bool { return k == timers.GlobalTimer })
}

// NextEvent is the earliest time at which something happens by itself that a canister
// or a user can be waiting for: not that resources are paid for, or answers forgotten.
func (n *Network) NextEvent() (at uint64, ok bool) {
	return n.nextOf(func(k timers.Kind) bool { return k != timers.Charge && k != timers.IngressPrune })
}

func (n *Network) nextOf(kind func(timers.Kind) bool) (at uint64, ok bool) {
	for _, m := range n.subnets {
		if due, some := m.Deadlines.First(kind); some && (!ok || due < at) {
			at, ok = due, true
		}
	}
	return at, ok
}

// Outside is what only the world around a network can bring to an end.
type Outside struct {
	Outcalls  int // HTTP outcalls that nobody answered
	Compiling int // modules that are to be compiled beside the network
	Held      int // messages that are held
	Kept      int // those of them that stay until somebody says what becomes of them
	Mocked    int // those of them that wait for the answer of a mock
}

// Outside is what the network waits for that neither rounds nor time bring.
func (n *Network) Outside() (all Outside) {
	for _, m := range n.subnets {
		all.Outcalls += len(m.Outcalls)
		all.Compiling += len(m.Preparing)
		all.Held += m.Kept.Len()
		for _, h := range m.Kept.All() {
			switch {
			case h.Mock:
				all.Mocked++
			case h.Rule != 0 && h.Release == 0 && h.Behind == 0:
				all.Kept++
			}
		}
	}
	return all
}

// Called is whom a call of a canister of a subnet asks for what, as long as its callback
// has not run.
func (n *Network) Called(subnet principal.Principal, call intercanister.CallID) (callee principal.Principal, method string, ok bool) {
	position, ok := n.routes.byID[subnet]
	if !ok {
		return callee, "", false
	}
	f := n.subnets[position].Calls.Future(call)
	if f == nil {
		return callee, "", false
	}
	return f.Callee, f.Method, true
}
