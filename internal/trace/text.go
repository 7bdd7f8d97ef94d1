package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/textwidth"
)

// Text returns a tree as indented lines, a call or an execution on each, with the round, instructions, cycles and, if a
// stopwatch ran, microseconds of executions in columns. Each duration says whose time it is.
func Text(t *Tree, names Names) string {
	w := &sheet{names: names}
	if t.Root == nil {
		return unrecorded + "\n"
	}
	w.call(t.Root, "", "")
	return w.String()
}

// row is a line of a sheet: its text in the tree, and the columns next to it.
type row struct {
	text  string
	cells []string
}

// sheet is a tree of lines with columns.
type sheet struct {
	names Names
	rows  []row
	depth int // of the call that is written
}

func (w *sheet) line(text string, cells []string) { w.rows = append(w.rows, row{text, cells}) }

// call writes a call and everything under it: first precedes its first line, rest the others.
func (w *sheet) call(c *Call, first, rest string) {
	text := first + c.title(w.names)
	if more := c.details(); len(more) > 0 {
		text += ", " + strings.Join(more, ", ")
	}
	w.line(text, nil)
	var under []item
	for _, x := range c.Executions {
		when := x.Ended
		if x.Unrecorded {
			when.Order = -1 // before all recorded events
		}
		under = append(under, item{when, func(first, rest string) { w.execution(x, first, rest) }})
	}
	for i := range c.Notes {
		n := &c.Notes[i]
		under = append(under, item{n.At, func(first, _ string) { w.line(first+n.line(), at(n.At)) }})
	}
	if c.Answered() {
		under = append(under, item{c.Ended, func(first, _ string) { w.line(first+c.answer(), at(c.Ended)) }})
	}
	slices.SortStableFunc(under, func(a, b item) int { return a.at.compare(b.at) })
	for _, what := range c.Missing {
		under = append(under, item{draw: func(first, _ string) { w.line(first+"missing: "+what, nil) }})
	}
	branch(rest, under)
}

// item is something under a line.
type item struct {
	at   Point
	draw func(first, rest string)
}

func at(p Point) []string { return []string{fmt.Sprintf("round %d", p.Height)} }

func (w *sheet) execution(x *Execution, first, rest string) {
	w.line(first+x.title(), x.cells())
	var under []item
	note := func(text string) {
		under = append(under, item{draw: func(first, _ string) { w.line(first+text, nil) }})
	}
	for i := range x.Logs {
		note("log: " + x.Logs[i].line())
	}
	if x.Trap != nil {
		note("trapped: " + rejected(x.Trap))
	}
	for i := range x.Backtrace {
		note("  at " + printable(x.Backtrace[i].String()))
	}
	if x.CleanupRan {
		note("cleaned up")
	}
	if len(x.Calls) > 0 && w.depth == MaxDepth {
		note(fmt.Sprintf("calls that lie too deep: %s", grouped(uint64(within(x)))))
		branch(rest, under)
		return
	}
	for _, c := range x.Calls {
		under = append(under, item{draw: func(first, rest string) { w.call(c, first, rest) }})
	}
	w.depth++
	branch(rest, under)
	w.depth--
}

func (x *Execution) cells() []string {
	if x.Unrecorded {
		return nil
	}
	if !x.Ended.Recorded() {
		return []string{fmt.Sprintf("round %d–", x.Begun.Height)}
	}
	round := fmt.Sprintf("round %d", x.Ended.Height)
	if x.Begun.Height != x.Ended.Height {
		round = fmt.Sprintf("round %d–%d", x.Begun.Height, x.Ended.Height)
	}
	cells := []string{round, grouped(x.Instructions) + " instructions", x.Cycles.Grouped() + " cycles"}
	if x.Wall != 0 {
		cells = append(cells, fmt.Sprintf("%d µs of wall time", x.Wall/1000))
	}
	return cells
}

// branch writes the lines under a line.
func branch(before string, under []item) {
	for i, it := range under {
		if i == len(under)-1 {
			it.draw(before+"└─ ", before+"   ")
		} else {
			it.draw(before+"├─ ", before+"│  ")
		}
	}
}

// String returns the sheet with aligned columns: texts to the left, numbers to the right.
func (w *sheet) String() string {
	var widths []int
	left := 0
	for _, r := range w.rows {
		if len(r.cells) > 0 {
			left = max(left, min(textwidth.Of(r.text), MaxColumn))
		}
		for i, cell := range r.cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], textwidth.Of(cell))
		}
	}
	var out strings.Builder
	for _, r := range w.rows {
		line := r.text
		if len(r.cells) > 0 {
			line += strings.Repeat(" ", left-min(left, textwidth.Of(r.text)))
		}
		for i, cell := range r.cells {
			pad := strings.Repeat(" ", widths[i]-textwidth.Of(cell))
			if i == 0 {
				line += "  " + cell + pad
			} else {
				line += "  " + pad + cell
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}
