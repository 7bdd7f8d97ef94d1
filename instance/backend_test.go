package instance_test

import (
	"testing"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest/wat"
	"github.com/canisterd/canisterd/test/instancetest"
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
	_, i := first(t, nil, instance.Pacing{})
	module, err := wat.Assemble(asker)
	if err != nil {
		t.Fatal(err)
	}
	id := instancetest.Deploy(t, i, module, nil)
	for _, c := range []struct {
		passes time.Duration
		late   bool
	}{{instance.QueryTime - time.Second, false}, {instance.QueryTime, true}} {
		now, passes := time.Now(), c.passes
		b := instance.BackendOf(i.Driver(), instance.Manual, func() time.Time {
			defer func() { now, passes = now.Add(passes), 0 }()
			return now
		})
		result, err := b.Query(eventually.Context(t), &replica.Query{Receiver: id, Effective: id, Method: "ask"})
		if err != nil {
			t.Fatal(err)
		}
		if late := result.Reject != nil && result.Reject.Error == intercanister.QueryTimeLimitExceeded; late != c.late || !late && string(result.Reply) != "there" {
			t.Errorf("after %s: %q, %v", c.passes, result.Reply, result.Reject)
		}
	}
}

// While a canister writes gigabytes, the network's owner cannot answer.
func TestAViewIsShownWhileTheNetworkIsBusy(t *testing.T) {
	_, i := first(t, nil, instance.Pacing{})
	begun, release := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- i.Driver().Do(t.Context(), func(*replica.Network) { close(begun); <-release })
	}()
	<-begun
	anHourOn := func() time.Time { return time.Now().Add(time.Hour) }
	b := instance.BackendOf(i.Driver(), instance.Auto, anHourOn)
	if b.View() == nil {
		t.Error("no view")
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	for soon := uint64(anHourOn().Add(-time.Minute).UnixNano()); i.Driver().View().Time < soon; b.View() {
		if t.Context().Err() != nil {
			t.Fatal("the view stays old where the network is free again")
		}
	}
}
