// Command doublewithdraw exposes a bug that tests with one call after the other miss: a bank that checks a balance,
// awaits, and then changes the balance pays twice if a second withdrawal comes in meanwhile. It holds the answer of one
// call, lets another in, and releases the answer, over the control API alone; then it does the same to a bank without
// the bug.
//
// It starts a daemon in its own process, or speaks to one that runs:
//
//	go run ./examples/doublewithdraw
//	go run ./examples/doublewithdraw -daemon 127.0.0.1:4943
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
)

// The canisters, compiled from the .mo files beside them.
var (
	//go:embed bank.wasm
	bank []byte
	//go:embed careful.wasm
	careful []byte
	//go:embed vault.wasm
	vault []byte
)

func main() {
	address := flag.String("daemon", "", "address of a daemon; without one, one is started")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *address, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "doublewithdraw:", remote.Text(err))
		os.Exit(1)
	}
}

func run(ctx context.Context, address string, out io.Writer) (err error) {
	if address == "" {
		d, err := daemon.Start(ctx, daemon.Config{Listen: "127.0.0.1:0"})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		address = d.URL()
	}
	d, err := remote.Dial(address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for _, b := range []struct {
		name string
		code []byte
	}{{"a bank with the bug", bank}, {"a bank without it", careful}} {
		fmt.Fprintf(out, "=== %s\n", b.name)
		paid, err := tell(ctx, d, b.code, out)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "The account had 100, and %d were paid.\n\n", paid)
	}
	return nil
}
