package pocketic

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// Refused is the error of a Host that has a reason for programs besides its text for people.
type Refused struct {
	Reason, Text string
}

// Error returns the text.
func (r *Refused) Error() string { return r.Text }

// askControl serves POST /instances/{id}/canisterd/{rpc}: an RPC of the control API about the instance. It does not
// wait for operations, so that held messages can be released while a client awaits a call.
func (s *Server) askControl(w http.ResponseWriter, r *http.Request) {
	e, err := s.find(r)
	if err != nil {
		refuse(w, err)
		return
	}
	memory := s.memory.NewReservation()
	defer memory.Release()
	body, err := s.readBody(r, maxOperationBytes, memory)
	if err != nil {
		refuse(w, err)
		return
	}
	answer, known, err := s.host.Ask(r.Context(), r.PathValue("rpc"), e.instance.Name(), body)
	refused := new(Refused)
	switch {
	case !known:
		respond(w, http.StatusNotFound, message{"canisterd offers no " + strconv.Quote(r.PathValue("rpc")) + " here: docs/pocketic.md lists what it offers"})
	case errors.As(err, &refused):
		respond(w, http.StatusBadRequest, map[string]string{"message": refused.Text, "reason": refused.Reason})
	case err != nil:
		refuse(w, err)
	default:
		respond(w, http.StatusOK, json.RawMessage(answer))
	}
}

// forkSource names the source of a fork: an instance by its number or its name, and after an @ one of its snapshots.
// Without that it is the present.
type forkSource string

// UnmarshalJSON reads a number or a text.
func (f *forkSource) UnmarshalJSON(raw []byte) error {
	var number uint32
	if json.Unmarshal(raw, &number) == nil && string(raw) != "null" {
		*f = forkSource(strconv.Itoa(int(number)))
		return nil
	}
	return json.Unmarshal(raw, (*string)(f))
}

// serveFork serves /canisterd/fork_of/{source}/...: the server's routes, where new instances are forks of the source,
// whatever their configuration. A client with this URL as its server makes forks.
func (s *Server) serveFork(w http.ResponseWriter, r *http.Request) {
	path := "/" + r.PathValue("path")
	if r.Method == http.MethodPost && path == "/instances" {
		allowPage(w.Header(), r.Header.Get("Origin"))
		wantsJSON(s.createInstance)(w, r)
		return
	}
	s.ServeHTTP(w, relocated(r, path))
}

// forked returns the plan of a fork: the configuration only says how it is driven and served.
func (s *Server) forked(c *instanceConfig, source forkSource) (*plan, error) {
	p := &plan{gateway: c.Gateway}
	if c.Initial != nil && c.Initial.Timestamp != nil {
		return nil, failed("A fork begins at the time of its source: leave initial_time out, and set the time (update/set_time)")
	}
	p.live = c.Initial != nil && c.Initial.AutoProgress != nil
	name, snapshot, _ := strings.Cut(string(source), "@")
	p.fork = &Fork{Source: name, Snapshot: snapshot}
	if number, err := strconv.Atoi(name); err == nil {
		e, err := s.numbered(number)
		if err != nil {
			return nil, err
		}
		p.fork.Source = e.instance.Name()
	}
	return p, nil
}
