package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/canisterd/canisterd/internal/textwidth"
)

// table has rows under heads, each column as wide as its widest cell.
type table struct {
	cli  *cli
	rows [][]string
}

func (c *cli) table(heads ...string) *table { return &table{c, [][]string{heads}} }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// count returns the number of rows, without the heads.
func (t *table) count() uint32 { return uint32(len(t.rows) - 1) }

// cut removes the rows beyond a limit, 0 for none, and reports whether there were any.
func (t *table) cut(limit uint32) bool {
	if limit == 0 || t.count() <= limit {
		return false
	}
	t.rows = t.rows[:1+limit]
	return true
}

// promote moves some rows before the others, and keeps their order.
func (t *table) promote(is func(row []string) bool) {
	rows := t.rows[1:]
	slices.SortStableFunc(rows, func(a, b []string) int {
		switch {
		case is(a) == is(b):
			return 0
		case is(a):
			return -1
		}
		return 1
	})
}

// String formats the table without a final line break. Text from canisters is put on one line.
func (t *table) String() string {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
			widths[i] = max(widths[i], shownWidth(row[i]))
		}
	}
	var text strings.Builder
	for n, row := range t.rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-shownWidth(cell))
			if n == 0 {
				cell = t.cli.paint(faint, cell)
			}
			if i == len(row)-1 {
				text.WriteString(cell)
				break
			}
			text.WriteString(cell + pad + "  ")
		}
		text.WriteByte('\n')
	}
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// oneLine escapes characters of foreign text that would move the cursor, break the line or change the direction of
// writing. It keeps our own colours.
func oneLine(text string) string {
	if strings.HasPrefix(text, "\x1b[") && strings.HasSuffix(text, "\x1b[0m") {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Cf) || r == utf8.RuneError {
			return '·'
		}
		return r
	}, text)
}

// shownWidth returns how many cells a text takes on a terminal: colours take none.
func shownWidth(text string) int {
	if strings.HasPrefix(text, "\x1b[") {
		_, text, _ = strings.Cut(text, "m")
		text = strings.TrimSuffix(text, "\x1b[0m")
	}
	return textwidth.Of(text)
}
