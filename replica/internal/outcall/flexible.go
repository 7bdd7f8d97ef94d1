package outcall

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// gathered are the contents of nodes of a committee for a flexible outcall, in the order of its members. Later nodes
// have not answered.
type gathered struct {
	fees     *cycles.Schedule
	sent     *state.Outcall
	ids      []principal.Principal // of all nodes of the subnet
	contents []state.OutcallContent
	spent    cycles.Amount
}

// Flexible returns the answer to a flexible outcall, its cost beyond its base fee, and whether the contents decide it:
// they may not if nodes have not answered. A single content stands for all nodes.
func Flexible(fees *cycles.Schedule, sent *state.Outcall, ids []principal.Principal, contents []state.OutcallContent) (answer state.Answer, spent cycles.Amount, decided bool) {
	g := &gathered{fees: fees, sent: sent, ids: ids, contents: each(contents, len(sent.Members))}
	g.spent = spentBy(g.contents)
	var good, bad []int
	for i := range g.contents {
		if g.contents[i].Reject == nil {
			good = append(good, i)
		} else {
			bad = append(bad, i)
		}
	}
	slices.SortStableFunc(good, func(a, b int) int { return cmp.Compare(size(&g.contents[a]), size(&g.contents[b])) })
	unseen := len(sent.Members) - len(g.contents)
	switch {
	case len(bad) > len(sent.Members)-int(sent.Min):
		answer, spent = g.tooManyRejects(bad)
	case g.bytes(good[:min(len(good), max(0, int(sent.Min)-unseen))]) > MaxResultBytes:
		answer, spent = g.tooLarge(good, unseen)
	case len(good) < int(sent.Min):
		return state.Answer{}, cycles.Amount{}, false
	default:
		answer, spent = g.deliver(good)
	}
	return answer, spent, true
}

func (g *gathered) bytes(which []int) (sum uint64) {
	for _, i := range which {
		sum += size(&g.contents[i])
	}
	return sum
}

// price returns the price of delivering contents.
func (g *gathered) price(which []int) cycles.Amount {
	extra := max(0, len(which)-int(g.sent.Min))
	return g.fees.OutcallBlock(g.bytes(which) + uint64(len(which))*cycles.FlexibleResponseOverhead).Add(g.fees.OutcallExtra(uint64(extra)))
}

// left returns the unspent part of the nodes' budgets.
func (g *gathered) left() cycles.Amount {
	return g.sent.Allowance.Mul(uint64(len(g.contents))).Sub(g.spent)
}

// deliver delivers as many responses as are wanted, fit and can be paid for, the smallest first.
func (g *gathered) deliver(good []int) (state.Answer, cycles.Amount) {
	least := int(g.sent.Min)
	for n := min(len(good), int(g.sent.Max)); n >= least; n-- {
		if g.bytes(good[:n]) > MaxResultBytes || g.left().Less(g.price(good[:n])) {
			continue
		}
		chosen := slices.Sorted(slices.Values(good[:n]))
		results := make([]Result, n)
		for i, at := range chosen {
			if err := candid.Unmarshal(g.contents[at].Reply, &results[i]); err != nil {
				panic("outcall: a content that is no result: " + err.Error())
			}
		}
		return state.Reply(encode(FlexibleResult{OK: &results})), g.spent.Add(g.price(chosen))
	}
	return g.outOfCycles(g.price(good[:least]))
}

func (g *gathered) tooManyRejects(bad []int) (state.Answer, cycles.Amount) {
	price := g.price(bad)
	if g.left().Less(price) {
		return g.outOfCycles(price)
	}
	failed := FlexibleError{
		Global:  &GlobalError{TooManyRejects: new(candid.Reserved)},
		Message: fmt.Sprintf("Too many rejects: %d responses are rejects", len(bad)),
	}
	for _, i := range bad {
		r := g.contents[i].Reject
		failed.Nodes = append(failed.Nodes, g.detail(i, rustName(r.Code), r.Text))
	}
	return state.Reply(encode(FlexibleResult{Err: &failed})), g.spent.Add(price)
}

func (g *gathered) tooLarge(good []int, unseen int) (state.Answer, cycles.Amount) {
	needed := int(g.sent.Min) - unseen
	var sizes []string
	for _, i := range good[:needed] {
		sizes = append(sizes, strconv.FormatUint(size(&g.contents[i]), 10))
	}
	failed := FlexibleError{
		Global: &GlobalError{ResponsesTooLarge: new(candid.Reserved)},
		Message: fmt.Sprintf("Responses too large: need at least %d OK responses to fit within %d bytes, but even the smallest %d "+
			"(= %d min_responses - %d unseen) of %d OK responses have sizes [%s] bytes (%d ok + %d reject + %d unseen = %d total_requests)",
			g.sent.Min, MaxResultBytes, needed, g.sent.Min, unseen, len(good), strings.Join(sizes, ", "),
			len(good), len(g.contents)-len(good), unseen, len(g.sent.Members)),
		Nodes: g.details(func(c *state.OutcallContent) string { return fmt.Sprintf("%d bytes", size(c)) }),
	}
	return state.Reply(encode(FlexibleResult{Err: &failed})), g.spent
}

func (g *gathered) outOfCycles(price cycles.Amount) (state.Answer, cycles.Amount) {
	failed := FlexibleError{
		Global:  &GlobalError{OutOfCycles: new(candid.Reserved)},
		Message: outOfCycles(len(g.contents), g.spent, g.left(), price),
		Nodes:   g.details(func(c *state.OutcallContent) string { return c.Spent.Grouped() + " cycles spent" }),
	}
	return state.Reply(encode(FlexibleResult{Err: &failed})), g.spent
}

func (g *gathered) details(message func(*state.OutcallContent) string) (all []NodeDetail) {
	for i := range g.contents {
		code := "ok"
		if g.contents[i].Reject != nil {
			code = "reject"
		}
		all = append(all, g.detail(i, code, message(&g.contents[i])))
	}
	return all
}

func (g *gathered) detail(at int, code, message string) NodeDetail {
	return NodeDetail{Node: g.ids[g.sent.Members[at]], Error: &NodeError{code, message}}
}

// rustName returns a reject code as the replica's debugger prints it.
func rustName(code intercanister.RejectCode) string {
	names := [...]string{"", "SysFatal", "SysTransient", "DestinationInvalid", "CanisterReject", "CanisterError", "SysUnknown"}
	return names[code]
}

// outOfCycles returns the text for nodes that have too few cycles left for any delivery.
func outOfCycles(nodes int, spent, left, price cycles.Amount) string {
	return fmt.Sprintf("Out of cycles: %d of the assigned replicas reported a collective spend of %s cycles, leaving %s cycles of the attached payment "+
		"(after base fee deduction). Delivering a response would cost at least %s cycles.", nodes, spent.Grouped(), left.Grouped(), price.Grouped())
}
