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
	line   int
	depth  int
}

// Choices appends the legal next messages to dst, the one Pop would take first.
// Only responses are legal where onlyResponses is set.
func (m *Mailbox) Choices(dst []Choice, onlyResponses bool) []Choice {
	for i := range m.lines.Len() {
		l := m.lines.At(i)
		if onlyResponses && l.source != SourceResponses {
			continue
		}
		c := Choice{Source: l.source, Sender: l.sender, line: i}
		switch l.source {
		case SourceTasks:
			c.Task = *m.tasks.At(0)
			dst = append(dst, c)
		case SourceResponses:
			for c.depth = range m.responses.Len() {
				c.Call = m.responses.At(c.depth).call
				dst = append(dst, c)
			}
		case SourceIngress:
			for c.depth = range m.ingress.Len() {
				c.Number = *m.ingress.At(c.depth)
				dst = append(dst, c)
			}
		case SourceRequests:
			dst = append(dst, c)
		}
	}
	return dst
}

// PopChoice takes the message of a choice that was made since the mailbox last
// changed.
func (m *Mailbox) PopChoice(c Choice, in *Input) { m.takeFrom(c.line, c.depth, in) }
