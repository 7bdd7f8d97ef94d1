package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/explore/workqueue"
)

// ExploreWorker says how a worker of explorations runs.
type ExploreWorker struct {
	Server   string                           // URL of the NATS server
	Slots    int                              // runs beside each other
	CacheDir string                           // of compiled modules; "": that of the user
	Say      func(format string, args ...any) // tells people what happens
}

// Dedicate makes this process one that does nothing else: it uses a processor for each slot.
func (w *ExploreWorker) Dedicate() { workqueue.Dedicate(w.Slots) }

// Run runs jobs of explorations until the context ends, or a server that an exploration has started ends with it.
func (w *ExploreWorker) Run(ctx context.Context) (err error) {
	if w.CacheDir == "" {
		w.CacheDir = defaultCache(slog.New(slog.DiscardHandler))
	}
	engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: w.CacheDir})
	if err != nil {
		return fmt.Errorf("starting the engine: %w", err)
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	host := control.NewExploreHost(engine)
	defer host.Close()
	return workqueue.Work(ctx, w.Server, &workqueue.Host{Version: Version(), Slots: w.Slots, Open: host.Open, Say: w.Say})
}
