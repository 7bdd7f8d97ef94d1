package pocketic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/internal/contain"
)

// entry is an instance by its number.
type entry struct {
	number   int
	instance Instance
	folder   string          // state_dir; "": none
	ctx      context.Context // ends when the instance is deleted
	end      context.CancelFunc
	turn     chan struct{}          // has a value during an operation
	doing    atomic.Pointer[string] // its name
	closing  sync.Once
	closed   error

	// Only the current operation uses this.
	pacing Pacing
}

func newEntry(number int, instance Instance, folder string) *entry {
	e := &entry{number: number, instance: instance, folder: folder, turn: make(chan struct{}, 1)}
	e.ctx, e.end = context.WithCancel(context.Background())
	return e
}

// run runs an operation after the earlier ones.
func (e *entry) run(name string, do operation, body []byte) (result outcome) {
	select {
	case e.turn <- struct{}{}:
	case <-e.ctx.Done():
		return outcome{err: update("Instance was deleted")}
	}
	e.doing.Store(&name)
	defer func() {
		e.doing.Store(nil)
		<-e.turn
	}()
	return e.do(do, body)
}

// do runs an operation. A panic fails only this operation.
func (e *entry) do(do operation, body []byte) (result outcome) {
	defer func() {
		if err := contain.Recovered(recover()); err != nil {
			result = outcome{err: fmt.Errorf("the operation failed by a %w", err)}
		}
	}()
	if e.ctx.Err() != nil {
		return outcome{err: update("Instance was deleted")}
	}
	result.value, result.err = do(e.ctx, e, body)
	return result
}

// failed stops the instance with the error of a goroutine that worked for it.
func (e *entry) failed(err error) { e.instance.Driver().Fail(err) }

// close ends the operations of an instance, and then the instance.
func (e *entry) close() error {
	e.end()
	e.closing.Do(func() {
		e.turn <- struct{}{}
		kept := contain.Run(e.keep) // it reads the pages of all memories
		e.closed = errors.Join(kept, e.instance.Close())
		<-e.turn
	})
	return e.closed
}

// state returns the entry's state for the list of instances; nil is a deleted one.
func (e *entry) state() string {
	if e == nil || e.ctx.Err() != nil {
		return "Deleted"
	}
	if name := e.doing.Load(); name != nil {
		return fmt.Sprintf("Busy(StateLabel(%016x), OpId(%s))", e.number, *name)
	}
	return "Available"
}

// find returns the instance that a path names: by its number, or its name in other interfaces.
func (s *Server) find(r *http.Request) (*entry, error) {
	name := r.PathValue("id")
	if number, err := strconv.Atoi(name); err == nil {
		return s.numbered(number)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if e != nil && e.ctx.Err() == nil && e.instance.Name() == name {
			return e, nil
		}
	}
	return nil, update("Instance not found")
}

// numbered returns the instance with a number.
func (s *Server) numbered(number int) (*entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number < 0 || number >= len(s.entries) {
		return nil, update("Instance not found")
	}
	e := s.entries[number]
	if e == nil || e.ctx.Err() != nil {
		return nil, update("Instance was deleted")
	}
	return e, nil
}

// listInstances serves GET /instances: the state of each instance, by number.
func (s *Server) listInstances(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	entries := slices.Clone(s.entries)
	s.mu.Unlock()
	states := make([]string, len(entries))
	for i, e := range entries {
		states[i] = e.state()
	}
	respond(w, http.StatusOK, states)
}

// deleteInstance serves DELETE /instances/{id}.
func (s *Server) deleteInstance(w http.ResponseWriter, r *http.Request) {
	if e, err := s.find(r); err == nil {
		if err := e.close(); err != nil {
			s.log.Error("deleting the instance", "instance", e.number, "error", err)
		}
		// No operation begins from here on.
		s.closeGateways(func(g *gateway) bool { return *g.config.Forward.Instance == e.number })
		s.forget(e)
	}
	w.WriteHeader(http.StatusOK)
}

// forget drops a deleted instance: its number stays, its memory does not.
func (s *Server) forget(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[e.number] = nil
}

// created is the answer to a new instance.
type created struct {
	InstanceID  int          `json:"instance_id"`
	Topology    topology     `json:"topology"`
	GatewayInfo *gatewayInfo `json:"http_gateway_info"`
}

// createInstance serves POST /instances.
func (s *Server) createInstance(w http.ResponseWriter, r *http.Request) {
	made, err := s.create(r)
	if err != nil {
		_, text := failureOf(err)
		respond(w, http.StatusBadRequest, map[string]message{"Error": {text}})
		return
	}
	respond(w, http.StatusCreated, map[string]*created{"Created": made})
}

func (s *Server) create(r *http.Request) (*created, error) {
	memory := s.memory.NewReservation()
	defer memory.Release()
	body, err := s.readBody(r, maxConfigBytes, memory)
	if err != nil {
		return nil, err
	}
	var config instanceConfig
	if err := decode(body, &config); err != nil {
		return nil, err
	}
	plan, err := s.planned(&config, cmp.Or(forkSource(r.PathValue("source")), config.ForkOf))
	if err != nil {
		return nil, err
	}
	var g *gateway
	if plan.gateway != nil { // first, because its port may be taken
		if g, err = s.bindGateway(*plan.gateway); err != nil {
			return nil, err
		}
	}
	made, err := s.make(r.Context(), plan, g)
	if err != nil && g != nil {
		g.stop()
	}
	return made, err
}

// planned checks a configuration; source is "" for an instance that is not a fork.
func (s *Server) planned(config *instanceConfig, source forkSource) (*plan, error) {
	if source != "" {
		return s.forked(config, source)
	}
	return config.plan()
}

// make makes an instance, and serves it at its gateway if there is one.
func (s *Server) make(ctx context.Context, plan *plan, g *gateway) (*created, error) {
	// The instance does not belong to a request: it continues when the client is gone.
	instance, err := s.establish(context.WithoutCancel(ctx), plan)
	if err != nil {
		return nil, failed("%v", err)
	}
	e, err := s.admit(instance, plan)
	if err != nil {
		return nil, err
	}
	made := &created{InstanceID: e.number, Topology: e.shown()}
	if g != nil {
		if err := s.startGateway(g, e); err != nil {
			return nil, errorsOf(err, e.close())
		}
		made.GatewayInfo = &gatewayInfo{g.number, g.port}
	}
	return made, nil
}

// establish makes an instance, a fork, or one that continues from its state_dir.
func (s *Server) establish(ctx context.Context, plan *plan) (Instance, error) {
	if plan.fork != nil {
		return s.host.Fork(ctx, plan.fork)
	}
	if instance, err := s.restored(ctx, plan.folder); instance != nil || err != nil {
		return instance, err
	}
	return s.host.Create(ctx, &plan.Spec)
}

// admit gives an instance a number and starts to drive it.
func (s *Server) admit(instance Instance, plan *plan) (*entry, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errorsOf(failed("the server stops"), instance.Close())
	}
	e := newEntry(len(s.entries), instance, plan.folder)
	s.entries = append(s.entries, e)
	s.mu.Unlock()
	if plan.live {
		if result := e.run("auto_progress", s.autoProgress, nil); result.err != nil {
			return nil, errorsOf(result.err, e.close())
		}
	}
	return e, nil
}
