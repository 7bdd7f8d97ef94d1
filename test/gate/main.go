package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}

// command runs a subcommand with its flags and arguments.
func command(ctx context.Context, args []string) error {
	commands := map[string]func(context.Context, *flag.FlagSet, []string) error{"run": run, "affected": affected, "names": names, "lines": count}
	if len(args) == 0 || commands[args[0]] == nil {
		return errors.New("expected a command: run, affected, names or lines")
	}
	return commands[args[0]](ctx, flag.NewFlagSet("gate "+args[0], flag.ExitOnError), args[1:])
}
