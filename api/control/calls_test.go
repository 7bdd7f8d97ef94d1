package control_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// installed is a new canister with code and an init argument.
func (a *api) installed(module []byte, argument *controlv1.Value) (id string) {
	a.Helper()
	id = must(a, a.canisters.CreateCanister, &controlv1.CreateCanisterRequest{}).GetCanisterId()
	if _, err := a.upload(&controlv1.InstallHead{CanisterId: id, Argument: argument}, module); err != nil {
		a.Fatal(err)
	}
	return id
}

// upload installs a module in pieces, after which there may be debug information.
func (a *api) upload(head *controlv1.InstallHead, module []byte, debug ...*controlv1.InstallCodeRequest) (*controlv1.InstallCodeResponse, error) {
	stream, err := a.canisters.InstallCode(a.ctx)
	if err != nil {
		return nil, err
	}
	err = stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Head{Head: head}})
	for chunk := range slices.Chunk(module, 3<<20) {
		if err == nil {
			err = stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Chunk{Chunk: chunk}})
		}
	}
	for _, part := range debug {
		if err == nil {
			err = stream.Send(part)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return stream.CloseAndRecv()
}

// still makes time stand still, so that what is written down is the same in every run.
func (a *api) still() {
	a.Helper()
	must(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}})
	must(a, a.clock.SetTime, &controlv1.SetTimeRequest{Time: timestamppb.New(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))})
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 1})
}

func textOf(s string) *controlv1.Value { return &controlv1.Value{Form: &controlv1.Value_Text{Text: s}} }

func jsonOf(s string) *controlv1.Value { return &controlv1.Value{Form: &controlv1.Value_Json{Json: s}} }

func rawOf(s string) *controlv1.Value {
	return &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: []byte(s)}}
}

const (
	asText = controlv1.Form_FORM_TEXT
	asJSON = controlv1.Form_FORM_JSON
)

func update(c *controlv1.Call) *controlv1.UpdateRequest { return &controlv1.UpdateRequest{Call: c} }

func TestCallsOfAMotokoCanister(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	ledger := a.installed(canistertest.Fixture("ledger"), nil)
	a.mask(ledger, "LEDGER")
	alice := principal.SelfAuthenticating([]byte("alice")).String()
	a.mask(alice, "ALICE")
	a.note("arguments and replies as JSON, text and bytes, as any principal")
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: ledger, Method: "record", Argument: jsonOf(`["12345678901234567890","rent"]`), Sender: alice, ReplyForm: asJSON}))
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: ledger, Method: "record", Argument: textOf(`(5, "tea")`), ReplyForm: asText}))
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: ledger, Method: "record", Argument: rawOf("DIDL\x00\x02\x7d\x71\x07\x01x")}))
	for _, form := range []controlv1.Form{asJSON, asText, controlv1.Form_FORM_BYTES} {
		call(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: ledger, Method: "entry", Argument: jsonOf(`[0]`), ReplyForm: form}})
	}
	call(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: ledger, Method: "total", ReplyForm: asJSON}})
	a.note("a reject is a result, of an update and of a query")
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: ledger, Method: "record", Argument: rawOf("nonsense")}))
	call(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: ledger, Method: "record"}})
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: ledger, Method: "nothing"}))
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: principal.Canister(99).String(), Method: "nothing"}))
	a.note("the management canister has an interface too")
	call(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{
		CanisterId: "aaaaa-aa", Method: "canister_status", Argument: jsonOf(`[{"canister_id":"` + ledger + `"}]`), Sender: principal.Anonymous.String(), ReplyForm: asJSON,
	}})
	call(a, a.calls.Update, update(&controlv1.Call{
		CanisterId: "aaaaa-aa", Method: "update_settings", Argument: textOf(`(record { canister_id = principal "` + ledger + `"; settings = record { compute_allocation = opt 7 } })`), ReplyForm: asJSON,
	}))
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: "aaaaa-aa", Method: "update_settings", Argument: jsonOf(`[{}]`)}))
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: "aaaaa-aa", Method: "canister_status", Argument: textOf(`(record { canister_id = principal "` + ledger + `" })`), Sender: alice}))
	call(a, a.calls.Update, update(&controlv1.Call{CanisterId: "aaaaa-aa", Method: "start_canister", Argument: textOf(`(record { canister_id = principal "` + ledger + `" })`), ReplyForm: asText}))
	a.compare("calls")
}

func TestCallsThatAreNeverMade(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	ledger := a.installed(canistertest.Fixture("ledger"), nil)
	blank := a.installed(canistertest.Scriptable(), rawOf(""))
	a.mask(ledger, "LEDGER")
	a.mask(blank, "BLANK")
	for _, c := range []*controlv1.Call{
		nil,
		{},
		{CanisterId: "x", Method: "total"},
		{CanisterId: ledger},
		{CanisterId: ledger, Method: "total", Sender: "x"},
		{CanisterId: ledger, Method: "total", ReplyForm: 9},
		{CanisterId: ledger, Method: "total", EffectiveCanisterId: "x"},
		{CanisterId: ledger, Method: "total", EffectiveCanisterId: blank},
		{CanisterId: ledger, Method: "record", Argument: jsonOf(`[-1,"x"]`)},
		{CanisterId: ledger, Method: "record", Argument: jsonOf(`["1"`)},
		{CanisterId: ledger, Method: "record", Argument: textOf(`("x")`)},
		{CanisterId: ledger, Method: "nothing", Argument: jsonOf(`[]`)},
		{CanisterId: blank, Method: "run", Argument: jsonOf(`[]`)},
		{CanisterId: principal.SelfAuthenticating([]byte("nobody")).String(), Method: "run"},
	} {
		call(a, a.calls.Update, update(c))
	}
	call(a, a.calls.Query, &controlv1.QueryRequest{Instance: "x"})
	call(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: ledger, Method: "entry", Argument: jsonOf(`[]`)}})
	call(a, a.calls.Submit, &controlv1.SubmitRequest{Instance: "x"})
	call(a, a.calls.Await, &controlv1.AwaitRequest{Instance: "x"})
	call(a, a.calls.Await, &controlv1.AwaitRequest{RequestId: []byte("short")})
	call(a, a.calls.Await, &controlv1.AwaitRequest{RequestId: make([]byte, 32), ReplyForm: 9})
	call(a, a.calls.Await, &controlv1.AwaitRequest{RequestId: make([]byte, 32)})
	call(a, a.calls.Batch, &controlv1.BatchRequest{Instance: "x"})
	_, err := a.calls.Batch(a.ctx, &controlv1.BatchRequest{Calls: make([]*controlv1.BatchCall, 1001)})
	a.failed(err)
	a.compare("calls_refused")
}

func TestACallIsSubmittedAndAwaited(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	counter := a.installed(canistertest.Fixture("counter"), nil)
	a.mask(counter, "COUNTER")
	sent := call(a, a.calls.Submit, &controlv1.SubmitRequest{Call: &controlv1.Call{CanisterId: counter, Method: "inc"}})
	again := call(a, a.calls.Submit, &controlv1.SubmitRequest{Call: &controlv1.Call{CanisterId: counter, Method: "inc"}})
	a.note("time by hand: somebody else runs the round")
	done := make(chan *controlv1.AwaitResponse)
	go func() {
		out, err := a.calls.Await(a.ctx, &controlv1.AwaitRequest{RequestId: sent.GetRequestId(), ReplyForm: asJSON})
		if err != nil {
			a.Error(err)
		}
		done <- out
	}()
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 1})
	a.answered(<-done)
	call(a, a.calls.Await, &controlv1.AwaitRequest{RequestId: again.GetRequestId(), ReplyForm: asText})
	call(a, a.calls.Submit, &controlv1.SubmitRequest{Call: &controlv1.Call{CanisterId: principal.Canister(99).String(), Method: "inc"}})
	a.compare("calls_submitted")
}

func TestABatchIsMadeInOrder(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.still()
	counter := a.installed(canistertest.Fixture("counter"), nil)
	a.mask(counter, "COUNTER")
	inc := &controlv1.BatchCall{Call: &controlv1.Call{CanisterId: counter, Method: "inc", ReplyForm: asJSON}}
	call(a, a.calls.Batch, &controlv1.BatchRequest{Calls: []*controlv1.BatchCall{
		inc, inc,
		{Call: &controlv1.Call{CanisterId: counter, Method: "add", Argument: jsonOf(`[true]`)}},
		{Call: &controlv1.Call{CanisterId: counter, Method: "add", Argument: jsonOf(`[10]`), ReplyForm: asJSON}},
		{Call: &controlv1.Call{CanisterId: counter, Method: "get", ReplyForm: asJSON}, Query: true},
		{Call: &controlv1.Call{CanisterId: principal.Canister(99).String(), Method: "inc"}},
	}})
	call(a, a.calls.Batch, &controlv1.BatchRequest{})
	a.compare("calls_batch")
}

// paced changes when rounds happen.
func (a *api) paced(p *controlv1.Pacing) {
	a.Helper()
	must(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Pacing: p})
}

// hourly is a pacing that answers nothing as long as a test lasts.
func hourly() *controlv1.Pacing {
	return &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_INTERVAL, Interval: durationpb.New(time.Hour)}
}

func TestACallOutlivesTheDeadlineOfItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a := bubbled(t)
		counter := a.installed(canistertest.Fixture("counter"), nil)
		a.paced(hourly())
		ctx, cancel := context.WithTimeout(a.ctx, 300*time.Millisecond)
		defer cancel()
		_, err := a.calls.Update(ctx, update(&controlv1.Call{CanisterId: counter, Method: "inc"}))
		hex := whyOf(err).GetMetadata()["request_id"]
		a.mask(hex, "ID")
		a.failed(err)
		var id []byte
		if _, err := fmt.Sscanf(hex, "%x", &id); err != nil {
			a.Fatal(err)
		}
		a.paced(&controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_AUTO})
		out := must(a, a.calls.Await, &controlv1.AwaitRequest{RequestId: id, ReplyForm: asJSON})
		if got := out.GetOutcome().GetReply().GetJson(); got != "[1]" {
			a.Errorf("got %q", got)
		}
		a.compare("calls_unanswered")
	})
}

func TestACallSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	caller, counter := a.fixture("caller"), a.fixture("counter")
	a.mask(caller.String(), "CALLER")
	a.mask(counter.String(), "COUNTER")
	must(a, a.messages.AddRule, holds(&controlv1.Match{Callee: counter.String()}))
	bump := &controlv1.Call{
		CanisterId: caller.String(), Method: "bump", Argument: &controlv1.Value{Form: &controlv1.Value_Text{Text: `("` + counter.String() + `")`}},
	}
	_, err := a.calls.Update(a.ctx, &controlv1.UpdateRequest{Call: bump, NoWait: true})
	request := whyOf(err).GetMetadata()["request_id"]
	a.mask(request, "ID")
	a.note("a caller that does not wait: the message runs, and then a rule holds its request")
	a.failed(err)
	id, err := hex.DecodeString(request)
	if err != nil || len(id) == 0 {
		t.Fatal(request, err)
	}
	await := func(in *controlv1.AwaitRequest) {
		in.RequestId = id
		_, err := a.calls.Await(a.ctx, in)
		a.failed(err)
	}
	a.note("a patience that is over, none, and less than that")
	await(&controlv1.AwaitRequest{Patience: durationpb.New(time.Millisecond)})
	await(&controlv1.AwaitRequest{Patience: durationpb.New(0)})
	await(&controlv1.AwaitRequest{Patience: durationpb.New(-time.Second), RunRounds: true})
	a.note("rounds do not help")
	until := must(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_RequestId{RequestId: id}})
	a.note(until.GetWaitsFor())
	a.note("released, without a round, and then with rounds that the caller runs")
	must(a, a.messages.Release, &controlv1.ReleaseRequest{HeldId: 1})
	await(&controlv1.AwaitRequest{NoWait: true})
	out := must(a, a.calls.Await, &controlv1.AwaitRequest{RequestId: id, NoWait: true, RunRounds: true})
	if out.GetOutcome().GetReply() == nil {
		t.Errorf("it ends with %v", out.GetOutcome())
	}
	a.compare("calls_waits")
}

func TestACallerMayGoAway(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	counter := a.installed(canistertest.Fixture("counter"), nil)
	a.paced(hourly())
	ctx, cancel := context.WithCancel(a.ctx)
	failed := make(chan error)
	go func() {
		_, err := a.calls.Update(ctx, update(&controlv1.Call{CanisterId: counter, Method: "inc"}))
		failed <- err
	}()
	for waiting := 0; waiting == 0; {
		if err := a.node().Do(a.ctx, func(n *replica.Network) { waiting = n.Census().Waiting }); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-failed; status.Code(err) != codes.Canceled {
		t.Errorf("%v", err)
	}
	a.paced(&controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_AUTO})
	out := must(a, a.calls.Update, update(&controlv1.Call{CanisterId: counter, Method: "inc", ReplyForm: asJSON}))
	if got := out.GetOutcome().GetReply().GetJson(); got != "[2]" {
		t.Errorf("the counter says %s: the call goes on without its caller", got)
	}
}

func TestACallTheInstanceDoesNotKnowAnyMoreFails(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	counter := a.installed(canistertest.Fixture("counter"), nil)
	a.paced(hourly())
	d := a.node()
	snapshot, err := d.Snapshot(a.ctx, replica.ForkConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	inc := &controlv1.Call{CanisterId: counter, Method: "inc"}
	alone, lost := make(chan error), make(chan map[uint64]*controlv1.StreamResponse)
	go func() {
		_, err := a.calls.Update(a.ctx, update(inc))
		alone <- err
	}()
	go func() {
		lost <- a.load(func(to chan<- *controlv1.StreamRequest) { to <- &controlv1.StreamRequest{Tag: 7, Call: inc} })
	}()
	for waiting := 0; waiting < 2; {
		if err := d.Do(a.ctx, func(n *replica.Network) { waiting = n.Census().Waiting }); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Restore(a.ctx, snapshot); err != nil {
		t.Fatal(err)
	}
	if err := <-alone; err == nil {
		t.Error("a call is answered that the instance does not know")
	}
	if answers := <-lost; answers[7].GetFailure() == nil {
		t.Errorf("%v", answers[7])
	}
}

// whyOf is the google.rpc.ErrorInfo of an error, empty where it has none.
func whyOf(err error) *errdetails.ErrorInfo {
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info
		}
	}
	return &errdetails.ErrorInfo{}
}
