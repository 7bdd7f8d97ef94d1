package gateway

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/api/internal/origin"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/budget"
)

// Config configures a gateway. The zero value serves localhost and verifies.
type Config struct {
	// Domains are the domains below which hosts name canisters, besides localhost.
	Domains []string
	// DomainsFile is a file of lines HOST:CANISTER; "" for none. It is reread when it changes.
	DomainsFile string
	// Names finds canisters of an instance by name, "" for the default instance; nil for none.
	Names func(instance, name string) (principal.Principal, bool)
	// Unverified passes on canisters' answers as if all hosts were raw.
	Unverified bool
	// Control reports whether the address of the gateway also serves the control API, which commands use; nil: it does not.
	Control func() bool
	// Inspector reports whether the inspector is at a host, which may have a port, of the gateway's address; nil: nowhere.
	Inspector func(host string) bool
	// Memory is the budget for bodies and answers; nil: without a limit.
	Memory *budget.Budget
	// Log gets faults of the file of domains; nil for nothing.
	Log *slog.Logger
}

// Gateway serves canisters of some instances. It is safe for concurrent use.
type Gateway struct {
	networks Networks
	config   Config
	bases    []string // domains in lower case, the longest first
	domains  customDomains
	slots    slots

	mu        sync.Mutex                  // guards verifiers
	verifiers map[string]*verify.Verifier // by root key in DER form
}

// New makes a gateway for some instances.
func New(networks Networks, config Config) *Gateway {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	bases := []string{localDomain}
	for _, domain := range config.Domains {
		domain = strings.ToLower(strings.Trim(domain, "."))
		if domain != "" && !slices.Contains(bases, domain) {
			bases = append(bases, domain)
		}
	}
	slices.SortFunc(bases, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return &Gateway{
		networks: networks, config: config, bases: bases, verifiers: map[string]*verify.Verifier{},
		domains: customDomains{path: config.DomainsFile, fail: func(err error) { config.Log.Warn("custom domains", "error", err) }},
	}
}

// interfacePaths are the prefixes of paths of the Internet Computer's HTTP interface.
var interfacePaths = []string{"/api/v2/", "/api/v3/", "/api/v4/"}

func forInterface(path string) bool {
	return strings.HasPrefix(path, "/api/") && slices.ContainsFunc(interfacePaths, func(p string) bool { return strings.HasPrefix(path, p) })
}

// ServeHTTP answers a request by its host.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Agents nearly always use an address or localhost for the interface: that costs no more than this check.
	if forInterface(r.URL.Path) && !strings.Contains(r.Host, "."+localDomain) {
		if network := g.networks.Network(""); network != nil {
			network.API().ServeHTTP(w, r)
			return
		}
	}
	to := g.resolve(r)
	g.serve(w, r, &to)
}

// HostsCanister reports whether the host of a request names a canister, whatever its path is.
func (g *Gateway) HostsCanister(r *http.Request) bool {
	if !strings.Contains(r.Host, "."+localDomain) && len(g.bases) == 1 && g.domains.path == "" {
		return false
	}
	host := strings.ToLower(origin.Hostname(r.Host))
	_, custom := g.domains.find(host)
	return custom || g.resolveHost(host).found
}

// ServeInstance answers a request for one instance, whatever its host. The path does not contain the instance any more.
func (g *Gateway) ServeInstance(w http.ResponseWriter, r *http.Request, network Network) {
	if forInterface(r.URL.Path) {
		network.API().ServeHTTP(w, r)
		return
	}
	to := g.resolve(r)
	to.network = network
	g.serve(w, r, &to)
}

// serve answers a request whose target is known.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, to *target) {
	switch {
	case to.network == nil:
		g.refuse(w, r, to, noInstance(r.Host))
	case forInterface(r.URL.Path), !to.found && strings.HasPrefix(r.URL.Path, "/api/"):
		to.network.API().ServeHTTP(w, r) // which has its own rules for foreign pages
	case to.foreign:
		g.refuse(w, r, to, foreignHost(r.Host))
	case r.URL.Path == "/_/topology" && readOnly(r):
		serveTopology(w, to.network)
	case !to.found && to.label == "" && readOnly(r) && r.URL.Path == "/_/dashboard":
		g.serveDashboard(w, r, to)
	case !to.found && to.label == "" && readOnly(r) && strings.HasPrefix(r.URL.Path, canisterPath):
		g.serveCanisterPage(w, r, to)
	case !to.found && to.label == "" && readOnly(r) && r.URL.Path == "/health":
		w.WriteHeader(http.StatusNoContent)
	case !to.found && to.label == "" && readOnly(r) && r.URL.Path == "/" && wants(r) == formHTML:
		g.serveStart(w, r, to)
	case !to.found && to.label != "":
		g.refuse(w, r, to, unknownName(to.label))
	case !to.found, to.shared && strings.HasPrefix(r.URL.Path, origin.InspectorPath):
		g.refuse(w, r, to, noCanister(r.URL.Path)) // a browser would keep a canister's answer as a file of the inspector
	case r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "":
		preflight(w)
	case to.shared && g.inspects(r.Host):
		g.serveBesideInspector(w, r, to)
	default:
		g.serveCanister(w, r, to)
	}
}

// ForeignHeader returns the header that shows that a foreign page sent a request; "" for others.
func ForeignHeader(r *http.Request) string { return origin.ForeignHeader(r) }

func readOnly(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// verifier checks answers of the canisters of a network.
func (g *Gateway) verifier(rootKey []byte) (*verify.Verifier, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v := g.verifiers[string(rootKey)]; v != nil {
		return v, nil
	}
	v, err := verify.New(rootKey)
	if err != nil {
		return nil, err
	}
	if len(g.verifiers) >= maxVerifiers {
		clear(g.verifiers)
	}
	g.verifiers[string(rootKey)] = v
	return v, nil
}
