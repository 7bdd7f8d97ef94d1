package daemon

import (
	"testing"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/canister/canistertest/wat"
	"github.com/canisterd/canisterd/intercanister"
)

// asker has a composite query that replies when its call is answered.
const asker = `(module
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(memory 1)
	(table 1 funcref)
	(elem (i32.const 0) $answered)
	(data (i32.const 0) "there")
	(func $answered (param i32)
		(call $append (i32.const 0) (i32.const 5))
		(call $reply))
	(func (export "canister_composite_query ask")
		(call $new (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 5) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
		(drop (call $perform))))`

func TestACompositeQueryHasTenSecondsOfTheWallClock(t *testing.T) {
	d := started(t, Config{})
	module, err := wat.Assemble(asker)
	if err != nil {
		t.Fatal(err)
	}
	id := userOf(t, d).deploy(module)
	for _, c := range []struct {
		passes time.Duration
		late   bool
	}{{queryTime - time.Second, false}, {queryTime, true}} {
		now, passes := time.Now(), c.passes
		b := &backend{node: d.Node(), clock: &clock{wall: func() time.Time {
			defer func() { now, passes = now.Add(passes), 0 }()
			return now
		}}}
		b.pacing.Store(uint32(Manual))
		result, err := b.Query(patient(t), &api.Query{Receiver: id, Effective: id, Method: "ask"})
		if err != nil {
			t.Fatal(err)
		}
		if late := result.Reject != nil && result.Reject.Error == intercanister.QueryTimeLimitExceeded; late != c.late || !late && string(result.Reply) != "there" {
			t.Errorf("after %s: %q, %v", c.passes, result.Reply, result.Reject)
		}
	}
}
