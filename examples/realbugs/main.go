// Command realbugs explores canisters made by compilers and libraries that had published bugs, and writes what was found as
// the table of docs/explorer-corpus.md:
//
//	go run ./examples/realbugs
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/canisterd/canisterd"
)

func main() {
	folder := flag.String("folder", "examples/realbugs", "folder of the bugs")
	runs := flag.Int("runs", budget, "runs of an exploration")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := table(ctx, *folder, *runs)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "realbugs:", err)
		os.Exit(1)
	}
}

// table writes a row for each bug.
func table(ctx context.Context, folder string, runs int) (err error) {
	bugs, err := read(folder)
	if err != nil {
		return err
	}
	base, err := canisterd.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	if err := deployLedgers(ctx, base, folder); err != nil {
		return err
	}
	fmt.Print("| bug | reported as | found | run | time | the finding |\n|---|---|---|--:|--:|---|\n")
	for _, bug := range bugs {
		result, err := bug.explore(ctx, base, folder, runs)
		if err != nil {
			return fmt.Errorf("%s: %w", bug.Folder, err)
		}
		fmt.Println(bug.row(result))
	}
	return nil
}
