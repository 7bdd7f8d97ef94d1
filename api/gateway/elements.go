package gateway

import (
	"bytes"
	_ "embed"
	"net/http"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/canisterd/canisterd/internal/markup"
)

//go:embed page.css
var pageStyle string

// document returns a page of the gateway.
func document(title string, body ...g.Node) g.Node {
	return markup.Document(
		h.Head(markup.Lines(h.Meta(h.Charset("utf-8")), markup.Viewport(), h.TitleEl(g.Text(title)), markup.Style(pageStyle))),
		h.Body(markup.Lines(body...)),
	)
}

// table returns a table of properties.
func table(rows ...g.Node) g.Node { return h.Table(markup.Lines(rows...)) }

// property returns a row of such a table.
func property(name string, value g.Node) g.Node {
	return h.Tr(h.Th(g.Text(name)), h.Td(value))
}

// code returns a text of machines.
func code(text string) g.Node { return h.Code(g.Text(text)) }

// page returns the page about a fault.
func (s *shownFault) page() g.Node {
	return document(s.Code+" - canisterd",
		h.H1(g.Text(s.What)),
		table(
			g.If(s.Canister != "", property("Canister", code(s.Canister))),
			g.If(s.Instance != "", property("Instance", g.Text(s.Instance))),
			property("Code", g.Textf("%s (HTTP %d)", s.Code, s.Status)),
			g.If(s.Why != "", property("Cause", h.Pre(g.Text(s.Why)))),
			property("What to do", g.Text(s.Remedy)),
		),
	)
}

// page returns the page about the canister. The scheme of the only address that is not a path is always http.
func (s *shownDetails) page() g.Node {
	body := []g.Node{
		h.H1(g.Text(s.Name)),
		table(
			property("Canister", code(s.ID)),
			property("Instance", g.Text(s.Instance)),
			property("Subnet", code(s.Subnet)),
			property("Status", g.Text(s.Status)),
			property("Cycles", g.Text(s.Cycles)),
			property("Memory (bytes)", g.Text(s.Memory)),
			property("Module", code(s.Module)),
			g.If(s.Pages != "", property("Its pages", h.A(h.Href(s.Pages), g.Text(s.Pages)))),
		),
	}
	if len(s.Hints) > 0 {
		body = append(body,
			h.H2(g.Text("Call it")),
			h.Pre(g.Text(strings.Join(s.Hints, "\n")+"\n")),
			h.P(g.Text("ARGUMENTS are Candid text, such as "), code(`'("Ada", 5)'`), g.Text(". A canister that was deployed from the folder can be called by its name.")),
		)
	}
	body = append(body, h.H2(g.Text("Interface")))
	if s.Interface != "" {
		body = append(body, h.Pre(g.Text(s.Interface)))
	} else {
		body = append(body, h.P(g.Text("It publishes no Candid interface, neither as metadata "), code("candid:service"), g.Text(" nor by a query.")))
	}
	return document(s.Name, body...)
}

// dashboardPage returns the page about instances.
func dashboardPage(address, domain string, instances []shownInstance) g.Node {
	body := []g.Node{
		h.H1(g.Text("canisterd")),
		h.P(g.Text("A local Internet Computer. Agents use "), code(address), g.Text("; pages of canisters are at "), code("http://CANISTER."+domain), g.Text(".")),
	}
	for i := range instances {
		body = append(body, instances[i].elements()...)
	}
	return document("canisterd", body...)
}

// elements returns what the dashboard has of an instance.
func (s *shownInstance) elements() []g.Node {
	all := []g.Node{
		h.H2(g.Text("Instance " + s.Name)),
		table(
			property("Height", g.Text(strconv.FormatUint(s.Height, 10))),
			property("Time", g.Text(s.Time)),
			property("Root key", code(s.RootKey)),
		),
	}
	switch {
	case s.Fault != "":
		all = append(all, h.P(g.Text(s.Fault)))
	case len(s.Canisters) == 0:
		all = append(all, h.P(g.Text("No canisters yet. Deploy one: "), code("canisterd deploy"), g.Text(".")))
	default:
		all = append(all, h.Div(h.Style("overflow-x: auto"), h.Table(
			markup.Heads("Name", "Canister", "Status", "Cycles", "Memory (bytes)", "Module", "Subnet"),
			markup.Each(s.Canisters, (*shownCanister).row),
		)))
	}
	if s.More > 0 {
		all = append(all, h.P(g.Textf("Only the first %d canisters are shown: canisterd canister list shows all.", s.More)))
	}
	return all
}

// row returns the canister as a row of the dashboard. Its link is a path.
func (c *shownCanister) row() g.Node {
	return h.Tr(h.Td(h.A(h.Href(c.Link), g.Text(c.Name))), h.Td(code(c.ID)), h.Td(g.Text(c.Status)), h.Td(g.Text(c.Cycles)), h.Td(g.Text(c.Memory)),
		h.Td(h.Code(h.Style("overflow-wrap: normal"), g.Text(c.Module))), h.Td(code(c.Subnet)))
}

// sendHTML sends a page of the gateway as HTML.
func sendHTML(w http.ResponseWriter, page g.Node) {
	var body bytes.Buffer
	_ = page.Render(&body) // a buffer takes all
	sendPage(w, http.StatusOK, "text/html; charset=utf-8", body.Bytes())
}
