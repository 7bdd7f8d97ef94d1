package pocketic

import (
	"bytes"
	"html/template"
	"net/http"

	pages "github.com/canisterd/canisterd/api/gateway"
	"github.com/canisterd/canisterd/candid/principal"
)

// dashboard is the page for people.
var dashboard = template.Must(template.New("dashboard").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>PocketIC Dashboard</title></head>
<body>
<h1>PocketIC Dashboard</h1>
<p>Instance {{.Number}} of canisterd, height {{.Height}}, time {{.Time}} ns</p>
{{$number := .Number}}{{range .Subnets}}<h2>Subnet {{.ID}} ({{.Kind}})</h2>
<table>
<tr><th>Name</th><th>Canister</th><th>Status</th><th>Cycles</th><th>Memory (bytes)</th></tr>
{{range .Canisters}}<tr><td>{{.Name}}</td><td><a href="/instances/{{$number}}/_/canister/{{.ID}}">{{.ID}}</a></td><td>{{.Status}}</td><td>{{.Cycles}}</td><td>{{.Memory}}</td></tr>
{{end}}</table>
{{end}}</body>
</html>
`))

// dashboardSubnet is a subnet on the page.
type dashboardSubnet struct {
	ID, Kind  string
	Canisters []pages.Canister
}

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
	var subnets []dashboardSubnet
	for i := range view.Subnets {
		shown := dashboardSubnet{ID: view.Subnets[i].ID.String(), Kind: kindNames[view.Subnets[i].Kind]}
		for at := range canisters {
			if canisters[at].Subnet == view.Subnets[i].ID {
				shown.Canisters = append(shown.Canisters, canisters[at])
			}
		}
		subnets = append(subnets, shown)
	}
	var text bytes.Buffer
	err = dashboard.Execute(&text, map[string]any{"Number": e.number, "Height": view.Height, "Time": view.Time, "Subnets": subnets})
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes())
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
