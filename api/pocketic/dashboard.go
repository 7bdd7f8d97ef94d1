package pocketic

import (
	"bytes"
	"html/template"
	"net/http"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
)

// dashboard is the page for people.
var dashboard = template.Must(template.New("dashboard").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>PocketIC Dashboard</title></head>
<body>
<h1>PocketIC Dashboard</h1>
<p>Instance {{.Number}} of canisterd, height {{.Height}}, time {{.Time}} ns</p>
{{range .Subnets}}<h2>Subnet {{.ID}} ({{.Kind}})</h2>
<table>
<tr><th>Canister</th><th>Status</th><th>Cycles</th><th>Memory (bytes)</th></tr>
{{range .Canisters}}<tr><td>{{.ID}}</td><td>{{.Status}}</td><td>{{.Balance}}</td><td>{{.Usage.Total}}</td></tr>
{{end}}</table>
{{end}}</body>
</html>
`))

// dashboardSubnet is a subnet on the page.
type dashboardSubnet struct {
	ID, Kind  string
	Canisters []introspect.CanisterReport
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
	reports, err := own(r.Context(), e, func(n *replica.Network) []introspect.CanisterReport {
		return n.Introspect().Reports(principal.Management, maxDashboard)
	})
	if err != nil {
		refuse(w, err)
		return
	}
	view := e.instance.Node().View()
	var subnets []dashboardSubnet
	for i := range view.Subnets {
		shown := dashboardSubnet{ID: view.Subnets[i].ID.String(), Kind: kindNames[view.Subnets[i].Kind]}
		for at := range reports {
			if reports[at].Subnet == view.Subnets[i].ID {
				shown.Canisters = append(shown.Canisters, reports[at])
			}
		}
		subnets = append(subnets, shown)
	}
	var page bytes.Buffer
	err = dashboard.Execute(&page, map[string]any{"Number": e.number, "Height": view.Height, "Time": view.Time, "Subnets": subnets})
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page.Bytes())
}
