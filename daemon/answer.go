package daemon

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/canisterd/canisterd/api/gateway"
	"github.com/canisterd/canisterd/daemon/internal/metrics"
)

// The daemon's own paths, on every host that names no canister.
const (
	metricsPath = "/metrics"
	healthPath  = "/health"
)

// answer passes a request to the instance that its path names, or else its host.
func (d *Daemon) answer(w http.ResponseWriter, r *http.Request) {
	if d.operates(w, r) || d.inspects(w, r) || d.assists(w, r) {
		return
	}
	if d.pocket != nil {
		d.pocket.ServeHTTP(w, r)
		return
	}
	name, path := instanceOf(r.URL.Path)
	if name == "" || d.gateway.HostsCanister(r) {
		d.gateway.ServeHTTP(w, r)
		return
	}
	i, err := d.instances.Instance(name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	inside := r.WithContext(r.Context())
	at := *r.URL
	at.Path, at.RawPath = path, ""
	inside.URL = &at
	d.gateway.ServeInstance(w, inside, network{i})
}

// operates answers requests about the daemon itself, and returns false for others.
func (d *Daemon) operates(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != metricsPath && r.URL.Path != healthPath || d.gateway.HostsCanister(r) {
		return false
	}
	foreign := gateway.ForeignHeader(r)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, r.URL.Path+" takes GET and HEAD, not "+r.Method, http.StatusMethodNotAllowed)
	case r.URL.Path == healthPath:
		d.answerHealth(w)
	case foreign != "":
		http.Error(w, "metrics are not for pages of strangers ("+foreign+"): use an address, or a name without dots", http.StatusForbidden)
	default:
		d.metrics.ServeHTTP(w, r)
	}
	return true
}

// answerHealth reports whether the daemon serves and its first instance runs: 204, or 503 with the reason.
func (d *Daemon) answerHealth(w http.ResponseWriter) {
	if d.first != nil {
		if bug := d.first.Driver().Bug(); bug != nil {
			first, _, _ := strings.Cut(bug.Error(), "\n")
			http.Error(w, "the instance "+d.first.Name()+" has failed: "+first, http.StatusServiceUnavailable)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// observed measures every request, and logs it with --verbose.
func (d *Daemon) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		seen := statusWriters.Get().(*statusWriter)
		seen.ResponseWriter, seen.status = w, http.StatusOK
		next.ServeHTTP(seen, r)
		status, took := seen.status, time.Since(begin)
		seen.ResponseWriter = nil
		statusWriters.Put(seen)
		if r.URL.Path != metricsPath && r.URL.Path != healthPath {
			d.metrics.ObserveHTTP(d.endpointOf(r.URL.Path), status, took)
		}
		if d.log.Enabled(r.Context(), slog.LevelDebug) {
			d.log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.Group("http", "method", r.Method, "path", r.URL.Path, "status", status), slog.Int64("wall_ns", int64(took)))
		}
	})
}

// endpointOf returns the group of requests that a path belongs to.
func (d *Daemon) endpointOf(path string) metrics.Endpoint {
	if d.pocket != nil && !strings.Contains(path, "/api/v") {
		return metrics.PocketIC
	}
	_, inside, found := strings.Cut(path, "/api/v")
	switch name := inside[strings.LastIndexByte(inside, '/')+1:]; {
	case !found:
	case name == "call" && strings.HasPrefix(inside, "2/"):
		return metrics.CallAsync
	case name == "call":
		return metrics.Call
	case name == "query":
		return metrics.Query
	case name == "read_state":
		return metrics.ReadState
	case name == "status":
		return metrics.Status
	}
	return metrics.Gateway
}

// statusWriter remembers the status of an answer. It is recycled: most requests are answered in microseconds.
type statusWriter struct {
	http.ResponseWriter
	status int
}

var statusWriters = sync.Pool{New: func() any { return new(statusWriter) }}

// WriteHeader remembers the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the writer to http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
