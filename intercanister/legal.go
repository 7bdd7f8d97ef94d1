package intercanister

import "github.com/canisterd/canisterd/candid/principal"

// Choice is one message of a mailbox that may be delivered next. Requests of
// one sender come in the order they were sent; responses, ingress messages and
// different senders have no order (interface specification, "Ordering
// guarantees").
type Choice struct {
	Source Source
	Task   Task
	Call   CallID              // SourceResponses
	Number uint64              // SourceIngress
	Sender principal.Principal // SourceRequests
	at     int                 // among all waiting messages
	depth  int                 // within its source
}

// Choices appends the legal next messages to dst, first the one that Pop would take.
func (m *Mailbox) Choices(dst []Choice) []Choice {
	var depth [SourceRequests + 1]int
	first := len(dst)
	for i := range m.arrivals.Len() {
		a := m.arrivals.At(i)
		c := Choice{Source: a.source, Sender: a.sender, at: i, depth: depth[a.source]}
		depth[a.source]++
		switch a.source {
		case SourceTasks:
			if c.depth > 0 {
				continue
			}
			c.Task = *m.tasks.At(0)
		case SourceResponses:
			c.Call = m.responses.At(c.depth).call
		case SourceIngress:
			c.Number = *m.ingress.At(c.depth)
		case SourceRequests:
			if c.depth = 0; offered(dst[first:], a.sender) {
				continue
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// offered reports whether an earlier request of the sender is among the choices.
func offered(choices []Choice, sender principal.Principal) bool {
	for i := range choices {
		if choices[i].Source == SourceRequests && choices[i].Sender == sender {
			return true
		}
	}
	return false
}

// PopChoice takes the message of a choice that was made since the last change of the mailbox.
func (m *Mailbox) PopChoice(c Choice, in *Input) { m.popAt(c.at, c.depth, in) }
