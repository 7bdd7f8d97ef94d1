package rehearse_test

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// asked records what a rehearsal asks the daemon for.
type asked struct {
	controlv1.ClockClient
	controlv1.ExplorerClient
	controlv1.CallsClient
	maxRounds []uint64 // of rounds until the network is idle
	runs      []uint32 // of explorations
	parts     int      // of the old module
}

func (a *asked) RunUntil(ctx context.Context, in *controlv1.RunUntilRequest, opts ...grpc.CallOption) (*controlv1.RunUntilResponse, error) {
	a.maxRounds = append(a.maxRounds, in.GetMaxRounds())
	return a.ClockClient.RunUntil(ctx, in, opts...)
}

func (a *asked) Explore(ctx context.Context, in *controlv1.ExploreRequest, opts ...grpc.CallOption) (grpc.ServerStreamingClient[controlv1.ExploreResponse], error) {
	a.runs = append(a.runs, in.GetRuns())
	return a.ExplorerClient.Explore(ctx, in, opts...)
}

func (a *asked) Update(ctx context.Context, in *controlv1.UpdateRequest, opts ...grpc.CallOption) (*controlv1.UpdateResponse, error) {
	if in.GetCall().GetMethod() == "read_canister_snapshot_data" {
		a.parts++
	}
	return a.CallsClient.Update(ctx, in, opts...)
}

// withCustomSection appends a custom section of a size, with its name, to a module.
func withCustomSection(module []byte, size int) []byte {
	module = binary.AppendUvarint(append(slices.Clone(module), 0), uint64(size))
	return append(module, "\x04fill"+strings.Repeat("x", size-5)...)
}

func TestARehearsalAsksForAsMuchAsItsLimitsSay(t *testing.T) {
	s := started(t)
	small, err := wat.Assemble(`(module (import "ic0" "msg_reply" (func $reply)) (func (export "canister_update touch") (call $reply)))`)
	if err != nil {
		t.Fatal(err)
	}
	p := s.plan(t, "limits")
	s.install(t, p.Instance, p.Canister, withCustomSection(small, 2_500_000), "")
	p.Module = small
	p.Operations = []*controlv1.ExploreOperation{{Title: "app touch", Call: call(p, "touch")}}
	a := &asked{ClockClient: s.Clock, ExplorerClient: s.Explorer, CallsClient: s.Calls}
	recorded := *s.Daemon
	recorded.Clock, recorded.Explorer, recorded.Calls = a, a, a
	p.Daemon = &recorded
	verdict := run(t, p)
	if len(a.maxRounds) == 0 || slices.ContainsFunc(a.maxRounds, func(n uint64) bool { return n != 1_000 }) {
		t.Errorf("the network runs for at most %d rounds, want 1,000", a.maxRounds)
	}
	if !slices.Equal(a.runs, []uint32{2_000}) {
		t.Errorf("the exploration has at most %d runs, want 2,000", a.runs)
	}
	if a.parts != 2 {
		t.Errorf("a module of 2.5 MB is read in %d parts, want 2\n%s", a.parts, text(verdict))
	}
}
