package coverage

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/canisterd/canisterd/internal/textwidth"
)

// WriteText writes a table for a terminal: a row for each canister, and one for all if there are several. The error is
// the writer's.
func (s *Summary) WriteText(w io.Writer) error {
	rows := [][]string{{"CANISTER", "FUNCTIONS", "BLOCKS", "LINES"}}
	for i := range s.Canisters {
		rows = append(rows, textRow(s.Canisters[i].Label, &s.Canisters[i].Totals))
	}
	if len(s.Canisters) > 1 {
		rows = append(rows, textRow("all", &s.Totals))
	}
	var widths [4]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], textwidth.Of(cell))
		}
	}
	out := bufio.NewWriter(w)
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-textwidth.Of(cell))
			if i == 0 {
				line = cell + space
			} else {
				line += "  " + space + cell
			}
		}
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

func textRow(label string, t *Totals) []string {
	row := []string{label}
	for _, r := range []Ratio{t.Functions, t.Blocks, t.Lines} {
		cell := "-"
		if r.Total > 0 {
			cell = fmt.Sprintf("%d/%d %5s%%", r.Ran, r.Total, r.Percent())
		}
		row = append(row, cell)
	}
	return row
}
