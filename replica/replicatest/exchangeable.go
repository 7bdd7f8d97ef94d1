package replicatest

import "github.com/canisterd/canisterd/replica"

// Exchangeable is a network that another may replace at the beginning of a round.
type Exchangeable struct {
	*replica.Network
	// Between returns the network that continues at the beginning of another round; nil: the same.
	Between func(*replica.Network) *replica.Network
}

// Round runs a round.
func (e *Exchangeable) Round() replica.RoundReport {
	e.Change()
	return e.Network.Round()
}

// Change replaces the present network, if Between is set. Events go to the same sink.
func (e *Exchangeable) Change() {
	if e.Between != nil {
		sink := e.Listener()
		e.Network = e.Between(e.Network)
		e.Listen(sink)
	}
}

// Listen sends events of the network, and of its replacements, to a sink. A deferred call uses the network at that
// time.
func (e *Exchangeable) Listen(sink replica.EventSink) { e.Network.Listen(sink) }
