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
	Number      int
	Kind        string // finding or suspicion
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
	data := struct {
		Conclusion string
		Findings   []pageFinding
	}{Conclusion: fmt.Sprintf("%d runs, %d messages.", r.Runs, r.Messages)}
	if r.Exhausted {
		data.Conclusion += fmt.Sprintf(" All orders (%d) were run, without faults", r.Classes)
		if r.ExhaustedFaults {
			data.Conclusion += " and with each single fault"
		}
		data.Conclusion += "."
	}
	for i, f := range r.Findings {
		shown, err := f.onPage(c)
		if err != nil {
			return "", err
		}
		shown.Number = i + 1
		data.Findings = append(data.Findings, shown)
	}
	var out strings.Builder
	if err := pageTemplate.Execute(&out, data); err != nil {
		return "", fmt.Errorf("writing the page: %w", err)
	}
	return out.String(), nil
}

func (f *Finding) onPage(c *Config) (shown pageFinding, err error) {
	shown.Kind, shown.Text, shown.Schedule = "Finding", strings.TrimRight(f.Text, "."), len(f.Steps) > 0
	if f.Suspicion {
		shown.Kind = "Suspicion"
	}
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
		shown.Steps = append(shown.Steps, line(&c.Setup, &f.Steps[i]))
	}
	shown.Differences, err = f.Differences(c)
	return shown, err
}
