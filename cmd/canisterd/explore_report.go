package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/candid/generated"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// summary describes what was explored: the conclusion, goals, and with tables what was run.
func (c *cli) summary(r *controlv1.ExploreReport, tables, all bool) string {
	var text strings.Builder
	text.WriteString(r.GetConclusion() + "\n")
	for _, g := range r.GetReached() {
		fmt.Fprintf(&text, "sometimes %s: in %d runs\n", g.GetTitle(), g.GetRuns())
	}
	if tables {
		text.WriteString(c.runTables(r, all))
	}
	return text.String()
}

// runTables returns the answers to operations, and the faults at each await, with all awaits or without those of a canister
// for its own asynchronous blocks.
func (c *cli) runTables(r *controlv1.ExploreReport, all bool) string {
	var text strings.Builder
	t := c.table("OPERATION", "REPLIED", "REJECTED", "TRAPPED", "OPEN")
	for _, o := range r.GetOperations() {
		t.row(o.GetTitle(), fmt.Sprint(o.GetReplied()), fmt.Sprint(o.GetRejected()), fmt.Sprint(o.GetTrapped()), fmt.Sprint(o.GetOpen()))
	}
	text.WriteString(t.String() + "\n")
	awaits := r.GetAwaits()
	if !all {
		awaits = slices.DeleteFunc(slices.Clone(awaits), func(a *controlv1.ExploreAwait) bool { return generated.Await(a.GetCaller(), a.GetCallee()) })
	}
	if len(awaits) == 0 {
		return text.String()
	}
	kinds := map[string]bool{}
	for _, a := range awaits {
		for _, tried := range a.GetTried() {
			kinds[tried.GetFault()] = true
		}
	}
	names := sortedKeys(kinds)
	t = c.table(append([]string{"AWAIT", "RUNS"}, upper(names)...)...)
	for _, a := range awaits {
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
	text.WriteString(t.String())
	return text.String()
}

// upper returns names in capital letters, for the header of a table.
func upper(names []string) (all []string) {
	for _, name := range names {
		all = append(all, strings.ToUpper(name))
	}
	return all
}
