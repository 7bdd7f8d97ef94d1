package canisterd_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd"
)

// The tests of this file are shown in docs/go.md and README.md, and a test of cmd/canisterd compares them.

func TestACounterCounts(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	counter := ic.Deploy("test/canistertest/fixtures/counter.wasm")

	if err := counter.Call(ctx, "add", 5); err != nil {
		t.Fatal(err)
	}
	n, err := canisterd.Query[int](ctx, counter, "get")
	if err != nil || n != 5 {
		t.Errorf("the counter shows %d (%v), want 5", n, err)
	}
}

func TestTheRelayAsksTheGreeter(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	ic.DeployProject("examples/motoko") // the folder of a canisterd.yaml
	relay, greeter := ic.Canister("relay"), ic.Canister("greeter")

	ada := relay.As(canisterd.User("ada")) // any principal, without a key
	var reply string
	err := ada.Call(ctx, "pass", greeter.ID().String(), "Ada", canisterd.Into(&reply))
	if err != nil || reply != "the greeter says: Hello, Ada!" {
		t.Errorf("the relay replies %q (%v)", reply, err)
	}
}

func TestADailyTimerFiresSevenTimesAWeek(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	clock := ic.Deploy("test/canistertest/fixtures/clock.wasm")
	if err := clock.Call(ctx, "start", 24*time.Hour); err != nil {
		t.Fatal(err)
	}

	ic.Advance(7*24*time.Hour + time.Minute)
	if n, err := canisterd.Query[int](ctx, clock, "count"); err != nil || n != 7 {
		t.Errorf("in a week a daily timer fires %d times (%v)", n, err)
	}
}

func TestTwoWithdrawalsAtOncePayTwice(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	bank, vault := ic.Deploy("examples/doublewithdraw/bank.wasm"), ic.Deploy("examples/doublewithdraw/vault.wasm")
	if err := errors.Join(bank.Call(ctx, "open", vault.ID().String()), bank.Call(ctx, "deposit", 100)); err != nil {
		t.Fatal(err)
	}

	held := ic.Hold(canisterd.Calls{Callee: vault, Stage: canisterd.Response})
	first, err := bank.Submit(ctx, "withdraw", 100)
	if err != nil {
		t.Fatal(err)
	}
	held.Wait() // the bank has checked the balance, and waits for the vault
	second, err := bank.Submit(ctx, "withdraw", 100)
	if err != nil {
		t.Fatal(err)
	}
	ic.Settle()
	held.Release()

	if err := errors.Join(first.Await(ctx), second.Await(ctx)); err != nil {
		t.Fatal(err)
	}
	paid, err := canisterd.Query[int](ctx, vault, "paidOut")
	if err != nil || paid != 200 { // a bank without the bug pays 100
		t.Errorf("%d were paid (%v):\n%s", paid, err, ic.Trace(first))
	}
}

func TestATransferBeyondTheMoneyIsRejected(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	vault := ic.Deploy("examples/doublewithdraw/vault.wasm")

	fork := ic.Fork() // what happens in the fork does not happen here
	err := fork.Canister("vault").Call(ctx, "transfer", canisterd.User("alice"), 2_000)
	var reject *canisterd.Reject
	if !errors.As(err, &reject) || reject.ErrorCode != "IC0503" || len(reject.Backtrace) == 0 {
		t.Errorf("too large a transfer: %v", err)
	}
	if err := vault.Call(ctx, "transfer", canisterd.User("alice"), 1_000); err != nil {
		t.Error(err)
	}
}

func TestAPriceIsFetched(t *testing.T) {
	prices := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("42")) })
	ic := canisterd.New(t, canisterd.Outcalls(canisterd.Handler(prices)))
	outcaller := ic.Deploy("test/canistertest/fixtures/outcaller.wasm")

	var reply canisterd.Text
	if err := outcaller.Call(t.Context(), "fetch", "https://example.com/price", canisterd.Into(&reply)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(reply), "42") {
		t.Errorf("the reply is %s", reply)
	}
}
