package pocketic

import (
	"context"
	"errors"
	"net/http"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// errorsOf joins two errors.
func errorsOf(err, other error) error {
	if other == nil {
		return err
	}
	return errors.Join(err, other)
}

// liveConfig says how an instance is live. The delay between two rounds has no effect.
type liveConfig struct {
	Time string `json:"canisterd_time"`
}

// pacing returns what moves the instance.
func (c *liveConfig) pacing() (Pacing, error) {
	switch c.Time {
	case "":
		return ByWallClock, nil
	case "still":
		return ByMessages, nil
	}
	return ByClient, failed("canisterd_time cannot be %s: leave it out, and the time follows the wall clock, or give \"still\"", quoted(c.Time))
}

// autoProgress serves POST auto_progress: a round begins when there is work. The wall clock moves the time, unless it
// must stand still; then it returns when the time has reached the wall clock.
func (s *Server) autoProgress(ctx context.Context, e *entry, body []byte) (any, error) {
	var in liveConfig
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	pacing, err := in.pacing()
	switch {
	case err != nil:
		return nil, err
	case e.pacing != ByClient:
		return nil, failed("Auto progress mode has already been enabled.")
	}
	if err := e.instance.SetPacing(ctx, pacing); err != nil {
		return nil, err
	}
	e.pacing = pacing
	s.log.Debug("live", "instance", e.number)
	if pacing == ByMessages {
		return nil, nil
	}
	now := e.instance.Backend().Clock().Now
	if _, err := driver.Ask(ctx, e.instance.Driver(), func(n *replica.Network) replica.Result { return n.Apply(replica.AdvanceTo(now)) }); err != nil {
		return nil, err
	}
	_, err = e.instance.Driver().Round(ctx)
	return nil, err
}

// isAutoProgress serves GET auto_progress.
func (s *Server) isAutoProgress(_ context.Context, e *entry, _ []byte) (any, error) {
	return e.pacing != ByClient, nil
}

// stopProgress serves POST stop_progress.
func (s *Server) stopProgress(ctx context.Context, e *entry, _ []byte) (any, error) {
	if e.pacing == ByClient {
		return nil, nil
	}
	if err := e.instance.SetPacing(ctx, ByClient); err != nil {
		return nil, err
	}
	e.pacing = ByClient
	s.log.Debug("live no more", "instance", e.number)
	return nil, nil
}

// serveAPI serves /instances/{id}/api/...: the HTTP interface of the Internet Computer. It does not wait for
// operations, so that agents can be answered during one.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	e, err := s.find(r)
	if err != nil {
		refuse(w, err)
		return
	}
	for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Expose-Headers"} {
		w.Header().Del(name) // the HTTP interface writes its own
	}
	e.signedInterface().ServeHTTP(w, relocated(r, "/api/"+r.PathValue("path")))
}
