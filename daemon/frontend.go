package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/ic"
	"github.com/canisterd/canisterd/api/pocketic"
	"github.com/canisterd/canisterd/instance"
)

// instancePath begins the paths of instances: /instances/NAME/api/v2/status.
const instancePath = "/instances/"

// instanceHost makes the front ends of instances.
type instanceHost struct{ daemon *Daemon }

// Attach makes the front end of an instance.
func (h instanceHost) Attach(name string, about *instance.About) (instance.Front, error) {
	reach, err := newReach(about.Reach)
	if err != nil {
		return nil, err
	}
	return &frontend{daemon: h.daemon, reach: reach, log: h.daemon.log.With("instance", name)}, nil
}

// frontend serves one instance: it has its HTTP interface, its HTTP client for outcalls, and its log.
type frontend struct {
	daemon  *Daemon
	reach   reach // of outcalls
	log     *slog.Logger
	handler http.Handler       // of the HTTP interface
	server  *http.Server       // on its own listener; nil if there is none
	of      *instance.Instance // nil before it is served
}

// asyncBackend is an instance as front ends see it.
type asyncBackend struct{ *instance.Backend }

// Clock returns the times of the instance's clock and the wall clock.
func (s asyncBackend) Clock() api.Clock { return api.Clock(s.Backend.Clock()) }

// View returns the state at the end of the last round.
func (s asyncBackend) View() api.View { return api.Show(s.Backend.View()) }

// Submit submits a message ahead of the disk: front ends call Settle before they tell clients of it.
func (s asyncBackend) Submit(ctx context.Context, in *api.Ingress) (api.Receipt, error) {
	return s.SubmitAhead(ctx, in)
}

// SubmitAwaited submits a message ahead of the disk, for a client that then waits for the answer.
func (s asyncBackend) SubmitAwaited(ctx context.Context, in *api.Ingress) (api.Receipt, api.Pending, error) {
	receipt, pending, err := s.Backend.SubmitAwaited(ctx, in)
	if err != nil || receipt != (api.Receipt{}) {
		return receipt, nil, err
	}
	return receipt, pending, nil
}

// frontendOf returns the front end of an instance of a daemon.
func frontendOf(i *instance.Instance) *frontend { return i.Front().(*frontend) }

// Serve makes the HTTP interface of an instance, and logs its events.
func (f *frontend) Serve(ctx context.Context, i *instance.Instance, listen string) (urls []string, err error) {
	info := ic.Info{Version: Version(), Memory: f.daemon.memory.requests, Decoders: f.daemon.decoders}
	if f.daemon.pocket != nil {
		info.MaxBody = pocketic.MaxSignedBytes
	}
	f.handler = ic.New(asyncBackend{i.Backend()}, info)
	if listen != "" {
		url, err := f.listen(ctx, i, listen)
		if err != nil {
			return nil, err
		}
		urls = append(urls, url)
	}
	f.of = i
	f.daemon.metrics.Begin(i)
	f.daemon.follow(i)
	if f.log.Enabled(ctx, slog.LevelDebug) {
		i.Go(func(ctx context.Context) { f.logEvents(ctx, i) })
	}
	return append(urls, f.daemon.urlsOf(i.Name())...), nil
}

// listen serves the HTTP interface on its own address.
func (f *frontend) listen(ctx context.Context, i *instance.Instance, address string) (url string, err error) {
	listener, err := listen(ctx, "tcp", address)
	if err != nil {
		return "", instance.BadAddress.Refuse(address, err)
	}
	limited := &limitedListener{Listener: listener, limit: f.daemon.limit}
	serve := func(w http.ResponseWriter, r *http.Request) { f.daemon.gateway.ServeInstance(w, r, network{i}) }
	f.server = f.daemon.newServer(ctx, http.HandlerFunc(serve))
	i.Go(func(context.Context) {
		if err := f.server.Serve(limited); !errors.Is(err, http.ErrServerClosed) {
			f.log.Error("the HTTP interface is served no longer", "address", address, "error", err)
		}
	})
	return "http://" + listener.Addr().String(), nil
}

// Close stops serving the instance, also on its own address.
func (f *frontend) Close() error {
	if f.of != nil {
		f.daemon.metrics.End(f.of)
	}
	if f.server == nil {
		return nil
	}
	return f.server.Close()
}

// urlsOf returns the URLs at which the daemon serves the HTTP interface of an instance.
func (d *Daemon) urlsOf(name string) []string {
	under := d.URL() + instancePath + name
	if name == instance.Default {
		return []string{d.URL(), under}
	}
	return []string{under}
}

// instanceOf splits a path of the HTTP interface into the name of the instance, "" for the default one, and the path
// within it.
func instanceOf(path string) (name, inside string) {
	rest, named := strings.CutPrefix(path, instancePath)
	if !named {
		return "", path
	}
	name, inside, _ = strings.Cut(rest, "/")
	return name, "/" + inside
}
