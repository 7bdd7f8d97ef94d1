package coverage

import (
	_ "embed"
	"fmt"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/canisterd/canisterd/internal/markup"
)

//go:embed page.css
var pageStyle string

// document returns the page. Addresses in it are those of its own elements, with numbers in their ids.
func (p *page) document() g.Node {
	body := []g.Node{h.H1(g.Text("Coverage")), p.totals()}
	if len(p.Files) > 0 {
		body = append(body, h.H2(g.Text("Files")), p.files(), h.H2(g.Text("Lines")), key())
		for i := range p.Files {
			body = append(body, p.Files[i].details())
		}
	}
	if len(p.Canisters) > 0 {
		body = append(body, h.H2(g.Text("Functions")))
		for i := range p.Canisters {
			body = append(body, p.Canisters[i].details())
		}
	}
	return markup.Document(
		h.Head(markup.Lines(
			h.Meta(h.Charset("utf-8")),
			h.Meta(g.Attr("http-equiv", "Content-Security-Policy"), h.Content("default-src 'none'; style-src 'unsafe-inline'")),
			markup.Viewport(),
			h.TitleEl(g.Text("Coverage")),
			markup.Style(pageStyle),
		)),
		h.Body(markup.Lines(body...)),
	)
}

// totals returns the table of canisters.
func (p *page) totals() g.Node {
	rows := markup.Lines(h.Tr(h.Td(h.Class("dim"), g.Text("Nothing was measured."))))
	if len(p.Canisters) > 0 {
		rows = markup.Each(p.Canisters, func(c *pageCanister) g.Node {
			return h.Tr(h.Td(link(c.ID, c.Label)), c.Totals.cells())
		})
	}
	var foot g.Node
	if len(p.Canisters) > 1 {
		foot = h.TFoot(h.Tr(h.Th(g.Text("All")), p.Totals.cells()))
	}
	return h.Table(markup.Lines(
		h.THead(h.Tr(h.Th(g.Text("Canister")), numberHead("Functions"), numberHead("Blocks"), numberHead("Lines"))),
		h.TBody(rows), foot,
	))
}

// files returns the table of files.
func (p *page) files() g.Node {
	return h.Table(markup.Lines(
		h.THead(h.Tr(h.Th(g.Text("File")), numberHead("Functions"), numberHead("Lines"))),
		h.TBody(markup.Each(p.Files, func(f *pageFile) g.Node {
			return h.Tr(h.Td(link(f.ID, f.Name)), f.Functions.cell(), f.Lines.cell())
		})),
	))
}

// key explains the colors of lines.
func key() g.Node {
	return h.P(h.Class("key"),
		h.Span(h.Class(kindRan), g.Text("✓ ran")),
		h.Span(h.Class(kindPart), g.Text("~ some of its blocks ran")),
		h.Span(h.Class(kindNot), g.Text("✗ did not run")),
	)
}

// details returns the lines of a file, or their numbers if its text is not shown.
func (f *pageFile) details() g.Node {
	children := []g.Node{heading(f.Name, g.Textf("%d of %d lines", f.Lines.Ran, f.Lines.Total))}
	if f.Text != nil {
		children = append(children, h.Table(h.Class("code"), h.TBody(markup.Each(f.Text, (*pageLine).row))))
	} else {
		children = append(children, note(f.Note), h.Table(h.TBody(markup.Each(f.Ranges, func(r *pageRange) g.Node {
			return h.Tr(h.Class(r.Kind), number(g.Text(r.Sign)), h.Td(g.Text(r.Text)))
		}))))
	}
	return h.Details(h.ID(f.ID), g.Attr("open"), markup.Lines(children...))
}

func (l *pageLine) row() g.Node {
	if l.Kind == "" {
		return h.Tr(number(g.Text(strconv.Itoa(l.Number))), number(), h.Td(g.Text(l.Text)))
	}
	return h.Tr(h.Class(l.Kind), h.Title(fmt.Sprintf("%d of %d blocks ran", l.Blocks.Ran, l.Blocks.Total)),
		number(h.ID(l.ID), g.Text(strconv.Itoa(l.Number))), number(g.Text(l.Sign)), h.Td(g.Text(l.Text)))
}

// details returns the functions of a canister.
func (c *pageCanister) details() g.Node {
	children := []g.Node{heading(c.Label, g.Textf("%d of %d functions, %d of %d blocks", c.Functions.Ran, c.Functions.Total, c.Blocks.Ran, c.Blocks.Total))}
	if !c.HasLines {
		children = append(children, note(`Its module has no lines of the developer's own sources. Rust: debug = "line-tables-only" in the profile. C: -g. Motoko: moc --map.`))
	}
	if c.LeftOut > 0 {
		children = append(children, note(fmt.Sprintf("%d other functions have no code of the developer's own sources.", c.LeftOut)))
	}
	children = append(children, h.Table(markup.Lines(
		h.THead(h.Tr(numberHead("Index"), h.Th(g.Text("Function")), h.Th(g.Text("Begins")), numberHead("Blocks"))),
		h.TBody(markup.Each(c.Called, (*pageCalled).row)),
	)))
	if c.More > 0 {
		children = append(children, note(fmt.Sprintf("%d more are not shown.", c.More)))
	}
	return h.Details(h.ID(c.ID), g.If(!c.HasLines, g.Attr("open")), markup.Lines(children...))
}

func (c *pageCalled) row() g.Node {
	begin := fmt.Sprintf("%s:%d", c.File, c.Line)
	place := g.Text(begin)
	switch {
	case c.File == "":
		place = nil
	case c.Link != "":
		place = link(c.Link, begin)
	}
	return h.Tr(number(g.Text(strconv.FormatUint(uint64(c.Index), 10))),
		h.Td(g.Text(c.Name), g.If(c.Kind != "", g.Group{g.Text(" "), dim(g.Text(c.Kind))})), h.Td(place),
		h.Td(h.Class("n "+c.Class), g.Textf("%d/%d", c.Blocks.Ran, c.Blocks.Total)))
}

// cells returns the ratios as the end of a row.
func (t *Totals) cells() g.Node {
	return g.Group{t.Functions.cell(), t.Blocks.cell(), t.Lines.cell()}
}

func (r Ratio) cell() g.Node {
	if r.Total == 0 {
		return number(g.Text("-"))
	}
	return number(g.Textf("%d/%d ", r.Ran, r.Total), h.Small(g.Text(r.Percent()+"%")))
}

// number returns a cell that is aligned as numbers are.
func number(children ...g.Node) g.Node { return h.Td(h.Class("n"), g.Group(children)) }

// numberHead returns the head of a column of numbers.
func numberHead(text string) g.Node { return h.Th(h.Class("n"), g.Text(text)) }

// heading returns what is shown of details that are closed.
func heading(name string, counts g.Node) g.Node {
	return h.Summary(h.B(g.Text(name)), g.Text(" "), dim(counts))
}

func dim(text g.Node) g.Node { return h.Span(h.Class("dim"), text) }

func note(text string) g.Node { return h.P(h.Class("dim"), g.Text(text)) }

// link returns a link to another element of the page.
func link(id, text string) g.Node { return h.A(h.Href("#"+id), g.Text(text)) }
