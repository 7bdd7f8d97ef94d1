package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// Delivery is a legal next delivery, for callers that choose their own order: the move that an oracle sees, and its
// message.
type Delivery struct {
	Move     Move
	Subnet   principal.Principal
	Receiver principal.Principal  // the canister that the message is for
	Sender   principal.Principal  // a request's
	Method   string               // of the message, or of the call that it answers; empty for a task
	Call     intercanister.CallID // a request's, in the call table of the sender's subnet, or a response's
	Request  RequestID            // a user's message
}

// NextDeliveries returns the legal next deliveries, one for each of Moves and in the same order. It opens a round if
// none is open; the next Step or Round continues it.
func (n *Network) NextDeliveries() []Delivery { return n.AppendNextDeliveries(nil) }

// AppendNextDeliveries appends the deliveries of NextDeliveries.
func (n *Network) AppendNextDeliveries(all []Delivery) []Delivery {
	opened := n.begin()
	moves, shown := n.moves()
	if n.journal != nil {
		n.recordMove(opened, record{kind: movesListed})
	}
	for i := range moves {
		a := moves[i].delivery()
		a.Move = shown[i]
		all = append(all, a)
	}
	return all
}

func (v *move) delivery() Delivery {
	m := v.subnet
	a := Delivery{Subnet: m.ID, Receiver: v.box.Owner}
	if v.resume {
		for _, j := range m.paused {
			if &j.Entry.Mailbox == v.box {
				a.Method = describe(&m.State, j).Method
			}
		}
		return a
	}
	switch v.choice.Source {
	case intercanister.SourceResponses:
		a.Method, a.Call = m.Calls.Future(v.choice.Call).Method, v.choice.Call
	case intercanister.SourceIngress:
		in := m.History.At(v.choice.Number)
		a.Method, a.Request = in.Method, in.ID
	case intercanister.SourceRequests:
		q := v.box.First(v.choice.Sender)
		a.Sender, a.Method, a.Call = q.Sender, q.Method, q.Call
	}
	return a
}
