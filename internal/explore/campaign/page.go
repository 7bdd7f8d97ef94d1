package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/internal/candid/generated"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/schedule"
)

// pageFinding is a finding as the page shows it.
type pageFinding struct {
	Number      int    // in a report, from 1; 0: no number
	Kind        string // finding, suspicion, or the outcome of a replay
	Class       string // CSS class of the kind
	Text        string
	Where       string // the run with the finding
	Also        []string
	Operations  []pageOperation
	Deviations  []string
	Diagram     string // SVG, in which texts are escaped
	Steps       []string
	Differences []Difference
	Schedule    bool
	File        string // the schedule as YAML, "" for none
}

// pageMetrics are the tables of a report.
type pageMetrics struct {
	Operations []OperationCount
	Faults     [][]string // columns of the awaits: the words of each kind
	Awaits     []pageAwait
}

// pageAwait is a row of the table of awaits and faults.
type pageAwait struct {
	Await string
	Runs  int
	Tried []string // for each column
}

// metrics returns the tables of the report, with all awaits or without those of asynchronous blocks.
func (r *Report) metrics(all bool) *pageMetrics {
	m := &pageMetrics{Operations: r.Operations}
	var kinds []harness.FaultKind
	for _, a := range r.Awaits {
		kinds = slices.AppendSeq(kinds, maps.Keys(a.Tried))
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	for _, kind := range kinds {
		m.Faults = append(m.Faults, strings.Split(kind.String(), "_"))
	}
	for _, a := range r.Awaits {
		if !all && generated.Await(a.Caller, a.Callee) {
			continue
		}
		row := pageAwait{Await: a.Caller + " > " + a.Callee, Runs: a.Runs}
		for _, kind := range kinds {
			text := "–"
			if runs, tried := a.Tried[kind]; tried {
				text = strconv.Itoa(runs)
			}
			row.Tried = append(row.Tried, text)
		}
		m.Awaits = append(m.Awaits, row)
	}
	return m
}

// pageOperation is an operation with its color.
type pageOperation struct {
	Name, Title string
	Color       string // CSS class
}

// Page returns the findings as a self-contained HTML page with a diagram of each run. The element with the id replay-N
// says how the schedule of the finding N, from 1, is saved and replayed: who writes it to a file replaces the element.
func (r *Report) Page(c *Config) (string, error) {
	findings := make([]pageFinding, len(r.Findings))
	for i, f := range r.Findings {
		var err error
		if findings[i], err = f.onPage(c); err != nil {
			return "", err
		}
		findings[i].Number = i + 1
		if f.Schedule.Operations == nil {
			continue // the finding is about all runs
		}
		text, err := schedule.Write(f.File(c))
		if err != nil {
			return "", err
		}
		findings[i].File = string(text)
	}
	return page(r.Conclusion(), findings, r.metrics(c.Setup.Generated)), nil
}

// Page returns a finding, or its replay, as a self-contained HTML page with a diagram.
func (f *Finding) Page(c *Config) (string, error) {
	shown, err := f.onPage(c)
	if err != nil {
		return "", err
	}
	return page("The schedule of "+f.Property+".", []pageFinding{shown}, nil), nil
}

// kind returns the label of a finding and its CSS class.
func (f *Finding) kind() (words, class string) {
	switch {
	case f.Outcome != 0:
		words = f.Outcome.String()
		return strings.ToUpper(words[:1]) + words[1:], strings.ReplaceAll(words, " ", "-")
	case f.Suspicion:
		return "Suspicion", "suspicion"
	}
	return "Finding", "finding"
}

func (f *Finding) onPage(c *Config) (shown pageFinding, err error) {
	if f.own != nil {
		c = f.own
	}
	shown.Kind, shown.Class = f.kind()
	shown.Text, shown.Schedule = strings.TrimRight(f.Text, "."), len(f.Steps) > 0
	if f.Run > 0 {
		shown.Where = fmt.Sprintf("found in run %d (%s)", f.Run, f.Phase)
	}
	for _, title := range f.before() {
		shown.Operations = append(shown.Operations, pageOperation{Name: "before", Title: title})
	}
	for _, position := range f.Schedule.Operations {
		name := harness.OperationName(position)
		shown.Operations = append(shown.Operations, pageOperation{name, c.Setup.Operations[position].Title, colorOf(name)})
	}
	shown.Also = f.Also
	shown.Deviations = f.Exceptions(&c.Setup)
	shown.Diagram = f.svg(&c.Setup)
	for _, s := range f.shown(&c.Setup) {
		shown.Steps = append(shown.Steps, f.line(&c.Setup, s))
	}
	err = f.Compare(c)
	shown.Differences = f.Differences
	return shown, err
}
