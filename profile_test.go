package canisterd_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

func TestAProfileGoesFromCanisterToCanister(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	ic.DeployProject("examples/motoko")
	relay, greeter := ic.Canister("relay"), ic.Canister("greeter")
	p, err := ic.Profile(ctx, func() error { return relay.Call(ctx, "pass", greeter.ID().String(), "Ada") })
	if err != nil {
		t.Fatal(err)
	}
	passed, calls := p.InstructionsOf(relay, "pass")
	greeted, once := p.InstructionsOf(greeter, "greet")
	if passed+greeted != p.Instructions() || p.Instructions() != p.Charged() || calls != 1 || once != 1 {
		t.Errorf("relay.pass took %d in %d calls, greeter.greet %d in %d, of %d; charged %d", passed, calls, greeted, once, p.Instructions(), p.Charged())
	}
	for _, want := range []string{"relay.pass (update)", "⏸ greeter.greet", "greeter.greet (update)", "relay.pass (reply callback)"} {
		if !strings.Contains(p.Tree(), want) {
			t.Errorf("the tree has no %q:\n%s", want, p.Tree())
		}
	}
	var file bytes.Buffer
	if err := p.WritePprof(&file); err != nil || file.Len() == 0 {
		t.Errorf("the file of the profile has %d bytes (%v)", file.Len(), err)
	}
}

// ticking calls its own method tick 200 times, each time in the callback of the call before.
const ticking = `(module
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(import "ic0" "canister_self_size" (func $size (result i32)))
	(import "ic0" "canister_self_copy" (func $copy (param i32 i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(memory 1) (data (i32.const 0) "tick") (table funcref (elem $again)) (global $left (mut i32) (i32.const 200))
	(func $tick (call $new (i32.const 16) (call $size) (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
		(drop (call $perform)))
	(func $again (param i32)
		(global.set $left (i32.sub (global.get $left) (i32.const 1)))
		(if (global.get $left) (then (call $tick)) (else (call $reply))))
	(func (export "canister_update run") (call $copy (i32.const 16) (i32.const 0) (call $size)) (call $tick))
	(func (export "canister_update tick") (call $reply)))`

func TestALoopOfAwaitsHasOneNodeInAProfile(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	c := ic.DeployModule(wat.MustAssemble(ticking))
	p, err := ic.Profile(ctx, func() error { return c.Call(ctx, "run", canisterd.Bytes(nil), canisterd.Into(new(canisterd.Bytes))) })
	if err != nil {
		t.Fatal(err)
	}
	_, ticks := p.InstructionsOf(c, "tick")
	if n := strings.Count(p.Tree(), "⏸"); n != 1 || ticks != 200 || p.Instructions() != p.Charged() {
		t.Errorf("%d awaits for %d ticks, %d instructions of %d, in\n%s", n, ticks, p.Instructions(), p.Charged(), p.Tree())
	}
}

func TestProfilesOfOneNetworkFollowEachOther(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	_, err := ic.Profile(ctx, func() error {
		_, err := ic.Profile(ctx, func() error { return nil })
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a profile within a profile: %v", err)
	}
	if _, err := ic.Profile(ctx, func() error { return nil }); err != nil {
		t.Errorf("a profile after a profile: %v", err)
	}
}
