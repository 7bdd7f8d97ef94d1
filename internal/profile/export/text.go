package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/textwidth"
)

// Text returns a profile as tables: the functions with the most instructions of their own, at most top of them, and the
// calls to other canisters that caused the most instructions, at most top. A total of a function has what it called,
// also in other canisters, and counts a recursion once.
func Text(p *profile.Profile, names Names, top int) string {
	f, top := newForest(p), max(top, 0)
	all := sums(f, names)
	var out strings.Builder
	fmt.Fprintf(&out, "%s in %s\n", counted(f.all(), "instruction"), counted(f.Messages, "message"))
	if f.Folded > 0 {
		fmt.Fprintf(&out, "%s had no room: their instructions are those of the frames that entered them.\n", counted(f.Folded, "frame"))
	}
	var functions, calls []*sum
	for _, s := range all {
		if s.kind == profile.Await {
			calls = append(calls, s)
		} else {
			functions = append(functions, s)
		}
	}
	if len(functions) > 0 {
		out.WriteString("\n" + functionTable(functions, f.all(), top))
	}
	if len(calls) > 0 {
		out.WriteString("\nCalls to other canisters, with the instructions that they caused there and in callbacks:\n\n")
		out.WriteString(callTable(calls, f.all(), top))
	}
	return out.String()
}

func functionTable(functions []*sum, all uint64, top int) string {
	slices.SortFunc(functions, func(a, b *sum) int {
		return cmp.Or(
			cmp.Compare(b.self.Instructions, a.self.Instructions), cmp.Compare(b.total, a.total), compareFrames(&a.frame, &b.frame),
		)
	})
	t := &table{head: []string{"self", "self%", "total", "total%", "calls", "function"}, left: 1}
	several := severalCanisters(functions)
	if several {
		t.head, t.left = slices.Insert(t.head, 5, "canister"), 2
	}
	for _, s := range functions[:min(top, len(functions))] {
		cells := []string{
			grouped(s.self.Instructions), percent(s.self.Instructions, all), grouped(s.total), percent(s.total, all), grouped(s.self.Calls),
		}
		if several {
			cells = append(cells, textwidth.Fit(s.canister, MaxCells))
		}
		t.add(append(cells, textwidth.Fit(s.label(), MaxCells))...)
	}
	rest := uint64(0)
	for _, s := range functions[min(top, len(functions)):] {
		rest += s.self.Instructions
	}
	return t.String() + leftOut(len(functions)-top, "function", rest)
}

func callTable(calls []*sum, all uint64, top int) string {
	slices.SortFunc(calls, func(a, b *sum) int {
		return cmp.Or(cmp.Compare(b.total, a.total), compareFrames(&a.frame, &b.frame))
	})
	t := &table{head: []string{"total", "total%", "calls", "messages", "call"}, left: 1}
	for _, s := range calls[:min(top, len(calls))] {
		t.add(grouped(s.total), percent(s.total, all), grouped(s.self.Calls), grouped(s.messages), textwidth.Fit(s.label(), MaxCells))
	}
	rest := uint64(0)
	for _, s := range calls[min(top, len(calls)):] {
		rest += s.total
	}
	return t.String() + leftOut(len(calls)-top, "call", rest)
}

// leftOut returns the line about what a table does not show.
func leftOut(n int, thing string, instructions uint64) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("… %s more, with %s\n", counted(uint64(n), thing), counted(instructions, "instruction"))
}
