package replicatest

import (
	"fmt"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/introspect"
)

// queues lists the messages in queues with what they wait for.
func (p *performer) queues(words []string) {
	paged(p, words, p.stage.Introspect().Messages, func(q *introspect.QueuedMessage) string {
		line := fmt.Sprintf("%s %d: ", p.name(q.Canister), q.Position)
		switch q.Source {
		case intercanister.SourceTasks:
			line += q.Method
		case intercanister.SourceIngress:
			line += "ingress " + q.Method
		case intercanister.SourceResponses:
			line += fmt.Sprintf("response %s %s of %s", q.Method, p.calls([]introspect.CallRef{q.Call}), p.name(q.Sender))
		case intercanister.SourceRequests:
			line += fmt.Sprintf("%s %s of %s", q.Method, p.calls([]introspect.CallRef{q.Call}), p.name(q.Sender))
		}
		return line + fmt.Sprintf(", %d bytes, ", q.Payload) + p.waits(&q.Waits)
	})
}
