package control_test

import (
	"context"
	"encoding/base64"
	"net"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// vanishing is the instances of a daemon, each of which is deleted as soon as it was found.
type vanishing struct {
	control.Registry
	t *testing.T
}

// Instance finds an instance that is gone when it returns.
func (v vanishing) Instance(name string) (*instance.Instance, error) {
	found, err := v.Registry.Instance(name)
	if err != nil {
		return nil, err
	}
	if err := v.Delete(name); err != nil {
		v.t.Errorf("deleting %s: %v", name, err)
	}
	return found, nil
}

// vanishes is a client of one more server for the instances of a daemon: there each is
// deleted between its being looked up and being asked.
func (a *api) vanishes() *api {
	a.Helper()
	s := control.New(vanishing{a.daemon.Instances(), a.T}, control.Options{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	a.ok(err)
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	a.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), eventually.Limit)
		defer cancel()
		s.Close(ctx)
		if err := <-served; err != nil {
			a.Error(err)
		}
	})
	return dialed(a.T, a.daemon, listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
}

// ask makes a unary RPC later, and writes it down.
func ask[I, O proto.Message](g *api, method func(context.Context, I, ...grpc.CallOption) (O, error), in I) func() {
	return func() { call(g, method, in) }
}

// hear is ask for an RPC that streams answers.
func hear[I, O proto.Message, S interface{ Recv() (O, error) }](g *api, method func(context.Context, I, ...grpc.CallOption) (S, error), in I) func() {
	return func() { collect(g, method, in) }
}

// askCalls are the RPCs of Calls, to an instance where a canister has a message to answer.
func askCalls(g *api, instance, canister string, sent []byte) []func() {
	run := &controlv1.Call{CanisterId: canister, Method: "run", Argument: rawOf("")}
	return []func(){
		ask(g, g.calls.Update, &controlv1.UpdateRequest{Instance: instance, Call: run}),
		ask(g, g.calls.Query, &controlv1.QueryRequest{Instance: instance, Call: run}),
		ask(g, g.calls.Submit, &controlv1.SubmitRequest{Instance: instance, Call: run}),
		ask(g, g.calls.Await, &controlv1.AwaitRequest{Instance: instance, RequestId: sent}),
		ask(g, g.calls.Batch, &controlv1.BatchRequest{Instance: instance, Calls: []*controlv1.BatchCall{{Call: run}, {Call: run, Query: true}}}),
		func() {
			stream, err := g.calls.Stream(g.ctx)
			g.ok(err)
			in := &controlv1.StreamRequest{Instance: instance, Tag: 7, Call: run}
			g.asked(in)
			g.ok(stream.Send(in))
			out, err := stream.Recv() // the stream is the client's to end
			g.ok(err)
			g.answered(out)
			g.ok(stream.CloseSend())
		},
	}
}

// askCanisters are RPCs of Canisters.
func askCanisters(g *api, instance, canister string) []func() {
	return []func(){
		ask(g, g.canisters.CreateCanister, &controlv1.CreateCanisterRequest{Instance: instance}),
		ask(g, g.canisters.ListCanisters, &controlv1.ListCanistersRequest{Instance: instance}),
		ask(g, g.canisters.StartCanister, &controlv1.StartCanisterRequest{Instance: instance, CanisterId: canister}),
		ask(g, g.canisters.GetCanister, &controlv1.GetCanisterRequest{Instance: instance, CanisterId: canister}),
		ask(g, g.canisters.GetInterface, &controlv1.GetInterfaceRequest{Instance: instance, CanisterId: canister}),
		ask(g, g.canisters.ReadMetadata, &controlv1.ReadMetadataRequest{Instance: instance, CanisterId: canister, Name: "a"}),
		ask(g, g.canisters.AddCycles, &controlv1.AddCyclesRequest{Instance: instance, CanisterId: canister, Cycles: "1"}),
		hear(g, g.canisters.ReadMemory, &controlv1.ReadMemoryRequest{Instance: instance, CanisterId: canister, Memory: controlv1.MemoryKind_MEMORY_KIND_HEAP}),
		hear(g, g.canisters.ReadLogs, &controlv1.ReadLogsRequest{Instance: instance, CanisterId: canister}),
	}
}

// askTime are RPCs of Clock and of Instances.
func askTime(g *api, instance string) []func() {
	state := &controlv1.State{Instance: instance}
	return []func(){
		ask(g, g.clock.GetTime, &controlv1.GetTimeRequest{Instance: instance}),
		ask(g, g.clock.SetTime, &controlv1.SetTimeRequest{Instance: instance, Time: timestamppb.New(beginning.Add(week))}),
		ask(g, g.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{Instance: instance, By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(week)}}),
		ask(g, g.clock.SetPacing, &controlv1.SetPacingRequest{Instance: instance, Pacing: hourly()}),
		ask(g, g.clock.RunRounds, &controlv1.RunRoundsRequest{Instance: instance, Rounds: 1}),
		ask(g, g.clock.RunUntil, &controlv1.RunUntilRequest{Instance: instance, Condition: &controlv1.RunUntilRequest_Idle{Idle: true}}),
		ask(g, g.clock.ListMoves, &controlv1.ListMovesRequest{Instance: instance}),
		ask(g, g.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: instance}),
		ask(g, g.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Instance: instance, Snapshot: "late"}),
		ask(g, g.instances.Diff, &controlv1.DiffRequest{Before: state, After: state}),
		hear(g, g.instances.ExportInstance, &controlv1.ExportInstanceRequest{Instance: instance}),
	}
}

// askMessages are RPCs of Messages.
func askMessages(g *api, instance, canister, subnet string) []func() {
	rule := holds(&controlv1.Match{Callee: canister}).GetRule()
	return []func(){
		ask(g, g.messages.ListFutures, &controlv1.ListFuturesRequest{Instance: instance}),
		ask(g, g.messages.ListTimers, &controlv1.ListTimersRequest{Instance: instance}),
		ask(g, g.messages.FireTimer, &controlv1.FireTimerRequest{Instance: instance, CanisterId: canister}),
		ask(g, g.messages.AddRule, &controlv1.AddRuleRequest{Instance: instance, Rule: rule}),
		ask(g, g.messages.RemoveRule, &controlv1.RemoveRuleRequest{Instance: instance, RuleId: 1}),
		ask(g, g.messages.ListRules, &controlv1.ListRulesRequest{Instance: instance}),
		ask(g, g.messages.ListHeld, &controlv1.ListHeldRequest{Instance: instance}),
		ask(g, g.messages.AwaitHeld, &controlv1.AwaitHeldRequest{Instance: instance}),
		ask(g, g.messages.Release, &controlv1.ReleaseRequest{Instance: instance, HeldId: 1}),
		ask(g, g.messages.ListOutcalls, &controlv1.ListOutcallsRequest{Instance: instance}),
		ask(g, g.messages.AnswerOutcall, &controlv1.AnswerOutcallRequest{Instance: instance, SubnetId: subnet}),
	}
}

// Another client may delete an instance when an RPC has just found it: a request to its network then fails because it
// no longer runs.
func TestAnInstanceThatIsDeletedWhenAnRPCHasFoundItSaysThatItDoesNotRun(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	id := a.scripted()
	sent := a.runs(id, canistertest.Script().ReplyText("of a round that never comes"))
	g := a.vanishes()
	g.mask(id.String(), "SCRIPT")
	g.mask(base64.StdEncoding.EncodeToString(sent[:]), "ID")
	const brief = "brief"
	for _, do := range slices.Concat(
		askCalls(g, brief, id.String(), sent[:]), askCanisters(g, brief, id.String()), askTime(g, brief),
		askMessages(g, brief, id.String(), a.daemon.Subnets()[1].ID.String()),
	) {
		must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: brief})
		do()
		if _, err := a.daemon.Instances().Instance(brief); err == nil {
			t.Fatal("an RPC has not looked for its instance")
		}
	}
	g.compare("instances_gone")
}
