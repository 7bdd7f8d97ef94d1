package instance_test

import (
	"context"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
)

// answering is a host that answers each outcall once it is told to.
type answering struct{ release chan struct{} }

// Attach makes a front.
func (h answering) Attach(string, *instance.About) (instance.Front, error) { return h, nil }

// Serve does nothing.
func (answering) Serve(context.Context, *instance.Instance, string) ([]string, error) {
	return nil, nil
}

// Close does nothing.
func (answering) Close() error { return nil }

// MakeOutcalls answers the first outcall.
func (h answering) MakeOutcalls(ctx context.Context, i *instance.Instance) {
	<-h.release
	pending, err := i.Driver().Outcalls(ctx)
	if err == nil && len(pending) > 0 {
		_ = i.Driver().AnswerListed(ctx, &pending[0], replica.OutcallAnswer{Status: 200})
	}
}

// outcaller deploys a canister and has it make an outcall. The reply of its call is the reply of the outcall.
func outcaller(t *testing.T, i *instance.Instance) (request replica.RequestID) {
	t.Helper()
	type get struct {
		Get *candid.Null `ic:"get,variant"`
	}
	arg, err := candid.Marshal(struct {
		URL     string     `ic:"url"`
		Method  get        `ic:"method"`
		Headers []struct{} `ic:"headers"`
	}{"https://example.org", get{new(candid.Null)}, nil})
	if err != nil {
		t.Fatal(err)
	}
	call := canistertest.Script().Call(canistertest.Call{
		Callee: principal.Management, Method: "http_request", Arg: arg, Cycles: 1_000_000_000_000, OnReply: canistertest.Script().ReplyText("answered"),
	})
	id := instancetest.Deploy(t, i, canistertest.Scriptable(), nil)
	return instancetest.Submit(t, i, id, id, "run", call.Bytes())
}

func TestARunWaitsForOutcallsUnlessTheyAreForClients(t *testing.T) {
	for mode := range instance.LastOutcalls + 1 {
		host := answering{make(chan struct{})}
		r := instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Host: host})
		t.Cleanup(func() { _ = r.Close() })
		i := made(t, r, &instance.Spec{Pacing: instance.Pacing{Mode: instance.Manual}, Outcalls: &mode})
		id := outcaller(t, i)
		go func() {
			defer close(host.release)
			_ = i.Driver().Until(t.Context(), func(n *replica.Network) bool { return n.ExternalWaits().Outcalls > 0 })
		}()
		got, err := i.RunUntil(eventually.Context(t), instance.Answered(id), 0)
		want := instance.ConditionMet
		if mode == instance.HoldOutcalls {
			want = instance.NothingMore
		}
		if err != nil || got.Reason != want {
			t.Errorf("where outcalls are %s a run ends with %+v, %v, want reason %d", mode, got, err, want)
		}
	}
}

func TestAnAdvanceEndsWhereTimePassesFasterThanACanisterWorks(t *testing.T) {
	_, i := first(t, time.Now, instance.Pacing{Mode: instance.Auto})
	id := instancetest.Deploy(t, i, canistertest.Restless(), nil)
	instancetest.Submit(t, i, id, id, "begin", nil)
	before := i.Driver().Time()
	ctx, end := context.WithCancel(t.Context())
	passing := make(chan struct{})
	go func() { // as on a computer that needs three seconds for a round
		defer close(passing)
		for wall := before; i.Driver().AdvanceClock(ctx, func() (uint64, bool) { return wall, true }) == nil; {
			wall = i.Driver().Time() + uint64(3*time.Second)
		}
	}()
	_, err := i.Advance(eventually.Context(t), instance.Advance{By: week})
	end()
	<-passing
	if passed := time.Duration(i.Driver().Time() - before); err != nil || passed < week {
		t.Errorf("after a week %s have passed: %v", passed, err)
	}
}
