package export

import (
	"strings"

	"github.com/canisterd/canisterd/internal/textwidth"
)

// table is lines of cells under a head.
type table struct {
	head []string
	left int // how many columns at the end are texts, to the left; the others are numbers, to the right
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// String returns the table with aligned columns, two spaces apart.
func (t *table) String() string {
	widths := make([]int, len(t.head))
	for i, cell := range t.head {
		widths[i] = textwidth.Of(cell)
	}
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], textwidth.Of(cell))
		}
	}
	var out strings.Builder
	for _, row := range append([][]string{t.head}, t.rows...) {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-textwidth.Of(cell))
			if i > 0 {
				line += "  "
			}
			if i < len(row)-t.left {
				line += pad + cell
			} else {
				line += cell + pad
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}
