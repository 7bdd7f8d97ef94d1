package main

import (
	"fmt"
	"slices"
	"strings"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// summary is how much was explored.
func (c *cli) summary(r *controlv1.ExploreReport) string {
	var all strings.Builder
	fmt.Fprintf(&all, "%d runs, %d messages. %s\n", r.GetRuns(), r.GetMessages(), coverage(r))
	for _, g := range r.GetReached() {
		fmt.Fprintf(&all, "sometimes %s: in %d runs\n", g.GetTitle(), g.GetRuns())
	}
	for _, x := range r.GetLargest() {
		fmt.Fprintf(&all, "the largest %s is %s\n", x.GetTitle(), x.GetValue())
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
		runs := map[string]uint64{}
		for _, tried := range a.GetTried() {
			runs[tried.GetFault()] = tried.GetRuns()
		}
		for _, kind := range names {
			cells = append(cells, fmt.Sprint(runs[kind]))
		}
		t.row(cells...)
	}
	all.WriteString(t.String())
	return all.String()
}

func upper(names []string) (all []string) {
	for _, name := range names {
		all = append(all, strings.ToUpper(name))
	}
	return all
}

// coverage says what a report without findings means.
func coverage(r *controlv1.ExploreReport) string {
	if r.GetExhausted() {
		text := fmt.Sprintf("All %d orders of these %d operations were run, without faults", r.GetClasses(), len(r.GetOperations()))
		if len(r.GetOperations()) == 1 {
			text = fmt.Sprintf("All orders of this operation (%d) were run, without faults", r.GetClasses())
		}
		if r.GetExhaustedFaults() {
			text += fmt.Sprintf(" and with each single fault (%s)", strings.Join(r.GetFaultKinds(), ", "))
		}
		if !slices.ContainsFunc(r.GetFindings(), func(f *controlv1.ExploreFinding) bool { return !f.GetSuspicion() }) {
			text += ": no violation"
		}
		return text + "."
	}
	return "Not all orders were run: what was not found may still be there."
}
