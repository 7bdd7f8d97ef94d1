package driver_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

func TestWhoAwaitsAHeldMessageGetsTheFirst(t *testing.T) {
	r := start(t, driver.Config{})
	r.create(2)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.AwaitHeld(ended, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("nothing is held: %v", err)
	}
	callee := id(1)
	made, err := r.Apply(t.Context(), &replica.AddRule{Rule: replica.Rule{
		Match: replica.Match{Callee: &callee}, Action: replica.Action{Kind: replica.ActHold},
	}})
	if err != nil || made.Refusal != nil {
		t.Fatal(err, made.Refusal)
	}
	type outcome struct {
		held introspect.HeldMessage
		err  error
	}
	seen := make(chan outcome, 1)
	go func() {
		held, err := r.AwaitHeld(t.Context(), made.Rule)
		seen <- outcome{held, err}
	}()
	in := r.message(0, "run", "call 1 (reply hello) then (echo)")
	if _, err := r.Submit(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	first := <-seen
	if first.err != nil || first.held.Caller != id(0) || first.held.Callee != id(1) || string(first.held.Argument) != "reply hello" {
		t.Fatalf("%+v", first)
	}
	var futures []introspect.OpenFuture
	if err := r.Read(t.Context(), func(n *replica.Network) { futures, _ = n.Introspect().Futures(introspect.Page{}) }); err != nil {
		t.Fatal(err)
	}
	if len(futures) != 1 || futures[0].Waits.Held != first.held.ID {
		t.Errorf("%+v", futures)
	}
	if result, err := r.Apply(t.Context(), replica.ReleaseHeld{ID: first.held.ID}); err != nil || result.Refusal != nil {
		t.Fatal(err, result.Refusal)
	}
	subnet := r.View().SubnetOf(id(0))
	if err := r.Await(t.Context(), subnet.ID, in.ID); err != nil {
		t.Error(err)
	}
}

func TestAReadDoesNotWakeUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, driver.Config{})
		var looks atomic.Int64
		ended := make(chan error, 1)
		go func() {
			ended <- r.Until(t.Context(), func(n *replica.Network) bool {
				looks.Add(1)
				return len(n.Rules()) > 0
			})
		}()
		synctest.Wait()
		if rules, err := driver.ReadValue(t.Context(), r.Driver, (*replica.Network).Rules); err != nil || len(rules) != 0 {
			t.Fatal(rules, err)
		}
		synctest.Wait()
		if n := looks.Load(); n != 1 {
			t.Errorf("Until looked %d times after a read, want once", n)
		}
		if _, err := r.Apply(t.Context(), &replica.AddRule{Rule: replica.Rule{Action: replica.Action{Kind: replica.ActHold}}}); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	})
}
