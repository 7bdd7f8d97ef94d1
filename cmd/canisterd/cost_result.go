package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/intercanister/cycles"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// costResult is the result of canisterd cost.
type costResult struct {
	PriceList   string         `json:"price_list"`    // month
	Subnets     []uint64       `json:"subnet_nodes"`  // of the elements of all lists of cycles
	CallsPerDay uint64         `json:"calls_per_day"` // of users; 0: no day is priced
	Rate        json.Number    `json:"usd_per_xdr,omitempty"`
	Methods     []methodCost   `json:"methods"`
	Canisters   []canisterCost `json:"canisters"`

	rate uint64 // millionths of the currency for an XDR
}

// methodCost is what a method costs its canister, with the callbacks of the calls that it makes.
type methodCost struct {
	Canister     string  `json:"canister_id"`
	Name         string  `json:"name"` // of the canister
	Method       string  `json:"method"`
	Calls        uint64  `json:"calls"`
	Messages     float64 `json:"messages_per_call"`
	Instructions uint64  `json:"instructions_per_call"`
	Made         float64 `json:"outgoing_calls_per_call"`
	// Cycles for each call, on each subnet.
	Ingress   []json.Number `json:"ingress_cycles_per_call"`
	Execution []json.Number `json:"execution_cycles_per_call"`
	Outgoing  []json.Number `json:"outgoing_cycles_per_call"`
	Services  []json.Number `json:"service_cycles_per_call"` // HTTP outcalls and signatures
	Total     []json.Number `json:"cycles_per_call"`
	Daily     []json.Number `json:"cycles_per_day"` // none without calls per day, and for tasks

	total, daily [len(pricedSubnets)]cycles.Amount
}

// canisterCost is what a canister pays for holding resources.
type canisterCost struct {
	Canister string        `json:"canister_id"`
	Name     string        `json:"name"`
	Memory   uint64        `json:"memory_bytes"`               // that it pays for
	Compute  uint64        `json:"compute_allocation_percent"` // of a core
	Daily    []json.Number `json:"idle_cycles_burned_per_day"` // on each subnet

	daily [len(pricedSubnets)]cycles.Amount
}

// costOf returns the cost of a method for one call, and of so many for each of the calls that a day is made of.
func costOf(id methodID, m *methodUse, name string, wide bool, callsPerDay, of uint64) methodCost {
	r := methodCost{
		Canister: id.canister, Name: name, Method: id.method, Calls: m.calls, Instructions: m.instructions / m.calls,
		Messages: float64(m.messages) / float64(m.calls), Made: float64(m.made) / float64(m.calls),
	}
	number := func(a cycles.Amount) json.Number { return json.Number(a.String()) }
	for i := range pricedSubnets {
		p := m.cost(i, wide)
		r.Ingress = append(r.Ingress, number(p.ingress.Div(m.calls)))
		r.Execution = append(r.Execution, number(p.execution.Div(m.calls)))
		r.Outgoing = append(r.Outgoing, number(p.calls.Div(m.calls)))
		r.Services = append(r.Services, number(p.services.Div(m.calls)))
		r.total[i] = p.total().Div(m.calls)
		r.Total = append(r.Total, number(r.total[i]))
		if callsPerDay > 0 && of > 0 && !m.task {
			r.daily[i] = p.total().Mul(callsPerDay).Div(of)
			r.Daily = append(r.Daily, number(r.daily[i]))
		}
	}
	return r
}

// holdingCost returns the cost of a canister's resources for a day.
func holdingCost(d *controlv1.Canister, name string) canisterCost {
	set := d.GetSettings()
	h := cycles.HoldingsOf(d.GetMemoryBytes(), set.GetMemoryAllocation(), 0, set.GetComputeAllocation())
	r := canisterCost{Canister: d.GetCanisterId(), Name: name, Memory: h.Memory, Compute: h.Compute}
	for i, nodes := range pricedSubnets {
		s := cycles.Application(nodes)
		r.daily[i] = s.IdlePerDay(h)
		r.Daily = append(r.Daily, json.Number(r.daily[i].String()))
	}
	return r
}

// trillion cycles cost one XDR.
const trillion = 1_000_000_000_000

// money formats cycles in a currency in which a trillion cost so many millionths, to the millionth.
func money(a cycles.Amount, rate uint64) string {
	millionths := a.Mul(rate).Div(trillion)
	whole := millionths.Div(1_000_000)
	return fmt.Sprintf("%s.%06d", whole.Grouped(), millionths.Sub(whole.Mul(1_000_000)).Lo)
}

// text formats the result for people.
func (r *costResult) text(c *cli) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Prices of %s on subnets with %d and %d nodes", r.PriceList, r.Subnets[0], r.Subnets[1])
	if r.Rate != "" {
		fmt.Fprintf(&out, "; 1 XDR, which is 1 T cycles, for %s USD", r.Rate)
	}
	out.WriteString("\n\n")
	out.WriteString(r.methodTable(c))
	out.WriteString("\n\n")
	out.WriteString(r.dayTable(c))
	return out.String()
}

func (r *costResult) methodTable(c *cli) string {
	if len(r.Methods) == 0 {
		return "no call is remembered"
	}
	heads := []string{"METHOD", "CALLS", "INSTRUCTIONS", "INGRESS", "EXECUTION", "OUTGOING", "SERVICES"}
	for _, nodes := range r.Subnets {
		heads = append(heads, fmt.Sprintf("A CALL (%d)", nodes))
	}
	t := c.table(heads...)
	for i := range r.Methods {
		m := &r.Methods[i]
		cells := []string{
			cmp.Or(m.Name, m.Canister) + "." + m.Method, grouped(fmt.Sprint(m.Calls)), grouped(fmt.Sprint(m.Instructions)),
			grouped(m.Ingress[0].String()), grouped(m.Execution[0].String()), grouped(m.Outgoing[0].String()), grouped(m.Services[0].String()),
		}
		for _, total := range m.total {
			cells = append(cells, total.Grouped())
		}
		t.row(cells...)
	}
	return t.String()
}

// dayTable has what canisters cost in a day, and in all.
func (r *costResult) dayTable(c *cli) string {
	heads := []string{"A DAY", "MEMORY", "COMPUTE"}
	for _, nodes := range r.Subnets {
		heads = append(heads, fmt.Sprintf("CYCLES (%d)", nodes))
	}
	currency := "XDR"
	if r.Rate != "" {
		currency = "USD"
	}
	for _, nodes := range r.Subnets {
		heads = append(heads, fmt.Sprintf("%s (%d)", currency, nodes))
	}
	t := c.table(heads...)
	var all [len(pricedSubnets)]cycles.Amount
	row := func(what, memory, compute string, daily [len(pricedSubnets)]cycles.Amount) {
		cells := []string{what, memory, compute}
		for _, a := range daily {
			cells = append(cells, a.Grouped())
		}
		for _, a := range daily {
			cells = append(cells, money(a, r.rate))
		}
		t.row(cells...)
	}
	add := func(daily [len(pricedSubnets)]cycles.Amount) {
		for i := range all {
			all[i] = all[i].Add(daily[i])
		}
	}
	for i := range r.Canisters {
		h := &r.Canisters[i]
		row(cmp.Or(h.Name, h.Canister), size(int64(h.Memory)), fmt.Sprintf("%d %%", h.Compute), h.daily)
		add(h.daily)
	}
	if r.CallsPerDay > 0 {
		var calls [len(pricedSubnets)]cycles.Amount
		for i := range r.Methods {
			for k := range calls {
				calls[k] = calls[k].Add(r.Methods[i].daily[k])
			}
		}
		row(grouped(fmt.Sprint(r.CallsPerDay))+" calls", "", "", calls)
		add(calls)
	}
	row("all", "", "", all)
	return t.String()
}
