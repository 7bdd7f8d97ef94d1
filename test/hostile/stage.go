package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// The instances of a stage.
const (
	attackedInstance = "attacked"
	otherInstance    = "other"
)

// stage is where an attack takes place: a daemon with two instances, and what the attack
// reaches it with.
type stage struct {
	process *process
	dir     string // for files
	control *remote.Daemon
	pocket  *pocketTarget // nil: the target is canisterd start
	http    *http.Client  // of the attack
	nonces  atomic.Uint64

	same, other *innocent
	made        []string               // instances that the attack made
	requests    atomic.Int64           // that the attack sent
	refused     atomic.Int64           // of them
	violation   atomic.Pointer[string] // what happened and must not
}

// newStage starts a daemon and makes both instances.
func newStage(ctx context.Context, o *options, dir string, a *attack) (*stage, error) {
	s := &stage{dir: dir, http: newHTTPClient(false)}
	var p *process
	var err error
	if a.pocket {
		s.pocket = &pocketTarget{make(map[string]int), make(map[string]string)}
		p, err = startPocket(ctx, o, dir)
	} else {
		p, err = startProcess(ctx, o, dir, a.launch)
	}
	if err != nil {
		return nil, err
	}
	s.process = p
	if err := s.build(ctx, dir, a); err != nil {
		s.close()
		p.kill()
		return nil, fmt.Errorf("%w\n%s", err, p.log.tail())
	}
	return s, nil
}

func (s *stage) build(ctx context.Context, dir string, a *attack) (err error) {
	if s.control, err = remote.Dial(s.process.url); err != nil {
		return err
	}
	stateDir := ""
	if a.launch.disk {
		stateDir = dir + "/state-" + a.name
	}
	if s.same, err = s.makeInstance(ctx, attackedInstance, stateDir, a.freshConnections); err != nil {
		return err
	}
	if s.other, err = s.makeInstance(ctx, otherInstance, "", a.freshConnections); err != nil {
		return err
	}
	if a.prepare == nil {
		return nil
	}
	if err := a.prepare(ctx, s); err != nil {
		return fmt.Errorf("preparing the attack: %w", err)
	}
	return nil
}

// makeInstance makes an instance with an innocent canister.
func (s *stage) makeInstance(ctx context.Context, name, stateDir string, fresh bool) (*innocent, error) {
	var err error
	if s.pocket != nil {
		err = s.makePocketInstance(ctx, name)
	} else {
		_, err = s.control.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{Instance: name, Seed: []byte(name), StateDir: stateDir})
	}
	if err != nil {
		return nil, fmt.Errorf("making the instance %s: %w", name, err)
	}
	canister, err := s.deployTo(ctx, name, assemble(innocentText))
	if err != nil {
		return nil, err
	}
	return &innocent{
		url: s.instanceURL(name), canister: canister, http: newHTTPClient(fresh), identity: newIdentity(1), nonces: &s.nonces,
	}, nil
}

// deleteInstance deletes an instance.
func (s *stage) deleteInstance(ctx context.Context, name string) error {
	if s.pocket != nil {
		_, err := s.rest(ctx, http.MethodDelete, fmt.Sprintf("/instances/%d", s.pocket.numbers[name]), nil, nil)
		return err
	}
	_, err := s.control.Instances.DeleteInstance(ctx, &controlv1.DeleteInstanceRequest{Instance: name})
	return err
}

// instanceURL is where the HTTP interface of an instance is served.
func (s *stage) instanceURL(name string) string {
	if s.pocket != nil {
		return fmt.Sprintf("%s/instances/%d", s.process.url, s.pocket.numbers[name])
	}
	return s.process.url + "/instances/" + name
}

// named is the name of an instance in the control API.
func (s *stage) named(name string) string {
	if s.pocket != nil {
		return s.pocket.names[name]
	}
	return name
}

// address is the host and port the daemon listens on.
func (s *stage) address() string { return strings.TrimPrefix(s.process.url, "http://") }

func (s *stage) close() {
	if s.control != nil {
		_ = s.control.Close()
	}
	s.http.CloseIdleConnections()
}

func assemble(text string) []byte { return wat.MustAssemble(text) }

// deployTo makes a canister in an instance and installs a module.
func (s *stage) deployTo(ctx context.Context, instance string, module []byte) (principal.Principal, error) {
	canister, err := s.createIn(ctx, instance)
	if err != nil {
		return canister, err
	}
	return canister, s.installIn(ctx, instance, canister, module)
}

func (s *stage) createIn(ctx context.Context, instance string) (principal.Principal, error) {
	made, err := s.control.Canisters.CreateCanister(ctx, &controlv1.CreateCanisterRequest{Instance: s.named(instance)})
	if err != nil {
		return principal.Principal{}, fmt.Errorf("making a canister in %s: %w", instance, err)
	}
	return principal.Parse(made.CanisterId)
}

func (s *stage) installIn(ctx context.Context, instance string, canister principal.Principal, module []byte) error {
	head := &controlv1.InstallHead{
		Instance: s.named(instance), CanisterId: canister.String(), Mode: controlv1.InstallMode_INSTALL_MODE_REINSTALL,
	}
	_, err := s.control.Install(ctx, head, bytes.NewReader(module), nil)
	return err
}

// deploy makes a number of canisters of the same module in the attacked instance.
func (s *stage) deploy(ctx context.Context, text string, count int) ([]principal.Principal, error) {
	module := assemble(text)
	var all []principal.Principal
	for range count {
		canister, err := s.deployTo(ctx, attackedInstance, module)
		if err != nil {
			return nil, err
		}
		all = append(all, canister)
	}
	return all, nil
}

// keep keeps a number of requests in flight until ctx ends. Each worker pauses between two of its requests, so that the
// load generator costs little.
func (s *stage) keep(ctx context.Context, inFlight int, pause time.Duration, send func(ctx context.Context, worker int) error) {
	var running sync.WaitGroup
	for worker := range inFlight {
		running.Go(func() {
			for ctx.Err() == nil {
				s.requests.Add(1)
				if err := send(ctx, worker); isRefusal(err) {
					s.refused.Add(1)
				}
				select {
				case <-ctx.Done():
				case <-time.After(pause):
				}
			}
		})
	}
	running.Wait()
}

// refusal is an answer that says that nothing happened.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return fmt.Sprintf("HTTP status %d: %s", r.status, r.text) }

func isRefusal(err error) bool {
	var r *refusal
	return errors.As(err, &r) || status.Code(err) == codes.ResourceExhausted || status.Code(err) == codes.Unavailable
}

// Ways to send a request to the attacked instance as the anonymous user.
const (
	asyncCall = "/api/v2/canister/%s/call"
	syncCall  = "/api/v4/canister/%s/call"
	query     = "/api/v3/canister/%s/query"
)

// call sends an update call or query and reads the answer.
func (s *stage) call(ctx context.Context, path string, canister principal.Principal, method string, arg []byte) error {
	kind := "call"
	if path == query {
		kind = "query"
	}
	body := (*identity)(nil).request(kind, canister, method, arg, s.nonces.Add(1))
	return s.post(ctx, fmt.Sprintf(path, canister), body)
}

// post sends a body to a path of the attacked instance.
func (s *stage) post(ctx context.Context, path string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	status, answer, err := post(ctx, s.http, s.instanceURL(attackedInstance)+path, body)
	switch {
	case err != nil:
		return err
	case status >= http.StatusBadRequest:
		return &refusal{status, string(answer)}
	}
	return nil
}

// submitTo sends an update call to an instance and does not wait for its execution.
func (s *stage) submitTo(ctx context.Context, instance string, canister principal.Principal, method string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	body := (*identity)(nil).request("call", canister, method, nil, s.nonces.Add(1))
	_, _, err := post(ctx, s.http, s.instanceURL(instance)+fmt.Sprintf(asyncCall, canister), body)
	return err
}

// connect opens a connection to the daemon.
func (s *stage) connect(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", s.address())
}
