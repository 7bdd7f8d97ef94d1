package gateway

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/canisterd/canisterd/replica/introspect"
)

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
	sendHTML(w, dashboardPage("http://"+r.Host, to.domain, shown))
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
