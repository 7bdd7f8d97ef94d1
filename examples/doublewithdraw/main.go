// Command doublewithdraw exposes a bug that tests with one call after the other miss: a bank that checks a balance,
// awaits, and then changes the balance pays twice if a second withdrawal comes in meanwhile. It holds the answer of one
// call, lets another in, and releases the answer; then it does the same to a bank without the bug. The networks are in
// its own process:
//
//	go run ./examples/doublewithdraw
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/canisterd/canisterd"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "doublewithdraw:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	for _, b := range []struct {
		name string
		code []byte
	}{{"a bank with the bug", bank}, {"a bank without it", careful}} {
		fmt.Fprintf(out, "=== %s\n", b.name)
		paid, err := tell(ctx, b.code, out)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "The account had 100, and %d were paid.\n\n", paid)
	}
	return nil
}

// tell lets Alice withdraw twice from a bank and gives what was paid to her.
func tell(ctx context.Context, code []byte, out io.Writer) (paid int, err error) {
	ic, err := canisterd.Open(ctx, canisterd.Seed("double withdraw"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, ic.Close()) }()
	bank, err := ic.DeployModule(ctx, code, canisterd.Named("bank"))
	if err != nil {
		return 0, err
	}
	vault, err := ic.DeployModule(ctx, vault, canisterd.Named("vault"))
	if err != nil {
		return 0, err
	}
	alice := bank.As(canisterd.User("Alice"))
	if err := errors.Join(bank.Call(ctx, "open", vault.ID().String()), alice.Call(ctx, "deposit", 100)); err != nil {
		return 0, err
	}
	fmt.Fprintln(out, "Alice has 100 in the bank.")
	first, err := interleave(ctx, ic, alice, vault, out)
	if err != nil {
		return 0, err
	}
	tree, err := ic.Trace(ctx, first)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "What the first withdrawal did:\n%s\n", strings.TrimRight(tree, "\n"))
	return canisterd.Query[int](ctx, vault, "paidOut")
}

// interleave holds what the vault answers to the first withdrawal until the second one has come in.
func interleave(ctx context.Context, ic *canisterd.Network, alice, vault *canisterd.Canister, out io.Writer) (first *canisterd.Pending, err error) {
	rule, err := ic.Hold(ctx, canisterd.Calls{Callee: vault, Method: "transfer", Stage: canisterd.Response})
	if err != nil {
		return nil, err
	}
	if first, err = alice.Submit(ctx, "withdraw", 100); err != nil {
		return nil, err
	}
	held, err := rule.Wait(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "She withdraws 100. The bank asks the vault to pay; its answer to %s is held.\n", held.Method)
	second, err := alice.Submit(ctx, "withdraw", 100)
	if err != nil {
		return nil, err
	}
	if err := ic.Settle(ctx); err != nil {
		return nil, err
	}
	now, err := rule.Messages(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "She withdraws 100 again. Answers of the vault that are held now: %d.\n", len(now))
	if err := rule.Release(ctx); err != nil {
		return nil, err
	}
	for i, withdrawal := range []*canisterd.Pending{first, second} {
		var answer canisterd.Text
		if err := withdrawal.Await(ctx, &answer); err != nil {
			return nil, err
		}
		fmt.Fprintf(out, "Withdrawal %d is answered %s\n", i+1, answer)
	}
	return first, nil
}
