package intercanister

import "github.com/canisterd/canisterd/intercanister/cycles"

// Holdings returns the cycles in the call table: available in call contexts, and prepaid for pending callbacks and
// their responses. Computing them takes time in proportion to the open contexts and calls.
func (l *CallTable) Holdings() (available, prepaid cycles.Amount) {
	l.contexts.each(func(_ uint64, c *Context) { available = available.Add(c.Available) })
	l.futures.each(func(_ uint64, f *Future) {
		if f.State != Running {
			prepaid = prepaid.Add(f.Execution()).Add(f.Transmission())
		}
	})
	return available, prepaid
}

// Holdings returns the cycles of waiting messages: attached to requests, and refunded with responses.
func (m *Mailbox) Holdings() (attached, refunds cycles.Amount) {
	for i := range m.responses.Len() {
		refunds = refunds.Add(m.responses.At(i).response.Refund)
	}
	for p := range m.pairs.all() { // a sum: the order has no effect
		for i := range p.requests.Len() {
			attached = attached.Add(p.requests.At(i).Cycles)
		}
	}
	return attached, refunds
}

// Waiting returns how many messages of each kind wait.
func (m *Mailbox) Waiting() (tasks, responses, ingress, requests int) {
	tasks, responses, ingress = m.tasks.Len(), m.responses.Len(), m.ingress.Len()
	return tasks, responses, ingress, m.arrivals.Len() - tasks - responses - ingress
}

// Slots returns how many slots of queues are taken: by the canister's own calls until their callbacks begin, and by
// requests of others that were taken and are not answered.
func (m *Mailbox) Slots() (calls, owed int) {
	for p := range m.pairs.all() { // a sum: the order has no effect
		calls, owed = calls+int(p.calls), owed+int(p.owed)
	}
	return calls, owed
}
