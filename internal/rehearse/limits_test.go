package rehearse_test

import (
	"context"
	"slices"
	"testing"

	"google.golang.org/grpc"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// asked records what a rehearsal asks the daemon for.
type asked struct {
	controlv1.ClockClient
	controlv1.ExplorerClient
	maxRounds []uint64 // of rounds until the network is idle
	rounds    []uint32 // that run at once
	runs      []uint32 // of explorations
}

func (a *asked) RunUntil(ctx context.Context, in *controlv1.RunUntilRequest, opts ...grpc.CallOption) (*controlv1.RunUntilResponse, error) {
	a.maxRounds = append(a.maxRounds, in.GetMaxRounds())
	return a.ClockClient.RunUntil(ctx, in, opts...)
}

func (a *asked) RunRounds(ctx context.Context, in *controlv1.RunRoundsRequest, opts ...grpc.CallOption) (*controlv1.RunRoundsResponse, error) {
	a.rounds = append(a.rounds, in.GetRounds())
	return a.ClockClient.RunRounds(ctx, in, opts...)
}

func (a *asked) Explore(ctx context.Context, in *controlv1.ExploreRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[controlv1.ExploreResponse], error) {
	a.runs = append(a.runs, in.GetRuns())
	return a.ExplorerClient.Explore(ctx, in, opts...)
}

func TestARehearsalAsksForAsMuchAsItsLimitsSay(t *testing.T) {
	s := started(t)
	small, err := wat.Assemble(`(module (import "ic0" "msg_reply" (func $reply)) (func (export "canister_update touch") (call $reply)))`)
	if err != nil {
		t.Fatal(err)
	}
	p := s.plan(t, "limits")
	s.install(t, p.Instance, p.Canister, small, "")
	p.Module = small
	p.Operations = []*controlv1.ExploreOperation{{Title: "app touch", Call: call(p, "touch")}}
	a := &asked{ClockClient: s.Clock, ExplorerClient: s.Explorer}
	recorded := *s.Daemon
	recorded.Clock, recorded.Explorer = a, a
	p.Daemon = &recorded
	run(t, p)
	if len(a.maxRounds) == 0 || slices.ContainsFunc(a.maxRounds, func(n uint64) bool { return n != 1_000 }) {
		t.Errorf("the network runs for at most %d rounds, want 1,000", a.maxRounds)
	}
	if !slices.Contains(a.rounds, 3) || slices.ContainsFunc(a.rounds, func(n uint32) bool { return n != 1 && n != 3 }) {
		t.Errorf("the network runs for %d rounds at once, want 3 before queries are asked again, and else 1", a.rounds)
	}
	if !slices.Equal(a.runs, []uint32{2_000}) {
		t.Errorf("the exploration has at most %d runs, want 2,000", a.runs)
	}
}
