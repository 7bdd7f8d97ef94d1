package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// Outside is what only the world around a network can bring to an end.
type Outside struct {
	Outcalls  int // HTTP outcalls without an answer
	Compiling int // modules that are to be compiled beside the network
	Held      int // messages that are held
	Kept      int // those of them that stay until a user decides what happens to them
	Mocked    int // those among them that wait for the answer of a mock
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

// Called is the canister that a canister of a subnet has called, and what the call asks for, until the callback has
// run.
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
