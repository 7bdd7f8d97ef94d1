package architecture

import (
	"fmt"
	"slices"
	"strings"
)

// page is the text under way, what shows each row, and what is wrong with them.
type page struct {
	strings.Builder
	proofs []proof
	shown  map[string][]string // by the row without its last cell: all that could stand there
	faults []string
}

func (p *page) section(title, text string, columns ...string) {
	fmt.Fprintf(p, "\n## %s\n\n%s\n\n| %s |\n|%s\n", title, text, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

// mostProofs is how many the page has of an item.
const mostProofs = 2

// row writes the cells of an item, and what shows it.
func (p *page) row(item string, find search, cells ...string) {
	found := p.find(find)
	if len(found) == 0 {
		p.faults = append(p.faults, "nothing shows "+item+": write a script, or a test")
	}
	start := strings.Join(cells, " | ")
	p.shown[start] = found
	fmt.Fprintf(p, "| %s | %s |\n", start, strings.Join(found[:min(len(found), mostProofs)], ", "))
}

// unshown writes the cells of an item that no script shows, and why; with a test where
// there is one.
func (p *page) unshown(item, reason, test string, find search, cells []string) {
	if found := p.find(find); len(found) > 0 {
		p.faults = append(p.faults, fmt.Sprintf("%s is in the list of what no script shows, but %s does", item, found[0]))
	}
	if test != "" {
		at := slices.IndexFunc(p.proofs, func(one proof) bool { return one.test == test })
		if at < 0 {
			p.faults = append(p.faults, item+" is shown by "+test+", which is not there")
			return
		}
		reason += " " + p.proofs[at].String()
	}
	fmt.Fprintf(p, "| %s | %s |\n", strings.Join(cells, " | "), reason)
}

// differences are what is wrong with a page that was written earlier. It may have other proofs, as
// long as they are some: not every new test makes a new page.
func (p *page) differences(written string) (wrong []string) {
	have, want := strings.Split(written, "\n"), strings.Split(p.String(), "\n")
	if len(have) != len(want) {
		return []string{fmt.Sprintf("it has %d lines, not %d", len(have), len(want))}
	}
	for i, line := range have {
		if line != want[i] && !p.shows(line) {
			wrong = append(wrong, fmt.Sprintf("line %d is %q, not %q", i+1, line, want[i]))
		}
	}
	return wrong
}

// shows reports whether a line is a row of the page, and what stands in its last cell shows it.
func (p *page) shows(line string) bool {
	row := strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |")
	at := strings.LastIndex(row, " | ")
	if at < 0 {
		return false
	}
	for _, one := range strings.Split(row[at+3:], ", ") {
		if !slices.Contains(p.shown[row[:at]], one) {
			return false
		}
	}
	return true
}

func code(text string) string { return "`" + text + "`" }

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "–"
}
