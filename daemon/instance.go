package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/ic"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/budget"
	"github.com/canisterd/canisterd/replica/node"
)

// instance is a network with what drives it: its pacer, who makes its outcalls, its
// HTTP interface.
type member struct {
	name    string
	about   instance.About
	engine  *engine
	node    *node.Node
	backend *backend
	handler http.Handler // of its HTTP interface
	server  *http.Server // on a listener of its own; nil where there is none
	reach   reach        // of its outcalls
	pacer   pacer
	clock   clock
	log     *slog.Logger
	memory  *budget.Budget

	ctx        context.Context // ends with the instance
	end        context.CancelFunc
	running    sync.WaitGroup
	there      chan struct{} // closed when the instance is complete
	performing sync.Once     // somebody makes the outcalls

	changing sync.Mutex // held while the pacing changes, which waits for the owner of the network
	mu       sync.Mutex // guards pacing, which the owner reads: never held while something is waited for
	pacing   instance.Pacing

	snapshots snapshots
	lineage   lineage
}

// startConfig is what an instance is started with.
type startConfig struct {
	name   string
	about  instance.About
	pacing instance.Pacing
	ahead  time.Duration // its time is at least so much ahead of the wall clock, where that moves it
	engine *engine       // the instance has a use of it when it is there
	// ancestors are the networks it goes on from, the oldest first.
	ancestors []instance.Ancestor
	listen    string // of an HTTP interface of its own, "" for none
	// start makes the node, with what the instance has to hear of it.
	start func(node.Config) (*node.Node, error)
}

// startInstance makes an instance that runs.
func (d *Daemon) startInstance(ctx context.Context, f *startConfig) (*member, error) {
	reach, err := newReach(f.about.Reach)
	if err != nil {
		return nil, err
	}
	i := &member{reach: reach, name: f.name, about: f.about, engine: f.engine, log: d.log.With("instance", f.name), there: make(chan struct{}), memory: d.memory.instance(f.name)}
	i.about.Created = time.Now()
	i.lineage.begin(f.ancestors)
	i.ctx, i.end = context.WithCancel(context.Background())
	i.clock.wall = d.wall
	i.pacer = pacer{clock: &i.clock, schedule: d.schedule, pacing: instance.Pacing{Mode: Manual}}
	// The instance is there before its node, whose goroutine calls it.
	i.node, err = f.start(node.Config{
		Mode: modeOf(f.pacing), Queries: d.queries, Memory: i.memory, EventBytes: int(min(node.MaxEventBytes, i.memory.Limit()/eventShare)), Processors: d.processors, Active: i.pacer.wake, Called: i.outcall, Restored: i.clock.catchUp, Failed: i.failed,
		Record: true, Generation: firstGeneration(), Stopwatch: stopwatch(), Printed: d.printed,
	})
	if err != nil {
		i.end()
		i.memory.Close()
		return nil, err
	}
	i.backend = &backend{node: i.node, clock: &i.clock}
	i.backend.pacing.Store(uint32(Manual)) // until it is paced
	i.handler = ic.New(i.backend, ic.Info{Version: Version(), Memory: d.memory.requests, Decoders: d.decoders})
	if i.node.View().Height == 0 {
		// The first round certifies the state before anything happened.
		_, err = i.node.Round(ctx)
	}
	if err == nil {
		err = i.catchUp(ctx, f.ahead)
	}
	if err == nil && f.listen != "" {
		err = i.listen(ctx, f.listen, d.limit)
	}
	if err != nil {
		return nil, errors.Join(err, i.close())
	}
	i.about.URLs = append(i.about.URLs, d.urlsOf(i.name)...)
	close(i.there)
	if i.log.Enabled(i.ctx, slog.LevelDebug) {
		i.running.Go(i.logEvents)
	}
	i.pacer.start(i.ctx, i.node)
	i.pace(f.pacing)
	return i, nil
}

// catchUp sets the instance's clock to the time of its network.
func (i *member) catchUp(ctx context.Context, ahead time.Duration) error {
	return i.node.Do(ctx, func(n *replica.Network) {
		i.clock.catchUp(n.Clock())
		i.clock.putAhead(ahead)
	})
}

func modeOf(pacing instance.Pacing) node.Mode {
	if pacing.Mode == Auto {
		return node.Auto
	}
	return node.Manual
}

// listen serves the HTTP interface on an address of its own.
func (i *member) listen(ctx context.Context, address string, limit *connectionLimit) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return instance.BadAddress.Refuse(address, err)
	}
	i.about.URLs = append(i.about.URLs, "http://"+listener.Addr().String())
	i.server = newServer(i.ctx, i.handler, i.log)
	i.running.Go(func() {
		if err := i.server.Serve(&limitedListener{Listener: listener, limit: limit}); !errors.Is(err, http.ErrServerClosed) {
			i.log.Error("the HTTP interface is served no longer", "address", address, "error", err)
		}
	})
	return nil
}

// failed is called with the bug that has stopped the network.
func (i *member) failed(bug error) {
	i.log.Error("the instance has failed; the others go on", "error", bug)
}

// Name is the instance's name.
func (i *member) Name() string { return i.name }

// About is what is known beside the network.
func (i *member) About() instance.About { return i.about }

// Node owns the network.
func (i *member) Node() *node.Node { return i.node }

// Backend brings the wall clock in.
func (i *member) Backend() api.Backend { return i.backend }

// Pacing says when rounds happen. While that changes, it is the pacing before.
func (i *member) Pacing() instance.Pacing {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.pacing
}

// Offset is how far the instance's time is ahead of the wall clock's, which moves it.
func (i *member) Offset() time.Duration { return time.Duration(i.clock.offset.Load()) }

// PutAhead makes the offset at least so much.
func (i *member) PutAhead(offset time.Duration) { i.clock.putAhead(offset) }

// SetPacing changes when rounds happen. Once it returns, nothing of the pacing before
// happens any more.
func (i *member) SetPacing(ctx context.Context, pacing instance.Pacing) error {
	pacing = settled(pacing)
	if err := pacing.Check(); err != nil {
		return err
	}
	i.changing.Lock()
	defer i.changing.Unlock()
	before := i.Pacing()
	i.drive(instance.Pacing{Mode: Manual})
	err := i.pacer.quiet(ctx)
	if err == nil && before.Mode == Manual {
		err = i.catchUp(ctx, 0)
	}
	if err == nil {
		err = i.node.SetMode(ctx, modeOf(pacing))
	}
	if err != nil {
		i.drive(before)
		return fmt.Errorf("changing the pacing: %w", err)
	}
	// Those who wait for another pacing look again after a turn of the owner.
	return i.node.Do(i.ctx, func(*replica.Network) { i.pace(pacing) })
}

// settled is a pacing with its interval decided.
func settled(pacing instance.Pacing) instance.Pacing {
	if pacing.Mode != Interval {
		pacing.Interval = 0
	} else {
		pacing.Interval = cmp.Or(pacing.Interval, instance.DefaultInterval)
	}
	return pacing
}

// pace changes the pacing. The node's mode is the caller's to set.
func (i *member) pace(pacing instance.Pacing) {
	i.mu.Lock()
	i.pacing = pacing
	i.mu.Unlock()
	i.drive(pacing)
}

// drive makes the wall clock drive the network in another way.
func (i *member) drive(pacing instance.Pacing) {
	i.backend.pacing.Store(uint32(pacing.Mode))
	i.pacer.set(pacing)
}

// close ends the instance and frees everything it took, but its use of the engine.
func (i *member) close() error {
	i.end()
	var err error
	if i.server != nil {
		err = i.server.Close()
	}
	i.pacer.end()
	bug := i.node.Bug()
	if closed := i.node.Close(); bug == nil { // a bug was said when it happened
		err = errors.Join(err, closed)
	}
	i.running.Wait()
	i.snapshots.close()
	i.memory.Close()
	return err
}
