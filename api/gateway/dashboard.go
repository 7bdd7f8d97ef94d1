package gateway

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"net/http"
	"time"

	"github.com/canisterd/canisterd/replica/introspect"
)

var dashboardPage = template.Must(template.New("dashboard").Parse(pageHead + `<h1>canisterd</h1>
<p>A local Internet Computer. Agents use <code>{{.Address}}</code>; pages of canisters are at <code>http://CANISTER.{{.Domain}}</code>.</p>
{{range .Instances}}<h2>Instance {{.Name}}</h2>
<table>
<tr><th>Height</th><td>{{.Height}}</td></tr>
<tr><th>Time</th><td>{{.Time}}</td></tr>
<tr><th>Root key</th><td><code>{{.RootKey}}</code></td></tr>
</table>
{{if .Fault}}<p>{{.Fault}}</p>
{{else if not .Canisters}}<p>No canisters yet. Deploy one: <code>canisterd deploy</code>.</p>
{{else}}<table>
<tr><th>Canister</th><th>Status</th><th>Cycles</th><th>Memory (bytes)</th><th>Module</th><th>Subnet</th></tr>
{{range .Canisters}}<tr><td><a href="{{.Link}}"><code>{{.ID}}</code></a></td><td>{{.Status}}</td><td>{{.Cycles}}</td><td>{{.Memory}}</td><td><code>{{.Module}}</code></td><td><code>{{.Subnet}}</code></td></tr>
{{end}}</table>
{{end}}{{if .More}}<p>Only the first {{.More}} canisters are shown: canisterd canister list shows all.</p>
{{end}}{{end}}</body>
</html>
`))

// Describe converts reports about canisters.
func Describe(reports []introspect.CanisterReport) []Canister {
	all := make([]Canister, len(reports))
	for i := range reports {
		r := &reports[i]
		all[i] = Canister{ID: r.ID, Subnet: r.Subnet, Status: r.Status.String(), Cycles: r.Balance.String(), Memory: r.Usage.Total()}
		if r.Module != nil {
			hash := r.Module.Hash()
			all[i].Module = hash[:]
		}
	}
	return all
}

// shownInstance is an instance on the dashboard.
type shownInstance struct {
	Name, RootKey, Time, Fault string
	Height                     uint64
	Canisters                  []shownCanister
	More                       int // number of shown canisters if there are more; 0 otherwise
}

// shownCanister is a canister on the dashboard.
type shownCanister struct {
	ID, Subnet, Status, Cycles, Module string
	Link                               string
	Memory                             uint64
}

// serveDashboard shows the instances and their canisters.
func (g *Gateway) serveDashboard(w http.ResponseWriter, r *http.Request, to *target) {
	var shown []shownInstance
	for _, n := range g.networks.Networks() {
		shown = append(shown, showInstance(r, n, to.domain, n.Name() == to.network.Name()))
	}
	var page bytes.Buffer
	err := dashboardPage.Execute(&page, map[string]any{"Title": "canisterd", "Address": "http://" + r.Host, "Domain": to.domain, "Instances": shown})
	if err != nil {
		panic("gateway: bug: the dashboard: " + err.Error())
	}
	sendPage(w, http.StatusOK, "text/html; charset=utf-8", page.Bytes())
}

// showInstance describes an instance; hosts contain its name unless it is implied.
func showInstance(r *http.Request, n Network, domain string, implied bool) shownInstance {
	shown := shownInstance{Name: n.Name()}
	view := n.Backend().View()
	if view == nil {
		shown.Fault = "It is not running."
		return shown
	}
	shown.Height, shown.RootKey = view.Height(), hex.EncodeToString(view.RootKey())
	shown.Time = time.Unix(0, int64(n.Backend().Clock().Now)).UTC().Format(time.RFC3339)
	if !implied {
		domain = n.Name() + "." + domain
	}
	canisters, err := n.Canisters(r.Context(), maxListed+1)
	if err != nil {
		shown.Fault = "Its canisters cannot be listed: " + err.Error()
		return shown
	}
	if len(canisters) > maxListed {
		canisters, shown.More = canisters[:maxListed], maxListed
	}
	for _, c := range canisters {
		id := c.ID.String()
		shown.Canisters = append(shown.Canisters, shownCanister{
			ID: id, Subnet: c.Subnet.String(), Status: c.Status, Cycles: c.Cycles, Memory: c.Memory, Module: shortHash(c.Module),
			Link: "http://" + id + "." + domain + "/",
		})
	}
	return shown
}

func shortHash(hash []byte) string {
	if len(hash) < 4 {
		return "none"
	}
	return hex.EncodeToString(hash[:4])
}

// serveTopology serves the subnets of an instance in PocketIC's form: tools read default_effective_canister_id.
func serveTopology(w http.ResponseWriter, n Network) {
	body, err := json.Marshal(n.Topology())
	if err != nil {
		panic("gateway: bug: the topology: " + err.Error())
	}
	w.Header().Set("Access-Control-Allow-Origin", "*") // subnets are public: agents also read them through the interface
	sendPage(w, http.StatusOK, "application/json", body)
}
