package main

import (
	"cmp"
	"fmt"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// summary describes what was explored: the conclusion, goals, operations, and faults at each await.
func (c *cli) summary(r *controlv1.ExploreReport) string {
	var all strings.Builder
	all.WriteString(r.GetConclusion() + "\n")
	for _, g := range r.GetReached() {
		fmt.Fprintf(&all, "sometimes %s: in %d runs\n", g.GetTitle(), g.GetRuns())
	}
	t := c.table("OPERATION", "REPLIED", "REJECTED", "TRAPPED", "OPEN")
	for _, o := range r.GetOperations() {
		t.row(o.GetTitle(), fmt.Sprint(o.GetReplied()), fmt.Sprint(o.GetRejected()), fmt.Sprint(o.GetTrapped()), fmt.Sprint(o.GetOpen()))
	}
	all.WriteString(t.String() + "\n")
	if len(r.GetAwaits()) == 0 {
		return all.String()
	}
	kinds := map[string]bool{}
	for _, a := range r.GetAwaits() {
		for _, tried := range a.GetTried() {
			kinds[tried.GetFault()] = true
		}
	}
	names := sortedKeys(kinds)
	t = c.table(append([]string{"AWAIT", "RUNS"}, upper(names)...)...)
	for _, a := range r.GetAwaits() {
		cells := []string{a.GetCaller() + " > " + a.GetCallee(), fmt.Sprint(a.GetRuns())}
		runs := map[string]string{}
		for _, tried := range a.GetTried() {
			runs[tried.GetFault()] = fmt.Sprint(tried.GetRuns())
		}
		for _, kind := range names {
			cells = append(cells, cmp.Or(runs[kind], "-"))
		}
		t.row(cells...)
	}
	all.WriteString(t.String())
	return all.String()
}

// upper returns names in capital letters, for the header of a table.
func upper(names []string) (all []string) {
	for _, name := range names {
		all = append(all, strings.ToUpper(name))
	}
	return all
}
