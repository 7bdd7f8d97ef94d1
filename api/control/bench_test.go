package control_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// counting is a canister that counts its calls and replies with nothing.
const counting = `(module
  (import "ic0" "msg_reply" (func $reply))
  (memory 1)
  (func (export "canister_update inc")
    (i64.store (i32.const 0) (i64.add (i64.load (i32.const 0)) (i64.const 1)))
    (call $reply)))`

// bench is a daemon with a counting canister, and a client of its control API.
type bench struct {
	b      *testing.B
	daemon *daemon.Daemon
	calls  controlv1.CallsClient
	id     principal.Principal
	call   *controlv1.Call
	sent   uint64
}

// startBench is a daemon with a connection to its control API.
func startBench(b *testing.B) (*daemon.Daemon, *grpc.ClientConn) {
	b.Helper()
	d, err := daemon.Start(b.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	})
	conn := dialBench(b, strings.TrimPrefix(d.URL(), "http://"))
	return d, conn
}

func newBench(b *testing.B) *bench {
	b.Helper()
	d, conn := startBench(b)
	w := &bench{b: b, daemon: d, calls: controlv1.NewCallsClient(conn)}
	canisters := controlv1.NewCanistersClient(conn)
	made, err := canisters.CreateCanister(b.Context(), &controlv1.CreateCanisterRequest{Cycles: "1000000000000000000000"})
	if err != nil {
		b.Fatal(err)
	}
	if w.id, err = principal.Parse(made.GetCanisterId()); err != nil {
		b.Fatal(err)
	}
	w.call = &controlv1.Call{CanisterId: made.GetCanisterId(), Method: "inc"}
	module, err := wat.Assemble(counting)
	if err != nil {
		b.Fatal(err)
	}
	stream, err := canisters.InstallCode(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, part := range []*controlv1.InstallCodeRequest{
		{Part: &controlv1.InstallCodeRequest_Head{Head: &controlv1.InstallHead{CanisterId: made.GetCanisterId()}}},
		{Part: &controlv1.InstallCodeRequest_Chunk{Chunk: module}},
	} {
		if err := stream.Send(part); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := stream.CloseAndRecv(); err != nil {
		b.Fatal(err)
	}
	return w
}

func dialBench(b *testing.B, target string) *grpc.ClientConn {
	b.Helper()
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return conn
}

// unary makes an update over the control API.
func (w *bench) unary() {
	out, err := w.calls.Update(context.Background(), &controlv1.UpdateRequest{Call: w.call})
	if err != nil || out.GetOutcome().GetReply() == nil {
		w.b.Fatal(out, err)
	}
}

// inProcess makes the same update through the driver.
func (w *bench) inProcess() {
	d, ctx := w.daemon.Driver(), context.Background()
	w.sent++
	in := &replica.Ingress{
		Sender: principal.Anonymous, Receiver: w.id, Effective: w.id, Method: "inc", Expiry: d.View().Time + replica.MaxIngressTTL, Size: 300,
	}
	binary.LittleEndian.PutUint64(in.ID[:], w.sent*0x9e3779b97f4a7c15)
	if receipt, err := d.Submit(ctx, in); err != nil || receipt.Reject != nil {
		w.b.Fatal(receipt, err)
	}
	if err := d.Await(ctx, d.View().SubnetOf(w.id).ID, in.ID); err != nil {
		w.b.Fatal(err)
	}
}

// streamed makes updates over one stream.
func (w *bench) streamed(updates int) {
	stream, err := w.calls.Stream(context.Background())
	if err != nil {
		w.b.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		for tag := range updates {
			if err := stream.Send(&controlv1.StreamRequest{Tag: uint64(tag), Call: w.call}); err != nil {
				sent <- err
				return
			}
		}
		sent <- stream.CloseSend()
	}()
	answered := 0
	for {
		out, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil || out.GetOutcome().GetReply() == nil {
			w.b.Fatal(out, err)
		}
		answered++
	}
	if err := <-sent; err != nil || answered != updates {
		w.b.Fatalf("%d of %d updates are answered, %v", answered, updates, err)
	}
}

// emptyRPC is a unary RPC of grpc-go that does nothing, on a server of its own.
func emptyRPC(b *testing.B) func() {
	b.Helper()
	const method = "/floor.Floor/Empty"
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "floor.Floor", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Empty", Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			return new(emptypb.Empty), decode(new(emptypb.Empty))
		}}},
	}, nil)
	listener, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go server.Serve(listener)
	b.Cleanup(server.Stop)
	conn := dialBench(b, listener.Addr().String())
	return func() {
		if err := conn.Invoke(context.Background(), method, new(emptypb.Empty), new(emptypb.Empty)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRatioUpdateOverTheControlAPI is an update over a connection, one after the
// other; the floor is an empty RPC of grpc-go and the same update in process.
func BenchmarkRatioUpdateOverTheControlAPI(b *testing.B) {
	w, empty := newBench(b), emptyRPC(b)
	ratio.Compare(b, 2, ratio.Each(w.unary), ratio.Each(func() {
		empty()
		w.inProcess()
	}))
}

// BenchmarkRatioStreamedUpdate is an update of a stream of many; the floor is a third
// of one in an RPC of its own.
func BenchmarkRatioStreamedUpdate(b *testing.B) {
	w := newBench(b)
	const streamed, alone = 4000, 400
	ratio.CompareTimed(b, 1, func() time.Duration {
		start := time.Now()
		w.streamed(streamed)
		return time.Since(start) / streamed
	}, func() time.Duration {
		start := time.Now()
		for range alone {
			w.unary()
		}
		return time.Since(start) / alone / 3
	})
}

func BenchmarkAnUpdateOverTheControlAPI(b *testing.B) {
	w := newBench(b)
	for b.Loop() {
		w.unary()
	}
}

func BenchmarkAnEmptyRPC(b *testing.B) {
	empty := emptyRPC(b)
	for b.Loop() {
		empty()
	}
}

func BenchmarkStreamedUpdates(b *testing.B) {
	w := newBench(b)
	b.ResetTimer()
	w.streamed(b.N)
}

func BenchmarkInProcess(b *testing.B) {
	w := newBench(b)
	for b.Loop() {
		w.inProcess()
	}
}
