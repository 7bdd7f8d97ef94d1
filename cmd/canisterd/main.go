package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/canisterd/canisterd/daemon"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal starts an orderly shutdown. The second one ends the process at once.
	context.AfterFunc(ctx, stop)
	collectAsUsual := delayFirstCollection()
	limitProcess = func(limit int64) { // the daemon is ready
		collectAsUsual()
		daemon.LimitProcess(limit)
	}
	os.Exit(run(ctx, asCalled(os.Args[0], os.Args[1:]), os.Stdout, os.Stderr))
}
