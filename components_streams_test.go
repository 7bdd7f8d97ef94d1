package canisterd_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/component"
)

// deployPair deploys a component that calls another canister, which is the same component.
func deployPair(t *testing.T, file string) *canisterd.Canister {
	t.Helper()
	ic := canisterd.New(t)
	caller := ic.DeployModule(streamsComponent(t, file), canisterd.Features("components"))
	callee := ic.DeployModule(streamsComponent(t, file), canisterd.Features("components"))
	if err := caller.Call(t.Context(), "open", callee.ID()); err != nil {
		t.Fatal(err)
	}
	return caller
}

func streamsComponent(t *testing.T, file string) []byte {
	t.Helper()
	binary, err := os.ReadFile("canister/internal/components/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// hostedPipe runs the function pipe of the component in a host, whose function call answers as tick of a canister.
func hostedPipe(t *testing.T, calls uint32) any {
	t.Helper()
	ctx := t.Context()
	code, err := component.Compile(ctx, streamsComponent(t, "pipes.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close(ctx)
	ticks := uint32(0)
	instance, err := code.Instantiate(ctx, component.Imports{"ic:canister/calls@0.1.0": component.Imports{
		"call": component.AsyncFunc(func(_ context.Context, _ []any, done *component.Completion) {
			ticks++
			go done.Return(component.Variant{Payload: binary.LittleEndian.AppendUint32([]byte("DIDL\x00\x01\x79"), ticks)})
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := instance.Call(ctx, "pipe", calls)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestAStreamGivesTheSameNumbersInAHostAndInACanister(t *testing.T) {
	for _, calls := range []uint32{1, 2, 7} {
		pipes := deployPair(t, "pipes.wasm")
		got, err := canisterd.Call[uint64](t.Context(), pipes, "pipe", calls)
		if want := hostedPipe(t, calls); err != nil || any(got) != want {
			t.Errorf("%d calls: the canister says %d (%v), the host %d", calls, got, err, want)
		}
	}
}

func TestATaskThatHasReturnedReadsWhatMessagesOfOthersWrite(t *testing.T) {
	ctx := t.Context()
	pipes := deployPair(t, "pipes.wasm")
	done := func(want uint32) {
		t.Helper()
		if n, err := canisterd.Query[uint32](ctx, pipes, "done"); err != nil || n != want {
			t.Errorf("done are %d (%v), want %d", n, err, want)
		}
	}
	pay := func(method string, amount uint32) error {
		err := pipes.Call(ctx, method, amount)
		_, waited := canisterd.Call[uint64](ctx, pipes, "pipe", uint32(1)) // until the worker has its answer
		return errors.Join(err, waited)
	}
	if err := errors.Join(pipes.Call(ctx, "work", true), pay("pay", 3), pay("pay", 4)); err != nil {
		t.Fatal(err)
	}
	done(7)
	if err := pay("pay_and_trap", 100); err == nil || !strings.Contains(err.Error(), "IC0502") {
		t.Errorf("the call that traps: %v", err)
	}
	done(7)
	if err := errors.Join(pay("pay", 5), pipes.Call(ctx, "dismiss")); err != nil {
		t.Fatal(err)
	}
	done(12)
	if err := pipes.Call(ctx, "pay", uint32(6)); err == nil || !strings.Contains(err.Error(), "unknown handle index") {
		t.Errorf("a payment after the end: %v", err)
	}
}

// TestATaskIsAnsweredByCallsThatOthersMakeInItsMessages asks the worker, which calls the bank in the message of the task that asks.
func TestATaskIsAnsweredByCallsThatOthersMakeInItsMessages(t *testing.T) {
	ctx := t.Context()
	pipes := deployPair(t, "pipes.wasm")
	if err := pipes.Call(ctx, "work", true); err != nil {
		t.Fatal(err)
	}
	ask := func(amount uint32, told bool) (uint32, error) {
		return canisterd.Call[uint32](ctx, pipes, "ask", amount, told)
	}
	if n, err := ask(5, true); err != nil || n != 5 {
		t.Errorf("after the first payment, %d are done: %v", n, err)
	}
	// A task that nothing wakes is rejected. The worker does not lose its response.
	if _, err := ask(6, false); err == nil || !strings.Contains(err.Error(), "ask waits, and has made no call that could wake it") {
		t.Errorf("a task that is not told: %v", err)
	}
	if n, err := ask(7, true); err != nil || n != 5+6+7 {
		t.Errorf("after the third payment, %d are done: %v", n, err)
	}
	// The worker traps when there is no bank. The task that asked is over, too.
	if err := pipes.Call(ctx, "open", principal.Canister(1<<40)); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(8, true); err == nil || !strings.Contains(err.Error(), "IC0502") {
		t.Errorf("a task whose worker traps: %v", err)
	}
	if err := pipes.Call(ctx, "pay", uint32(9)); err != nil {
		t.Error(err)
	}
	for method, want := range map[string]uint32{"done": 5 + 6 + 7, "left": 9} {
		if n, err := canisterd.Query[uint32](ctx, pipes, method); err != nil || n != want {
			t.Errorf("%s is %d (%v), want %d", method, n, err, want)
		}
	}
}

func TestATaskThatYieldsGoesOnAfterThoseThatItWoke(t *testing.T) {
	pipes := deployPair(t, "pipes.wasm")
	err := pipes.Call(t.Context(), "work", true)
	read, yielding := canisterd.Call[uint32](t.Context(), pipes, "pay_and_yield", uint32(5))
	if err := errors.Join(err, yielding); err != nil || read != 1 {
		t.Errorf("the worker has read %d times (%v), want 1", read, err)
	}
}

func TestATaskThatWaitsForAnotherOneNeedsACallOfItsOwn(t *testing.T) {
	pipes := deployPair(t, "pipes.wasm")
	const want = "expect waits, and has made no call that could wake it"
	for _, calls := range []bool{false, true} { // the call responds before there is a value
		if err := pipes.Call(t.Context(), "expect", calls); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("calls %v: got %v, want a text with %q", calls, err, want)
		}
	}
}

// TestStreamsAndFuturesOfWitBindgenPassNumbersBetweenTasks runs a component in Rust. Its tasks go on after they have returned.
func TestStreamsAndFuturesOfWitBindgenPassNumbersBetweenTasks(t *testing.T) {
	ctx := t.Context()
	relay := deployPair(t, "relay.wasm")
	if all, err := canisterd.Call[[]uint32](ctx, relay, "collect", uint32(3)); err != nil || !slices.Equal(all, []uint32{1, 10, 100, 2, 20, 200, 3, 30, 300}) {
		t.Errorf("collect: %v, %v", all, err)
	}
	if err := relay.Call(ctx, "begin", uint32(2)); err != nil {
		t.Fatal(err)
	}
	// Its calls are answered before those of collect that are made later.
	if all, err := canisterd.Call[[]uint32](ctx, relay, "collect", uint32(2)); err != nil || len(all) != 6 {
		t.Errorf("collect: %v, %v", all, err)
	}
	if sum, err := canisterd.Call[uint32](ctx, relay, "sum"); err != nil || sum < 4+5 {
		t.Errorf("sum: %d, %v", sum, err)
	}
}
