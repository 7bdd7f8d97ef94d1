package replica

import (
	"bytes"
	"maps"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/outcall"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// HTTPAnswer is the answer from outside to an HTTP outcall: one for all nodes of the subnet, or one for each.
type HTTPAnswer struct {
	Subnet  principal.Principal
	Number  uint64
	Answers []OutcallAnswer
	// Contents are the results of Answers on the nodes, one for each (Network.Receive). Without them the network
	// computes them itself, while everything else waits.
	Contents []OutcallContent
}

// The parts of an HTTP outcall: a canister's request, the query method that transforms answers, the answer from
// outside, and what a node makes of it.
type (
	Outcall        = state.Outcall
	Transform      = state.Transform
	OutcallAnswer  = state.OutcallAnswer
	OutcallContent = state.OutcallContent
)

// PendingOutcall is an HTTP outcall without an answer. Its contents are read-only.
type PendingOutcall struct {
	Subnet  principal.Principal
	Number  uint64 // counts the subnet's outcalls from 0
	Nodes   int    // of the subnet
	Request Outcall
}

// Outcalls returns the HTTP outcalls that wait for an answer, by subnet and number.
func (n *Network) Outcalls() (all []PendingOutcall) {
	for _, m := range n.subnets {
		for _, number := range slices.Sorted(maps.Keys(m.Outcalls)) {
			all = append(all, PendingOutcall{m.ID, number, m.Nodes, m.Outcalls[number].Sent})
		}
	}
	return all
}

// OutcallsMade returns how many HTTP outcalls canisters have made so far.
func (n *Network) OutcallsMade() (made uint64) {
	for _, m := range n.subnets {
		made += m.OutcallsMade
	}
	return made
}

// Reception is an answer while the node that received it processes it.
type Reception struct {
	Query   *Query         // its transform; nil if it needs none or the transform has run
	Content OutcallContent // valid if Query is nil

	answer *OutcallAnswer
	sent   *Outcall
	fees   *cycles.Schedule // of the subnet; they never change
}

// SetResult sets the result of Query.
func (r *Reception) SetResult(result QueryResult) {
	reject := result.Reject
	if result.Refusal != nil {
		reject = &intercanister.Reject{Code: intercanister.SysTransient, Text: result.Refusal.Text, HideErrorCode: true}
	}
	r.Content = outcall.Transformed(r.fees, r.sent, r.Content.Spent, &outcall.Transform{
		Reply: result.Reply, Refused: reject, Instructions: result.Instructions,
	})
	r.Query = nil
}

// Receive evaluates answers to an outcall, in order; equal answers share a reception. It is not an input of the
// network. The goroutine that runs the queries, which may be any, supplies the contents.
func (n *Network) Receive(in *HTTPAnswer) ([]*Reception, *refusal.Refusal) {
	m, pending, refusal := n.pendingOutcall(in)
	if refusal != nil {
		return nil, refusal
	}
	receptions := make([]*Reception, len(in.Answers))
	var distinct []*Reception
	for i := range in.Answers {
		a := &in.Answers[i]
		at := slices.IndexFunc(distinct, func(r *Reception) bool { return sameAnswer(r.answer, a) })
		if at < 0 {
			at = len(distinct)
			distinct = append(distinct, m.receiveAnswer(pending, a))
		}
		receptions[i] = distinct[at]
	}
	return receptions, nil
}

func (s *subnet) receiveAnswer(pending *state.PendingOutcall, a *OutcallAnswer) *Reception {
	r := &Reception{answer: a, sent: &pending.Sent, fees: &s.Environment.Fees}
	arg, content := outcall.Received(r.fees, r.sent, a)
	r.Content = content
	switch {
	case arg != nil && s.Canisters.Get(r.sent.Canister) == nil:
		// It is on the root subnet, or was deleted.
		r.Content = outcall.Transformed(r.fees, r.sent, content.Spent, &outcall.Transform{Refused: rejectNotFound(r.sent.Canister)})
	case arg != nil:
		r.Query = &Query{
			Sender: principal.Management, Receiver: r.sent.Canister, Effective: r.sent.Canister,
			Method: r.sent.Transform.Method, Arg: arg, Transform: true,
		}
	}
	return r
}

func sameAnswer(a, b *OutcallAnswer) bool {
	if a.Reject != nil || b.Reject != nil {
		return a.Reject != nil && b.Reject != nil && a.Reject.Code == b.Reject.Code && a.Reject.Text == b.Reject.Text
	}
	return a.Status == b.Status && slices.Equal(a.Headers, b.Headers) && bytes.Equal(a.Body, b.Body)
}

// pendingOutcall returns the outcall of an answer, or why there is none.
func (n *Network) pendingOutcall(in *HTTPAnswer) (*subnet, *state.PendingOutcall, *refusal.Refusal) {
	position, ok := n.routes.byID[in.Subnet]
	if !ok {
		return nil, nil, refuse(refusal.Invalid, "subnet %s is not part of this network", in.Subnet).Refusal
	}
	m := n.subnets[position]
	pending := m.Outcalls[in.Number]
	if pending == nil {
		return nil, nil, refuse(refusal.Invalid, "subnet %s has no pending HTTP outcall %d: it was answered, has timed out, or was never made", in.Subnet, in.Number).Refusal
	}
	count, members := len(in.Answers), len(pending.Sent.Members)
	if pending.Sent.Flexible() && (count == 0 || count > members) {
		return nil, nil, refuse(refusal.Invalid, "flexible HTTP outcall %d has %d answers: give one for all nodes that make it, or one for each of them, at most %d", in.Number, count, members).Refusal
	}
	if !pending.Sent.Flexible() && count != 1 && count != m.Nodes {
		return nil, nil, refuse(refusal.Invalid, "HTTP outcall %d has %d answers: give one for all nodes of subnet %s, or one for each of its %d nodes", in.Number, count, in.Subnet, m.Nodes).Refusal
	}
	for i := range in.Answers {
		if r := in.Answers[i].Reject; r != nil {
			if r.Code < intercanister.SysFatal || r.Code > intercanister.SysUnknown {
				return nil, nil, refuse(refusal.Invalid, "a reject of HTTP outcall %d has the reject code %d: it must be one of 1 to 6", in.Number, r.Code).Refusal
			}
			if len(r.Text) > intercanister.MaxRejectTextBytes {
				return nil, nil, refuse(refusal.Invalid, "a reject of HTTP outcall %d has a text of %d bytes: at most %d are allowed", in.Number, len(r.Text), intercanister.MaxRejectTextBytes).Refusal
			}
		}
	}
	return m, pending, nil
}

func (n *Network) answerOutcall(in *HTTPAnswer) Result {
	m, pending, refused := n.pendingOutcall(in)
	if refused != nil {
		return Result{Refusal: refused}
	}
	contents := in.Contents
	if contents == nil {
		contents = n.transformed(in)
	}
	if len(contents) != len(in.Answers) {
		return refuse(refusal.Invalid, "HTTP outcall %d has %d answers, but %d contents: there must be one for each", in.Number, len(in.Answers), len(contents))
	}
	sent := &pending.Sent
	switch {
	case sent.Flexible():
		answer, spent, decided := outcall.Flexible(&m.Environment.Fees, sent, m.Blocks.Nodes, contents)
		if !decided {
			return refuse(refusal.Invalid, "%d answers do not decide flexible HTTP outcall %d, which needs %d responses of %d nodes: give more, or let it time out", len(contents), in.Number, sent.Min, len(sent.Members))
		}
		m.answerOutcall(in.Number, answer, spent)
	case sent.PayAsYouGo:
		answer, spent := outcall.Deliver(in.Number, &m.Environment.Fees, sent, contents)
		m.answerOutcall(in.Number, answer, spent)
	default:
		m.answerOutcall(in.Number, outcall.Agree(in.Number, m.Nodes, sent, contents), cycles.Amount{})
	}
	return Result{}
}

// transformed runs the transforms of answers on the owner's goroutine.
func (n *Network) transformed(in *HTTPAnswer) []OutcallContent {
	receptions, _ := n.Receive(in)
	contents := make([]OutcallContent, len(receptions))
	for i, r := range receptions {
		if r.Query != nil {
			r.SetResult(n.PrepareQuery(r.Query).Run())
		}
		contents[i] = r.Content
	}
	return contents
}

// sendOutcall passes an HTTP outcall to the outside. withheld is the maximum that its nodes may spend.
func (s *subnet) sendOutcall(t state.Ticket, sent *state.Outcall, withheld cycles.Amount) {
	number := s.OutcallsMade
	s.OutcallsMade++
	s.Outcalls[number] = &state.PendingOutcall{Ticket: t, Sent: *sent, Withheld: withheld, Expiry: s.Deadlines.Add(timers.Deadline{
		At: s.Time + outcall.Timeout + 1, Kind: timers.OutcallExpiry, Number: number,
	})}
	if s.net.sink != nil {
		s.net.emit(Event{
			Kind: OutcallMade, Subnet: s.ID, Canister: sent.Canister, Peer: principal.Management, Call: t.Origin.Call,
			Number: number, Method: sent.Method, Text: sent.URL, NoTransform: sent.Transform == nil && !sent.Flexible(),
		})
	}
}

// answerOutcall answers the canister that made an outcall. The unspent part of the withheld cycles returns to the
// canister's balance, not with the response, as on mainnet; a canister on another subnet receives it with the response.
func (s *subnet) answerOutcall(number uint64, answer state.Answer, spent cycles.Amount) {
	pending := s.Outcalls[number]
	spent = spent.Min(pending.Withheld)
	left := pending.Withheld.Sub(spent)
	if r := s.Canisters.Get(pending.Sent.Canister); r != nil {
		r.Canister.Consumed.Outcalls = r.Canister.Consumed.Outcalls.Add(spent)
		r.Give(left)
	} else {
		s.Totals.Pay(spent)
		pending.Ticket.Refund = pending.Ticket.Refund.Add(left)
	}
	s.Deadlines.Remove(pending.Expiry)
	delete(s.Outcalls, number)
	s.Answer(pending.Ticket, answer)
}
