package daemon

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/http/pprof"
)

// profiles serves profiles of the process (net/http/pprof) over HTTP/1, at the control API's unix socket. No web page
// reaches a socket in the file system, and only this user may open it.
type profiles struct {
	mux    *protocolMux
	server *http.Server
}

// serveProfiles shares a unix socket between the control API and profiles, and returns the listener of the control API.
func (d *Daemon) serveProfiles(ctx context.Context, socket net.Listener, token string) net.Listener {
	d.profiles = &profiles{newProtocolMux(socket, d.limit), d.newServer(ctx, authorized(profileHandler(), token))}
	mux, server := d.profiles.mux, d.profiles.server
	d.running.Go(func() {
		if err := mux.run(); err != nil {
			d.stopFor(err)
		}
	})
	d.running.Go(func() {
		if err := server.Serve(&mux.http); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			d.log.Error("profiles are served no longer", "address", socket.Addr(), "error", err)
		}
	})
	return &mux.grpc
}

// close closes everything at the socket.
func (p *profiles) close() error {
	if p == nil {
		return nil
	}
	err := p.server.Close()
	p.mux.close()
	return err
}

func profileHandler() http.Handler {
	paths := http.NewServeMux()
	paths.HandleFunc("GET /debug/pprof/", pprof.Index)
	paths.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	paths.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	paths.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	paths.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return paths
}

// authorized requires the token of the control API, if there is one.
func authorized(next http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
			http.Error(w, "the control API of this daemon has a token: send it (authorization: Bearer TOKEN)", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
