package replicatest

import "github.com/canisterd/canisterd/replica"

// Exchangeable is a network in whose place another may go on where a round begins.
type Exchangeable struct {
	*replica.Network
	// Between gives the network that goes on where another round begins; nil: the same.
	Between func(*replica.Network) *replica.Network
}

// Round runs a round.
func (e *Exchangeable) Round() replica.RoundReport {
	e.Change()
	return e.Network.Round()
}

// Change lets another network go on in the place of the present one, if Between is set. Events go where they went.
func (e *Exchangeable) Change() {
	if e.Between != nil {
		sink := e.Listener()
		e.Network = e.Between(e.Network)
		e.Listen(sink)
	}
}

// Listen makes events of the network, and of those that go on in its place, go to a sink. A deferred call reaches the
// network of that time.
func (e *Exchangeable) Listen(sink replica.EventSink) { e.Network.Listen(sink) }
