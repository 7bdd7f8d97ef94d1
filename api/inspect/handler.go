package inspect

import (
	"net/http"
	"net/url"
	"strings"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/api/internal/origin"
	"github.com/canisterd/canisterd/internal/budget"
)

// Path is the path below which everything of the inspector is.
const Path = origin.InspectorPath

// Config configures the inspector.
type Config struct {
	// Control is a connection to the control API.
	Control grpc.ClientConnInterface
	// Token is the token of the session, for the printed URL.
	Token string
	// Hosts are names of this machine besides localhost and loopback addresses, such as that of a proxy.
	Hosts []string
	// Names returns the names of an instance's canisters by id in text form, "" for the default instance; nil for none.
	Names func(instance string) map[string]string
	// Version is the version of the daemon.
	Version string
	// Memory is the budget for requests; nil: without a limit.
	Memory *budget.Budget
}

// Handler serves the inspector below Path. It is safe for concurrent use.
type Handler struct {
	config  Config
	session session
	hosts   map[string]bool
	// explorations has an element for each exploration of a browser.
	explorations chan struct{}
}

// New makes the inspector.
func New(config Config) *Handler {
	h := &Handler{config: config, session: session{config.Token}, hosts: map[string]bool{}, explorations: make(chan struct{}, maxExplorations)}
	for _, host := range append([]string{"localhost", "127.0.0.1", "::1"}, config.Hosts...) {
		h.hosts[strings.ToLower(host)] = true
	}
	return h
}

// URL returns the URL of the inspector at a daemon's address, with the token that begins a session.
func (h *Handler) URL(daemon string) string {
	return daemon + Path + "?token=" + url.QueryEscape(h.config.Token)
}

// ServeHTTP answers a request below Path, or for Path without its last slash.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refused := h.refusal(r); refused != "" {
		protect(w.Header(), "default-src 'none'")
		http.Error(w, refused, http.StatusForbidden)
		return
	}
	protect(w.Header(), ownFiles(r.Host))
	if r.URL.Path+"/" == Path && !r.URL.Query().Has("token") {
		at := *r.URL
		at.Path = Path
		http.Redirect(w, r, at.RequestURI(), http.StatusMovedPermanently)
		return
	}
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Path), "/")
	switch kind {
	case "rpc", "stream", "names", "types", "values":
		if !h.session.begun(r) {
			writeError(w, http.StatusUnauthorized, failure{Code: "unauthenticated", Reason: "NO_SESSION", Message: "this browser has no session: open the URL that canisterd inspect prints"})
			return
		}
		if kind != "stream" && r.Header.Get(pageHeader) == "" {
			refuseForeign(w)
			return
		}
		h.serveData(w, r, kind, rest)
	case "files":
		serveFile(w, r, rest)
	default:
		h.servePage(w, r)
	}
}

// refuseForeign answers a request that lacks the header of the page.
func refuseForeign(w http.ResponseWriter) {
	writeError(w, http.StatusForbidden, failure{Code: "permission_denied", Message: "requests for data need the header " + pageHeader + ": 1, which the page sends"})
}

// serveData answers a request of the pages for data.
func (h *Handler) serveData(w http.ResponseWriter, r *http.Request, kind, rest string) {
	switch kind {
	case "rpc":
		h.serveRPC(w, r, rest)
	case "stream":
		h.serveStream(w, r, rest)
	case "names":
		h.serveNames(w, r)
	case "types":
		h.serveTypes(w, r)
	case "values":
		h.serveValues(w, r)
	}
}

// servePage answers with the page, whose scripts show what its path names. A token in the URL begins a session, and is
// then removed from the address that the browser shows and remembers.
func (h *Handler) servePage(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "pages take GET and HEAD, not "+r.Method, http.StatusMethodNotAllowed)
		return
	}
	h.session.prove(w, r)
	query := r.URL.Query()
	if token := query.Get("token"); token != "" {
		h.session.begin(w, r.Host, token)
		query.Del("token")
		// What pages of canisters left here while there was no inspector must not see the session.
		w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
		at := *r.URL
		at.RawQuery = query.Encode()
		if at.Path+"/" == Path {
			at.Path = Path
		}
		http.Redirect(w, r, at.RequestURI(), http.StatusSeeOther)
		return
	}
	sendFile(w, r, pages().files[indexFile], "no-cache") // the daemon may be another version tomorrow
}
