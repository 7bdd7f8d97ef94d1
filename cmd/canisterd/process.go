package main

import (
	"context"

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
