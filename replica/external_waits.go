package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// ExternalWaits counts what only the world outside a network can end.
type ExternalWaits struct {
	Outcalls    int // HTTP outcalls without an answer
	Compiling   int // modules to be compiled in the background
	Held        int // messages that are held
	HeldForUser int // held messages that stay until a user decides what happens to them
	Mocked      int // held messages that wait for the answer of a mock
}

// ExternalWaits returns what the network waits for that neither rounds nor time bring.
func (n *Network) ExternalWaits() (all ExternalWaits) {
	for _, m := range n.subnets {
		all.Outcalls += len(m.Outcalls)
		all.Compiling += len(m.Preparing)
		all.Held += m.Held.Len()
		for _, h := range m.Held.All() {
			switch {
			case h.Mock:
				all.Mocked++
			case h.Rule != 0 && h.Release == 0 && h.Behind == 0:
				all.HeldForUser++
			}
		}
	}
	return all
}

// Called returns the callee and the method of a call of a canister on a subnet, until the callback has run.
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
