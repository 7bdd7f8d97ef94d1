package pocketic

import (
	"context"
	"errors"
	"net/http"

	"github.com/canisterd/canisterd/replica"
)

// errorsOf is two errors as one.
func errorsOf(err, other error) error {
	if other == nil {
		return err
	}
	return errors.Join(err, other)
}

// autoProgress is POST auto_progress: the wall clock moves the time, and a round begins when there is work. It returns
// when the time has reached the wall clock.
func (s *Server) autoProgress(ctx context.Context, e *entry, _ []byte) (any, error) {
	if e.live {
		return nil, failed("Auto progress mode has already been enabled.")
	}
	if err := e.instance.SetLive(ctx, true); err != nil {
		return nil, err
	}
	e.live = true
	s.log.Debug("live", "instance", e.number)
	now := e.instance.Backend().Clock().Now
	if _, err := own(ctx, e, func(n *replica.Network) replica.Result { return n.Apply(replica.AdvanceTo(now)) }); err != nil {
		return nil, err
	}
	_, err := e.instance.Node().Round(ctx)
	return nil, err
}

// isAutoProgress is GET auto_progress.
func (s *Server) isAutoProgress(_ context.Context, e *entry, _ []byte) (any, error) {
	return e.live, nil
}

// stopProgress is POST stop_progress.
func (s *Server) stopProgress(ctx context.Context, e *entry, _ []byte) (any, error) {
	if !e.live {
		return nil, nil
	}
	if err := e.instance.SetLive(ctx, false); err != nil {
		return nil, err
	}
	e.live = false
	s.log.Debug("live no more", "instance", e.number)
	return nil, nil
}

// serveAPI is /instances/{id}/api/...: the HTTP interface of the Internet Computer. It
// waits for no operation, so that agents can be answered while one goes on.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	e, err := s.find(r)
	if err != nil {
		refuse(w, err)
		return
	}
	for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Expose-Headers"} {
		w.Header().Del(name) // it writes its own
	}
	e.signedInterface().ServeHTTP(w, relocated(r, "/api/"+r.PathValue("path")))
}
