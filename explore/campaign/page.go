package campaign

import (
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/schedule"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pageFinding is a finding as the page shows it.
type pageFinding struct {
	Number      int    // in a report, from 1
	Kind        string // finding, suspicion, or the outcome of a replay
	Class       string // of the kind, for its color
	Text        string
	Where       string // the run that showed it
	Operations  []pageOperation
	Deviations  []string
	Diagram     template.HTML
	Steps       []string
	Differences []Difference
	Schedule    bool
	File        string // the schedule as YAML, "" for none
}

// pageMetrics are the tables of a report.
type pageMetrics struct {
	Operations []OperationCount
	Faults     []harness.FaultKind // columns of the awaits
	Awaits     []pageAwait
}

// pageAwait is a row of the matrix of awaits and faults.
type pageAwait struct {
	Await string
	Runs  int
	Tried []string // for each column
}

// metrics are the tables of the report.
func (r *Report) metrics() *pageMetrics {
	m := &pageMetrics{Operations: r.Operations}
	for _, a := range r.Awaits {
		m.Faults = slices.AppendSeq(m.Faults, maps.Keys(a.Tried))
	}
	slices.Sort(m.Faults)
	m.Faults = slices.Compact(m.Faults)
	for _, a := range r.Awaits {
		row := pageAwait{Await: a.Caller + " > " + a.Callee, Runs: a.Runs}
		for _, kind := range m.Faults {
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
	Color       template.CSS
}

// Page is the findings as one page of HTML, with a diagram of each run. It needs no other file.
func (r *Report) Page(c *Config) (string, error) {
	findings := make([]pageFinding, len(r.Findings))
	for i, f := range r.Findings {
		var err error
		if findings[i], err = f.onPage(c); err != nil {
			return "", err
		}
		findings[i].Number = i + 1
		if f.Schedule.Operations == nil {
			continue // it is about all runs
		}
		text, err := schedule.Write(f.File(c))
		if err != nil {
			return "", err
		}
		findings[i].File = string(text)
	}
	return page(r.Conclusion(), findings, r.metrics())
}

// Page is a finding, or its replay, as one page of HTML with a diagram. It needs no other file.
func (f *Finding) Page(c *Config) (string, error) {
	shown, err := f.onPage(c)
	if err != nil {
		return "", err
	}
	return page("The schedule of "+f.Property+".", []pageFinding{shown}, nil)
}

func page(conclusion string, findings []pageFinding, metrics *pageMetrics) (string, error) {
	var out strings.Builder
	if err := pageTemplate.Execute(&out, struct {
		Conclusion string
		Findings   []pageFinding
		Metrics    *pageMetrics // nil: there are none
	}{conclusion, findings, metrics}); err != nil {
		return "", fmt.Errorf("writing the page: %w", err)
	}
	return out.String(), nil
}

// kind is what a finding is called, with the class of its color.
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
	shown.Kind, shown.Class = f.kind()
	shown.Text, shown.Schedule = strings.TrimRight(f.Text, "."), len(f.Steps) > 0
	if f.Run > 0 {
		shown.Where = fmt.Sprintf("found in run %d (%s)", f.Run, f.Phase)
	}
	for _, position := range f.Schedule.Operations {
		name := harness.OperationName(position)
		shown.Operations = append(shown.Operations, pageOperation{name, c.Setup.Operations[position].Title, template.CSS(colorOf(name))})
	}
	if len(f.Schedule.Deviations)+len(f.Schedule.Plan) > 0 {
		lines := strings.Split(strings.TrimSpace(f.Schedule.Words(&c.Setup, f.Steps)), "\n")
		for _, line := range lines[1:] {
			_, words, _ := strings.Cut(line, ") ")
			shown.Deviations = append(shown.Deviations, words)
		}
	}
	shown.Diagram = template.HTML(f.svg(&c.Setup)) //nolint:gosec // all texts in it are escaped
	for i := range f.Steps {
		shown.Steps = append(shown.Steps, line(&c.Setup, f.Steps[i]))
	}
	err = f.Compare(c)
	shown.Differences = f.Differences
	return shown, err
}
