package campaign

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/canisterd/canisterd/internal/markup"
)

//go:embed page.css
var pageStyle string

// page returns the page of a report, or of a single finding without metrics.
func page(conclusion string, findings []pageFinding, metrics *pageMetrics) string {
	body := []g.Node{h.H1(g.Text("canisterd explore")), quiet(g.Text(conclusion))}
	for i := range findings {
		body = append(body, findings[i].section())
	}
	if len(findings) == 0 {
		body = append(body, h.Section(h.P(g.Text("Nothing was found."))))
	}
	if metrics != nil {
		body = append(body, metrics.section())
	}
	document := markup.Document(
		h.Meta(h.Charset("utf-8")),
		markup.Viewport(),
		h.TitleEl(g.Text("canisterd explore")),
		markup.Style(pageStyle),
		h.Main(markup.Lines(body...)),
	)
	var out strings.Builder
	_ = document.Render(&out) // a builder takes all
	return out.String()
}

func (f *pageFinding) section() g.Node {
	label := f.Kind
	if f.Number > 0 {
		label += " " + strconv.Itoa(f.Number)
	}
	parts := []g.Node{
		h.P(h.Span(h.Class("kind "+f.Class), g.Text(label)), g.Text(" "), h.Span(h.Class("quiet"), g.Text(f.Where))),
		h.H2(g.Text(f.Text + ".")),
	}
	for _, text := range f.Also {
		parts = append(parts, h.P(g.Text("The same run is suspicious: "+text+".")))
	}
	if len(f.Operations) > 0 {
		parts = append(parts, h.H3(g.Text("Operations")))
		for _, o := range f.Operations {
			parts = append(parts, h.Div(h.Span(h.Class("dot "+o.Color)), h.Code(g.Text(o.Name+": "+o.Title))))
		}
	}
	if f.Schedule {
		parts = append(parts, f.order()...)
	}
	if len(f.Differences) > 0 {
		parts = append(parts, h.H3(g.Text("What is different")), wide("values",
			markup.Heads("", "one operation after the other", "in this run"),
			markup.Each(f.Differences, (*Difference).row),
		))
	}
	if len(f.Steps) > 0 {
		parts = append(parts, h.H3(g.Text("Messages")), h.Ol(h.Class("steps"), items(f.Steps)))
	}
	if f.File != "" {
		parts = append(parts, f.again()...)
	}
	return h.Section(markup.Lines(parts...))
}

// order returns the elements about the order of the messages.
func (f *pageFinding) order() []g.Node {
	except := h.P(g.Text("As they arrive (FIFO), without faults."))
	if len(f.Deviations) > 0 {
		except = g.Group{h.P(g.Text("As they arrive (FIFO), except:")), h.Ol(items(f.Deviations))}
	}
	return []g.Node{
		h.H3(g.Text("Order of the messages")), except,
		h.Div(h.Class("diagram"), g.Raw(f.Diagram)), // texts in it are escaped (page_svg.go)
		quiet(g.Text("A bar beside a line is the time in which a canister awaits an answer: other messages run there.")),
	}
}

// again returns the elements with the schedule. Its link has the file itself in base64, which needs no escapes.
func (f *pageFinding) again() []g.Node {
	name := fmt.Sprintf("finding-%d.yaml", f.Number)
	data := "data:text/yaml;base64," + base64.StdEncoding.EncodeToString([]byte(f.File))
	return []g.Node{
		h.H3(g.Text("Run it again")),
		h.P(h.ID(fmt.Sprintf("replay-%d", f.Number)), g.Text("Save the schedule as "), h.A(h.Download(name), h.Href(data), g.Text(name)),
			g.Text(", and run "), h.Code(g.Text("canisterd explore replay "+name)), g.Text(".")),
		h.Details(h.Summary(g.Text("The schedule")), h.Pre(g.Text(f.File))),
	}
}

func (d *Difference) row() g.Node {
	title := d.Title
	if d.Canister != "" {
		title = d.Canister + " " + title
	}
	return h.Tr(h.Td(g.Text(title)), h.Td(g.Text(d.Serial)), h.Td(h.Class("found"), g.Text(d.Found)))
}

// section returns the tables of a report.
func (m *pageMetrics) section() g.Node {
	parts := []g.Node{
		h.H2(g.Text("What was run")),
		h.H3(g.Text("Operations and their answers, in runs")),
		wide("counts",
			markup.Heads("operation", "replied", "rejected", "trapped", "open"),
			markup.Each(m.Operations, func(o *OperationCount) g.Node {
				return h.Tr(h.Td(g.Text(o.Title)), count(o.Replied), count(o.Rejected), count(o.Trapped), count(o.Open))
			}),
		),
	}
	if len(m.Awaits) > 0 {
		parts = append(parts, h.H3(g.Text("Awaits and their faults, in runs")), wide("counts",
			h.Tr(h.Th(g.Text("await")), h.Th(g.Text("all")), g.Map(m.Faults, faultHead)),
			markup.Each(m.Awaits, (*pageAwait).row),
		))
	}
	return h.Section(markup.Lines(parts...))
}

// faultHead returns the head of the column of a kind of fault, which may break after each word.
func faultHead(words []string) g.Node {
	var parts []g.Node
	for i, word := range words {
		if i > 0 {
			parts = append(parts, g.Text("_"), h.Wbr())
		}
		parts = append(parts, g.Text(word))
	}
	return h.Th(parts...)
}

func (a *pageAwait) row() g.Node {
	tried := g.Map(a.Tried, func(text string) g.Node { return h.Td(g.Text(text)) })
	return h.Tr(h.Td(g.Text(a.Await)), count(a.Runs), tried)
}

func count(runs int) g.Node { return h.Td(g.Text(strconv.Itoa(runs))) }

func quiet(text g.Node) g.Node { return h.P(h.Class("quiet"), text) }

// items returns the items of a list.
func items(texts []string) g.Node {
	return g.Map(texts, func(text string) g.Node { return h.Li(g.Text(text)) })
}

// wide returns a table that scrolls if the window is too narrow for it.
func wide(class string, rows ...g.Node) g.Node {
	return h.Div(h.Class("wide"), h.Table(h.Class(class), g.Group(rows)))
}
