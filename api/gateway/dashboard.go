package gateway

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
{{else}}<div style="overflow-x: auto"><table>
<tr><th>Name</th><th>Canister</th><th>Status</th><th>Cycles</th><th>Memory (bytes)</th><th>Module</th><th>Subnet</th></tr>
{{range .Canisters}}<tr><td><a href="{{.Link}}">{{.Name}}</a></td><td><code>{{.ID}}</code></td><td>{{.Status}}</td><td>{{.Cycles}}</td><td>{{.Memory}}</td><td><code style="overflow-wrap: normal">{{.Module}}</code></td><td><code>{{.Subnet}}</code></td></tr>
{{end}}</table></div>
{{end}}{{if .More}}<p>Only the first {{.More}} canisters are shown: canisterd canister list shows all.</p>
{{end}}{{end}}</body>
</html>
`))

// idVariable begins the name of the environment variable with which tools tell a canister the id of each canister of its
// project, and so its own name.
const idVariable = "PUBLIC_CANISTER_ID:"

// grouped groups decimal digits by three, as Candid does.
func grouped(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "_" + digits[at:]
	}
	return digits
}

// Describe converts reports about canisters.
func Describe(reports []introspect.CanisterReport) []Canister {
	all := make([]Canister, len(reports))
	for i := range reports {
		r := &reports[i]
		all[i] = Canister{ID: r.ID, Subnet: r.Subnet, Status: r.Status.String(), Cycles: grouped(r.Balance.String()), Memory: grouped(strconv.FormatUint(r.Usage.Total(), 10))}
		for _, v := range r.Settings.Environment {
			if name, is := strings.CutPrefix(v.Name, idVariable); is && v.Value == r.ID.String() {
				all[i].Name = name
				break
			}
		}
		if r.Module != nil {
			all[i].Pages = r.Module.Method("http_request") != 0
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
	Name, ID, Subnet, Status, Cycles, Memory, Module string
	Link                                             string
}

func showCanister(c *Canister) shownCanister {
	id := c.ID.String()
	return shownCanister{
		Name: cmp.Or(c.Name, id), ID: id, Subnet: c.Subnet.String(), Status: c.Status, Cycles: c.Cycles, Memory: c.Memory, Module: shortHash(c.Module),
	}
}

// serveDashboard shows the instances and their canisters.
func (g *Gateway) serveDashboard(w http.ResponseWriter, r *http.Request, to *target) {
	var shown []shownInstance
	for _, n := range g.networks.Networks() {
		shown = append(shown, g.showInstance(r, n))
	}
	var page bytes.Buffer
	err := dashboardPage.Execute(&page, map[string]any{"Title": "canisterd", "Address": "http://" + r.Host, "Domain": to.domain, "Instances": shown})
	if err != nil {
		panic("gateway: bug: the dashboard: " + err.Error())
	}
	sendPage(w, http.StatusOK, "text/html; charset=utf-8", page.Bytes())
}

// showInstance describes an instance, with links to pages about its canisters: what these serve themselves may fail.
func (g *Gateway) showInstance(r *http.Request, n Network) shownInstance {
	shown := shownInstance{Name: n.Name()}
	view := n.Backend().View()
	if view == nil {
		shown.Fault = "It is not running."
		return shown
	}
	shown.Height, shown.RootKey = view.Height(), hex.EncodeToString(view.RootKey())
	shown.Time = time.Unix(0, int64(n.Backend().Clock().Now)).UTC().Format(time.RFC3339)
	within := canisterPath
	if implied := g.networks.Network(""); implied == nil || implied.Name() != n.Name() {
		within = "/instances/" + url.PathEscape(n.Name()) + canisterPath
	}
	canisters, err := n.Canisters(r.Context(), maxListed+1)
	if err != nil {
		shown.Fault = "Its canisters cannot be listed: " + err.Error()
		return shown
	}
	if len(canisters) > maxListed {
		canisters, shown.More = canisters[:maxListed], maxListed
	}
	for i := range canisters {
		one := showCanister(&canisters[i])
		one.Link = within + one.ID
		shown.Canisters = append(shown.Canisters, one)
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
