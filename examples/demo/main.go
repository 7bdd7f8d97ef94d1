// Command demo starts a local Internet Computer in this process, deploys the two
// Motoko canisters of examples/motoko, lets one call the other, and stays.
//
// It is also an example of embedding: daemon.Start is the whole product, and
// api/client talks to it as to any other network.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	d, err := daemon.Start(ctx, daemon.Config{
		Listen: os.Getenv("CANISTERD_LISTEN"), // empty: the default
		Seed:   []byte{0},                     // the same ids each time, as the README has them
		Log:    slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	if err := deploy(ctx, d); err != nil {
		_ = d.Close()
		return err
	}
	select {
	case <-ctx.Done():
	case <-d.Failed():
	}
	return d.Close()
}

// deploy installs the pair, makes a call through both and says how to go on.
func deploy(ctx context.Context, d *daemon.Daemon) error {
	c, err := client.Dial(ctx, d.URL())
	if err != nil {
		return err
	}
	defer c.Close()
	greeter, err := install(ctx, c, "greeter")
	if err != nil {
		return err
	}
	relay, err := install(ctx, c, "relay")
	if err != nil {
		return err
	}
	arg, err := candid.Marshal(greeter.String(), "world")
	if err != nil {
		return err
	}
	reply, err := c.Call(ctx, relay, relay, "pass", arg)
	if err != nil {
		return err
	}
	var said string
	if err := candid.Unmarshal(reply, &said); err != nil {
		return err
	}
	fmt.Printf(`
relay   %s
greeter %s
http    %s

relay.pass(greeter, "world") replied: %s

Try in another shell:
  go run ./cmd/canisterd canister call --url %s %s pass '("%s", "Ada")'
  go run ./cmd/canisterd canister query --url %s %s count
Stop with Ctrl-C.
`, relay, greeter, d.URL(), said, d.URL(), relay, greeter, d.URL(), greeter)
	return nil
}

// install creates a canister and installs a module of examples/motoko.
func install(ctx context.Context, c *client.Client, name string) (principal.Principal, error) {
	module, err := os.ReadFile(filepath.Join("examples", "motoko", name+".wasm"))
	if err != nil {
		return principal.Principal{}, fmt.Errorf("run this from the root of the repository: %w", err)
	}
	near, err := c.Home(ctx)
	if err != nil {
		return principal.Principal{}, err
	}
	var created management.Canister
	if err := call(ctx, c, near, "provisional_create_canister_with_cycles", struct{}{}, &created); err != nil {
		return principal.Principal{}, err
	}
	return created.ID, call(ctx, c, created.ID, "install_code", management.Install{
		Mode: management.InstallMode{Install: &candid.Null{}}, Canister: created.ID, Module: module, Arg: []byte("DIDL\x00\x00"),
	}, nil)
}

// call calls the management canister about a canister.
func call(ctx context.Context, c *client.Client, about principal.Principal, method string, arg, reply any) error {
	encoded, err := candid.Marshal(arg)
	if err != nil {
		return err
	}
	answer, err := c.Call(ctx, principal.Management, about, method, encoded)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if reply == nil {
		return nil
	}
	return candid.Unmarshal(answer, reply)
}
