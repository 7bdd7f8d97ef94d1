package pocketic

import (
	"bytes"
	"fmt"
	"net/http"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	pages "github.com/canisterd/canisterd/api/gateway"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/markup"
)

// maxDashboard is the most canisters that the page shows.
const maxDashboard = 10_000

// getDashboard serves GET /instances/{id}/_/dashboard. It does not wait for operations.
func (s *Server) getDashboard(w http.ResponseWriter, r *http.Request) {
	e, err := s.find(r)
	if err != nil {
		refuse(w, err)
		return
	}
	canisters, err := page{e}.Canisters(r.Context(), maxDashboard)
	if err != nil {
		refuse(w, err)
		return
	}
	view := e.instance.Driver().View()
	body := []g.Node{
		h.H1(g.Text("PocketIC Dashboard")),
		h.P(g.Textf("Instance %d of canisterd, height %d, time %d ns", e.number, view.Height, view.Time)),
	}
	for i := range view.Subnets {
		var its []pages.Canister
		for at := range canisters {
			if canisters[at].Subnet == view.Subnets[i].ID {
				its = append(its, canisters[at])
			}
		}
		body = append(body,
			h.H2(g.Textf("Subnet %s (%s)", view.Subnets[i].ID, kindNames[view.Subnets[i].Kind])),
			h.Table(
				markup.Heads("Name", "Canister", "Status", "Cycles", "Memory (bytes)"),
				markup.Each(its, func(c *pages.Canister) g.Node { return dashboardRow(e.number, c) }),
			),
		)
	}
	dashboard := markup.Document(
		h.Head(h.Meta(h.Charset("utf-8")), h.TitleEl(g.Text("PocketIC Dashboard"))),
		h.Body(markup.Lines(body...)),
	)
	var text bytes.Buffer
	_ = dashboard.Render(&text) // a buffer takes all
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes())
}

// dashboardRow returns a canister as a row of the dashboard of an instance.
func dashboardRow(instance int, c *pages.Canister) g.Node {
	id := c.ID.String()
	return h.Tr(h.Td(g.Text(c.Name)), h.Td(h.A(h.Href(fmt.Sprintf("/instances/%d/_/canister/%s", instance, id)), g.Text(id))),
		h.Td(g.Text(c.Status)), h.Td(g.Text(c.Cycles)), h.Td(g.Text(c.Memory)))
}

// getCanister serves GET /instances/{id}/_/canister/{canister}: a page about a canister. It does not wait for
// operations.
func (s *Server) getCanister(w http.ResponseWriter, r *http.Request) {
	e, err := s.find(r)
	if err != nil {
		refuse(w, err)
		return
	}
	id, err := principal.Parse(r.PathValue("canister"))
	if err != nil {
		refuse(w, conversion("Bad canister id"))
		return
	}
	served, err := pages.ServeCanister(w, r, page{e}, id, pages.About{Control: "http://" + r.Host})
	switch {
	case err != nil:
		refuse(w, err)
	case !served:
		refuse(w, failed("the instance has no canister %s", id))
	}
}
