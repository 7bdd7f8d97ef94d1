package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/internal/modulecache"
)

// ExploreWorker configures a worker of explorations.
type ExploreWorker struct {
	Daemon   grpc.ClientConnInterface         // connection to the daemon
	Slots    int                              // runs in parallel
	CacheDir string                           // of compiled modules; "": the user's
	Say      func(format string, args ...any) // prints messages for people
}

// Dedicate configures this process for the worker alone: it uses one processor for each slot.
func (w *ExploreWorker) Dedicate() { workqueue.Dedicate(w.Slots) }

// Run runs jobs of explorations until the context or the connection ends.
func (w *ExploreWorker) Run(ctx context.Context) (err error) {
	if w.CacheDir == "" {
		w.CacheDir = modulecache.Default(slog.New(slog.DiscardHandler))
	}
	engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: w.CacheDir})
	if err != nil {
		return fmt.Errorf("starting the engine: %w", err)
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	host := control.NewExploreHost(engine)
	defer host.Close()
	return workqueue.Work(ctx, w.Daemon, &workqueue.Host{Version: Version(), Slots: w.Slots, Open: host.Open, Say: w.Say})
}
