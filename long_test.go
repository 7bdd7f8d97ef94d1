package canisterd_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// long is a canister that changes 8 MiB and then counts to 40 million: its messages are parked more than a thousand
// times. It has a heartbeat, so something begins in each round. Its method endless calls the canister of its argument
// again and again, and never replies.
func long(initialized string) []byte {
	return wat.MustAssemble(`(module
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(import "ic0" "msg_arg_data_copy" (func $copy (param i32 i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory (export "memory") 256)
	(data (i32.const 0) "answer")
	(global $callee (mut i32) (i32.const 0))
	(table 1 funcref) (elem (i32.const 0) $again)
	(func $work (local $at i32) (local $left i32)
		(local.set $at (i32.const 65536))
		(loop $fill
			(i32.store (local.get $at) (i32.const 7))
			(local.set $at (i32.add (local.get $at) (i32.const 4096)))
			(br_if $fill (i32.lt_u (local.get $at) (i32.const 8454144))))
		(local.set $left (i32.const 40000000))
		(loop $count
			(local.set $left (i32.sub (local.get $left) (i32.const 1)))
			(br_if $count (local.get $left))))
	(func $again (param $env i32)
		(call $new (i32.const 32) (global.get $callee) (i32.const 0) (i32.const 6) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
		(drop (call $perform)))
	(func (export "canister_init") ` + initialized + `)
	(func (export "canister_heartbeat"))
	(func (export "canister_update work") (call $work)
		(call $append (i32.const 0) (i32.const 6)) (call $reply))
	(func (export "canister_update answer") (call $reply))
	(func (export "canister_update endless")
		(global.set $callee (call $size))
		(call $copy (i32.const 32) (i32.const 0) (global.get $callee))
		(call $again (i32.const 0))))`)
}

func TestAMessageThatIsParkedThousandsOfTimesIsAnsweredByOneCall(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	c := ic.DeployModule(long("(call $work)")) // the installation takes as long
	var reply canisterd.Bytes
	if err := c.Call(ctx, "work", canisterd.Bytes(nil), canisterd.Into(&reply)); err != nil || string(reply) != "answer" {
		t.Errorf("it replies %q, %v", reply, err)
	}
}

func TestTimeDoesNotPassOverCodeThatRuns(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	c := ic.DeployModule(long(""))
	pending, err := c.Submit(ctx, "work", canisterd.Bytes(nil))
	if err != nil {
		t.Fatal(err)
	}
	begun := ic.Now()
	ic.Advance(time.Minute)
	if passed := ic.Now().Sub(begun); passed < time.Minute || passed > time.Minute+time.Second {
		t.Errorf("a minute is %s", passed)
	}
	trace := ic.Trace(pending)
	if err := pending.Await(ctx, new(canisterd.Bytes)); err != nil {
		t.Error(err)
	}
	if after := ic.Trace(pending); after != trace {
		t.Errorf("the message ran on after the minute:\n%s\nthen\n%s", trace, after)
	}
}

func TestCanistersThatCallOneAnotherForEverEndACallButNotThoseOfOthers(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t, canisterd.Subnets(canisterd.Application, canisterd.System))
	endless, c, called := ic.DeployModule(long("")), ic.DeployModule(long("")), ic.DeployModule(long(""), canisterd.On(canisterd.System))
	callee := called.ID()
	pending, err := endless.Submit(ctx, "endless", canisterd.Bytes(callee.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Call(ctx, "work", canisterd.Bytes(nil), canisterd.Into(new(canisterd.Bytes))); err != nil {
		t.Errorf("a long message meanwhile: %v", err)
	}
	err = pending.Await(ctx)
	if !errors.Is(err, canisterd.ErrWaiting) || !strings.Contains(err.Error(), "it awaits answer of canister "+callee.String()) {
		t.Errorf("a call of a canister that calls without end: %v", err)
	}
}
