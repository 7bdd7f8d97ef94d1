package asyncbugs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/canisterd/canisterd"
)

// Twin is one of the two canisters of a bug.
type Twin string

// The twins.
const (
	Buggy Twin = "buggy"
	Fixed Twin = "fixed"
)

// shared are the canisters without a bug, which are the same for all bugs that have them.
var shared = []string{"ledger", "second"}

// Base deploys what the bugs share. Deploy goes on in a fork.
func Base(ctx context.Context, n *canisterd.Network, folder string) error {
	for _, name := range shared {
		file := filepath.Join(folder, "shared", "ledger.wasm.gz")
		if _, err := n.Deploy(ctx, file, canisterd.Named(name), canisterd.Init(canisterd.Text("(10_000)"))); err != nil {
			return err
		}
	}
	return nil
}

// Deploy deploys one twin of a bug in a network with the Base, and makes the calls of its setup. A second passes, in
// which timers fire that are due at once.
func (b *Bug) Deploy(ctx context.Context, n *canisterd.Network, twin Twin) error {
	own := slices.DeleteFunc(slices.Sorted(maps.Keys(b.canisters)), func(name string) bool { return slices.Contains(shared, name) })
	for _, name := range own {
		if _, err := n.Create(ctx, canisterd.Named(name)); err != nil {
			return err
		}
	}
	for _, name := range own {
		c, err := n.Canister(name)
		if err != nil {
			return err
		}
		init, err := b.init(n, name)
		if err != nil {
			return err
		}
		file := strings.Replace(b.canisters[name].Wasm, string(Buggy), string(twin), 1)
		if err := c.Reinstall(ctx, filepath.Join(b.Folder, file), init); err != nil {
			return err
		}
	}
	for _, call := range b.Explore.Setup {
		c, method, arg, err := ParseCall(n, call)
		if err != nil {
			return err
		}
		if err := c.Call(ctx, method, arg); err != nil {
			return err
		}
	}
	return n.Advance(ctx, time.Second)
}

// init are the arguments of the installation of a canister: ${NAME} is the id of another one.
func (b *Bug) init(n *canisterd.Network, name string) (canisterd.DeployOption, error) {
	text := b.canisters[name].Init
	for other := range b.canisters {
		if !strings.Contains(text, "${"+other+"}") {
			continue
		}
		c, err := n.Canister(other)
		if err != nil {
			return nil, err
		}
		text = strings.ReplaceAll(text, "${"+other+"}", c.ID().String())
	}
	return canisterd.Init(canisterd.Text(text)), nil
}

// ParseCall reads a call or a query, such as "app withdraw (100)", as a canister, a method and its arguments.
func ParseCall(n *canisterd.Network, text string) (c *canisterd.Canister, method string, arg canisterd.Text, err error) {
	words := append(strings.SplitN(text, " ", 3), "()")
	if len(words) < 3 {
		return nil, "", "", fmt.Errorf("invalid call %q: expected a canister, a method and its arguments", text)
	}
	c, err = n.Canister(words[0])
	return c, words[1], canisterd.Text(words[2]), err
}

// CanStop is the property that a canister can be stopped, and with it upgraded: "app can stop".
const CanStop = "can stop"

// Ask is the result of a query as Candid text without its type and parentheses, or of "app can stop" true or false.
func Ask(ctx context.Context, n *canisterd.Network, query string) (string, error) {
	if name, stop := strings.CutSuffix(query, " "+CanStop); stop {
		c, err := n.Canister(name)
		if err != nil {
			return "", err
		}
		err = c.Stop(ctx)
		if errors.Is(err, canisterd.ErrWaiting) {
			return "false", nil
		}
		return "true", err
	}
	c, method, arg, err := ParseCall(n, query)
	if err != nil {
		return "", err
	}
	var text canisterd.Text
	if err := c.Query(ctx, method, arg, canisterd.Into(&text)); err != nil {
		return "", err
	}
	value, _, _ := strings.Cut(strings.Trim(string(text), "()"), " : ")
	return value, nil
}
