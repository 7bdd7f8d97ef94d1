package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/canisterd/canisterd/daemon"
)

// limitProcess gives the process the memory limit of its daemon. main sets it: a test starts many daemons in one
// process, which keeps its own limit.
var limitProcess = func(int64) {}

// startDaemon starts the daemon of this process, which knows the modules that the user added.
func startDaemon(ctx context.Context, config daemon.Config) (*daemon.Daemon, error) {
	config.Control.KnownModules = daemon.KnownModulesFile()
	d, err := daemon.Start(ctx, config)
	if err == nil {
		limitProcess(config.MemoryLimit)
	}
	return d, err
}

// firstCollection is the size of the heap at the first garbage collection, in bytes. Ours; 4 MiB is Go's.
const firstCollection = 32 << 20

// delayFirstCollection lets the heap grow to firstCollection before the garbage collector runs for the first time. Go
// would collect twice before a daemon is ready, and find no garbage. The collector works as usual after its first run, or
// once collectAsUsual is called. GOGC in the environment wins.
func delayFirstCollection() (collectAsUsual func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	const delayed = 100 * firstCollection / (4 << 20)
	usual := debug.SetGCPercent(delayed)
	collectAsUsual = sync.OnceFunc(func() {
		if since := debug.SetGCPercent(usual); since != delayed {
			debug.SetGCPercent(since) // a worker has set its own
		}
	})
	runtime.AddCleanup(new([]byte), func(collectAsUsual func()) { collectAsUsual() }, collectAsUsual) // after the first run
	return collectAsUsual
}
