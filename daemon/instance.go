package daemon

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/api/ic"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// instance is a network with what drives it: its pacer, and who makes its outcalls.
type instance struct {
	name    string
	node    *node.Node
	backend *backend
	handler http.Handler // of its HTTP interface
	created time.Time

	ctx     context.Context // ends with the instance
	end     context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	pacing   Pacing
	interval time.Duration
	unpace   context.CancelFunc // ends the pacer, nil where there is none
}

// instanceConfig says what an instance is made of.
type instanceConfig struct {
	name     string
	network  replica.Config
	pacing   control.Pacing
	outcalls Outcalls
}

// newInstance makes a network and drives it.
func (d *Daemon) newInstance(engine *canister.Engine, config *instanceConfig) (*instance, error) {
	config.network.Engine, config.network.Version = engine, Version()
	mode := node.Auto
	if config.pacing.Mode != Auto {
		mode = node.Manual
	}
	n, err := node.Start(node.Config{Network: config.network, Mode: mode})
	if err != nil {
		return nil, fmt.Errorf("starting the network: %w", err)
	}
	// The first round certifies the state before anything happened.
	if _, err := n.Round(context.Background()); err != nil {
		_ = n.Close() // for the bug that Round gave
		return nil, fmt.Errorf("running the first round: %w", err)
	}
	i := &instance{name: config.name, node: n, created: time.Now(), backend: &backend{node: n, clock: time.Now}}
	i.ctx, i.end = context.WithCancel(context.Background())
	i.handler = ic.New(i.backend, ic.Info{Version: Version()})
	i.startOutcalls(config.outcalls, d.log)
	if err := i.SetPacing(i.ctx, config.pacing); err != nil {
		_ = i.close() // for the error that SetPacing gave
		return nil, err
	}
	return i, nil
}

// Name is the instance's name.
func (i *instance) Name() string { return i.name }

// Node owns the network.
func (i *instance) Node() *node.Node { return i.node }

// Backend brings the wall clock in.
func (i *instance) Backend() api.Backend { return i.backend }

// Pacing says when rounds happen.
func (i *instance) Pacing() control.Pacing {
	i.mu.Lock()
	defer i.mu.Unlock()
	return control.Pacing{Mode: i.pacing, Interval: i.interval}
}

// SetPacing changes when rounds happen.
func (i *instance) SetPacing(ctx context.Context, pacing control.Pacing) error {
	if err := pacing.Check(); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	mode := node.Auto
	if pacing.Mode != Auto {
		mode = node.Manual
	}
	if err := i.node.SetMode(ctx, mode); err != nil {
		return err
	}
	if i.unpace != nil {
		i.unpace()
		i.unpace = nil
	}
	i.pacing, i.interval = pacing.Mode, pacing.Interval
	i.backend.pacing.Store(uint32(pacing.Mode))
	if pacing.Mode == Manual {
		return nil
	}
	paced, unpace := context.WithCancel(i.ctx)
	i.unpace = unpace
	i.running.Go(func() {
		if pacing.Mode == Interval {
			paceRounds(paced, i.node, time.Now, pacing.Interval)
			return
		}
		pace(paced, i.node, time.Now)
	})
	return nil
}

// close ends the instance and frees everything it took.
func (i *instance) close() error {
	i.end()
	err := i.node.Close()
	i.running.Wait()
	return err
}
