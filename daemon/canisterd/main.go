package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks; a user who sends a second one does not want to wait.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, asPocket(os.Args[0], os.Args[1:]), os.Stdout, os.Stderr))
}
