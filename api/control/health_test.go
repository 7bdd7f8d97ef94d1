package control_test

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// A server answers what its health is before anything else may be asked of it.
func TestAServerReportsNotServingUntilItServes(t *testing.T) {
	s := control.New(nil, control.Options{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- s.Serve(listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx := eventually.Context(t)
	client := healthv1.NewHealthClient(conn)
	watch, err := client.Watch(ctx, &healthv1.HealthCheckRequest{Service: controlv1.Calls_ServiceDesc.ServiceName})
	if err != nil {
		t.Fatal(err)
	}
	is := func(want healthv1.HealthCheckResponse_ServingStatus) {
		t.Helper()
		seen, err := watch.Recv()
		asked, failed := client.Check(ctx, &healthv1.HealthCheckRequest{})
		if seen.GetStatus() != want || asked.GetStatus() != want || err != nil || failed != nil {
			t.Errorf("it is %v to who watches (%v), %v to who asks (%v); want %v", seen.GetStatus(), err, asked.GetStatus(), failed, want)
		}
	}
	is(healthv1.HealthCheckResponse_NOT_SERVING)
	s.SetServing(true)
	is(healthv1.HealthCheckResponse_SERVING)
	s.SetServing(false)
	is(healthv1.HealthCheckResponse_NOT_SERVING)
	now, stop := context.WithCancel(ctx)
	stop()
	s.Close(now) // a watching client does not end by itself
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// busyBefore is how many messages keep a canister busy before those that are under way: one of
// them takes about as long as the daemon waits for requests when it closes.
const busyBefore = 10

// underWay begins RPCs that would go on for ever, and gives what waits for their ends.
func underWay(a *api, canister string) map[string]func() error {
	a.Helper()
	busy := &controlv1.Call{CanisterId: canister, Method: "run", Argument: rawOf(string(canistertest.Script().Busy(1_000_000_000_000).Bytes()))}
	for range busyBefore {
		must(a, a.calls.Submit, &controlv1.SubmitRequest{Call: busy})
	}
	lease, err := a.instances.HoldLease(a.ctx, &controlv1.HoldLeaseRequest{})
	a.ok(err)
	watch, err := a.events.Watch(a.ctx, &controlv1.WatchRequest{})
	a.ok(err)
	logs, err := a.canisters.ReadLogs(a.ctx, &controlv1.ReadLogsRequest{CanisterId: canister, Follow: true})
	a.ok(err)
	mock, err := a.messages.Mock(a.ctx)
	a.ok(err)
	a.ok(mock.Send(&controlv1.MockRequest{Part: &controlv1.MockRequest_Head{Head: &controlv1.MockHead{CanisterId: "rdmx6-jaaaa-aaaaa-aaadq-cai"}}}))
	calls, err := a.calls.Stream(a.ctx)
	a.ok(err)
	a.ok(calls.Send(&controlv1.StreamRequest{Call: busy}))
	file, err := a.instances.ImportInstance(a.ctx)
	a.ok(err)
	a.ok(file.Send(&controlv1.ImportInstanceRequest{Part: &controlv1.ImportInstanceRequest_Options{Options: &controlv1.ImportOptions{}}}))
	module, err := a.canisters.InstallCode(a.ctx)
	a.ok(err)
	a.ok(module.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Head{Head: &controlv1.InstallHead{CanisterId: canister}}}))
	held, err := a.conn.NewStream(a.ctx, new(grpc.StreamDesc), controlv1.Messages_AwaitHeld_FullMethodName) // sent when this returns
	a.ok(err)
	a.ok(held.SendMsg(&controlv1.AwaitHeldRequest{}))
	a.ok(held.CloseSend())
	return map[string]func() error{
		"a lease": func() error { return lastOf(lease) }, "a watch": func() error { return lastOf(watch) }, "logs": func() error { return lastOf(logs) },
		"a mock": func() error { return lastOf(mock) }, "a stream of calls": func() error { return lastOf(calls) },
		"an import":       func() error { return file.RecvMsg(new(controlv1.ImportInstanceResponse)) },
		"an installation": func() error { return module.RecvMsg(new(controlv1.InstallCodeResponse)) },
		"a held message":  func() error { return held.RecvMsg(new(controlv1.AwaitHeldResponse)) },
		"an update":       func() error { return second(a.calls.Update(a.ctx, update(busy))) },
		"a batch": func() error {
			return second(a.calls.Batch(a.ctx, &controlv1.BatchRequest{Calls: []*controlv1.BatchCall{{Call: busy}}}))
		},
	}
}

func (a *api) ok(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// lastOf is how a stream ends.
func lastOf[O any](s interface{ Recv() (O, error) }) error {
	for {
		if _, err := s.Recv(); err != nil {
			return err
		}
	}
}

func TestWhatIsUnderWayEndsClearlyWithTheDaemon(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	canister := a.scripted().String()
	health, err := healthv1.NewHealthClient(a.conn).Watch(a.ctx, &healthv1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := health.Recv(); err != nil || seen.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		t.Errorf("at first it is %v (%v)", seen, err)
	}
	type end struct {
		what string
		err  error
	}
	ends := make(chan end)
	all := underWay(a, canister)
	for what, do := range all {
		go func() { ends <- end{what, do()} }()
	}
	for begun := 0; begun < busyBefore+3; { // the update, the batch and the stream of calls
		a.ok(a.node().Do(a.ctx, func(n *replica.Network) { begun = n.Census().Contexts + n.Census().Waiting }))
	}
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}) // what this client has sent before was read before
	closed := make(chan error)
	go func() { closed <- a.daemon.Close() }()
	if seen, err := health.Recv(); err != nil || seen.GetStatus() != healthv1.HealthCheckResponse_NOT_SERVING {
		t.Errorf("while it closes it is %v (%v)", seen, err)
	}
	for range all {
		e := <-ends
		if status.Code(e.err) != codes.Unavailable || whyOf(e.err).GetReason() != "DAEMON_STOPS" {
			t.Errorf("%s ends with %v", e.what, e.err)
		}
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := second(a.instances.GetInstance(a.ctx, &controlv1.GetInstanceRequest{})); status.Code(err) != codes.Unavailable {
		t.Errorf("afterwards it answers %v", err)
	}
}
