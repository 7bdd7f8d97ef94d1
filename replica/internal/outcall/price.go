package outcall

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Withhold sets the budget of each node for an outcall of pricing version 2, and returns the sum: an equal part of the
// cycles attached beyond the base fee, at most the maximum cost of the outcall.
func Withhold(fees *cycles.Schedule, sent *state.Outcall, attached cycles.Amount) cycles.Amount {
	committee := sent.Committee()
	nodes := committee.Nodes(fees.Nodes)
	most := fees.OutcallUsage(cycles.Usage{
		Milliseconds: MaxRoundTrip, Raw: sent.MaxResponse, Transformed: sent.MaxResponse + ResponseReserve, Instructions: MaxTransform,
	}, committee)
	sent.PayAsYouGo = true
	sent.Allowance = attached.Min(most).Div(nodes)
	sent.Download = sent.MaxResponse
	if price := fees.PayAsYouGo.DownloadedByte; price > 0 {
		if affordable := sent.Allowance.Div(price); affordable.Less(cycles.Of(sent.MaxResponse)) {
			sent.Download = affordable.Lo
		}
	}
	return sent.Allowance.Mul(nodes)
}

// spend charges a node for a part of an outcall. If the node cannot pay, its content becomes a reject, and it has spent
// its whole allowance.
func spend(sent *state.Outcall, content *state.OutcallContent, price cycles.Amount) bool {
	if !sent.PayAsYouGo {
		return true
	}
	content.Spent = content.Spent.Add(price)
	if !sent.Allowance.Less(content.Spent) {
		return true
	}
	content.Spent, content.Reply = sent.Allowance, nil
	content.Reject = reject(intercanister.CanisterReject, "Insufficient cycles")
	return false
}

// size returns the length of a content.
func size(c *state.OutcallContent) uint64 {
	if c.Reject != nil {
		return uint64(len(c.Reject.Text))
	}
	return uint64(len(c.Reply))
}

// rawBytes returns the length of a response as it arrives.
func rawBytes(a *state.OutcallAnswer) uint64 {
	bytes := len(a.Body)
	for _, h := range a.Headers {
		bytes += len(h[0]) + len(h[1])
	}
	return uint64(bytes)
}

// Deliver is Agree for an outcall of pricing version 2 that is not flexible: the nodes pay for the block from the rest
// of their budgets. spent is the cost of the outcall beyond its base fee.
func Deliver(number uint64, fees *cycles.Schedule, sent *state.Outcall, contents []state.OutcallContent) (answer state.Answer, spent cycles.Amount) {
	committee := sent.Committee()
	nodes := committee.Nodes(fees.Nodes)
	contents = each(contents, int(fees.Nodes))
	if !sent.Replicated {
		contents = contents[sent.Node : sent.Node+1]
	}
	spent = spentBy(contents)
	content, answer := agreed(number, int(nodes), contents)
	if content == nil {
		return answer, spent
	}
	left := sent.Allowance.Mul(nodes).Sub(spent)
	price := fees.OutcallBlock(size(content))
	if left.Less(price) {
		return state.Fail(reject(intercanister.CanisterReject, "%s", outOfCycles(len(contents), spent, left, price))), spent
	}
	return answer, spent.Add(price)
}

// each returns one content for each of n nodes.
func each(contents []state.OutcallContent, n int) []state.OutcallContent {
	if len(contents) != 1 {
		return contents
	}
	all := make([]state.OutcallContent, n)
	for i := range all {
		all[i] = contents[0]
	}
	return all
}

func spentBy(contents []state.OutcallContent) (spent cycles.Amount) {
	for i := range contents {
		spent = spent.Add(contents[i].Spent)
	}
	return spent
}
