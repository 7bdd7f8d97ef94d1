package campaign

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/canisterd/canisterd/explore/harness"
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
	Differences []Shown
	Schedule    bool
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
	}
	return page(r.Conclusion(), findings)
}

// Page is a finding, or its replay, as one page of HTML with a diagram. It needs no other file.
func (f *Finding) Page(c *Config) (string, error) {
	shown, err := f.onPage(c)
	if err != nil {
		return "", err
	}
	return page("The schedule of "+f.Property+".", []pageFinding{shown})
}

func page(conclusion string, findings []pageFinding) (string, error) {
	var out strings.Builder
	if err := pageTemplate.Execute(&out, struct {
		Conclusion string
		Findings   []pageFinding
	}{conclusion, findings}); err != nil {
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
	shown.Differences, err = f.Differences(c)
	return shown, err
}
