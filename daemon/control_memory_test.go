package daemon

import (
	"context"
	"crypto/sha256"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// stallingConn is a client's connection that keeps for itself what is written beyond some bytes,
// and reads nothing more once it is stalled, until it is closed.
type stallingConn struct {
	net.Conn
	room    atomic.Int64 // bytes that still go through
	stalled atomic.Bool
	once    sync.Once
	closed  chan struct{}
}

func (c *stallingConn) Write(p []byte) (int, error) {
	if through := min(int64(len(p)), max(c.room.Load(), 0)); through > 0 {
		c.room.Add(-through)
		if _, err := c.Conn.Write(p[:through]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (c *stallingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.stalled.Load() {
		<-c.closed
	}
	return n, err
}

func (c *stallingConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// stalling is a gRPC client over a connection that may stall.
func stalling(t *testing.T, d *Daemon, room int64) (*grpc.ClientConn, *stallingConn) {
	t.Helper()
	raw, err := net.Dial("tcp", strings.TrimPrefix(d.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	conn := &stallingConn{Conn: raw, closed: make(chan struct{})}
	conn.room.Store(room)
	used := false
	client, err := grpc.NewClient("passthrough:///stalling", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			if used {
				return nil, net.ErrClosed
			}
			used = true
			return conn, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client, conn
}

// waitForMemory waits until the messages of the control API take what is wanted.
func waitForMemory(t *testing.T, d *Daemon, what string, wanted func(used int64) bool) {
	t.Helper()
	eventually.True(t, what, func() bool { return wanted(d.memory.control.Used()) })
}

// little is what heads and pings take until the next RPC ends.
func little(used int64) bool { return used < 64<<10 }

func TestHalfSentMessagesTakeNoMoreThanTheirBudgetAndTheLargestGoFirst(t *testing.T) {
	d := started(t, Config{MemoryLimit: MinMemoryLimit})
	limit := d.memory.control.Limit()
	done := make(chan error, 40)
	for range cap(done) {
		client, _ := stalling(t, d, 3<<20)
		go func() {
			_, err := controlv1.NewCallsClient(client).Update(t.Context(), &controlv1.UpdateRequest{Call: &controlv1.Call{
				CanisterId: "aaaaa-aa", Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: make([]byte, 4<<20)}},
			}})
			done <- err
		}()
	}
	for closed := 0; closed < cap(done)-int(limit>>20)/3; closed++ {
		// Its connection is closed, or its request is refused while the messages of others are
		// above the budget.
		if err := <-done; status.Code(err) != codes.Unavailable && status.Code(err) != codes.ResourceExhausted {
			t.Errorf("a client that sends half of a message hears %v", err)
		}
		if used := d.memory.control.Used(); used > limit+limit/4 {
			t.Errorf("messages take %d of %d bytes", used, limit)
		}
	}
	if err := knock(t, d.URL()); err != nil {
		t.Errorf("beside half-sent messages a small one is answered with %v", err)
	}
}

func TestAnswersThatClientsDoNotReadAreRefusedAboveTheirBudget(t *testing.T) {
	d := started(t, Config{MemoryLimit: MinMemoryLimit})
	large := &controlv1.QueryRequest{Call: &controlv1.Call{
		CanisterId: userOf(t, d).deployWith(canistertest.Scriptable(), nil).String(), Method: "query",
		Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: canistertest.Script().Text("x").Int(1_900_000).Fill().Append().Answer().Bytes()}},
	}}
	ask := func(client *grpc.ClientConn) error {
		_, err := controlv1.NewCallsClient(client).Query(t.Context(), large)
		return err
	}
	client, conn := stalling(t, d, 1<<30)
	if err := ask(client); err != nil {
		t.Fatal(err)
	}
	waitForMemory(t, d, "after an answer was read", little)
	conn.stalled.Store(true)
	for range 40 {
		go func() { _ = ask(client) }()
	}
	waitForMemory(t, d, "with unread answers", func(used int64) bool { return used > d.memory.control.Limit()-2_000_000 })
	other, _ := stalling(t, d, 1<<30)
	var refused error
	for range 10 {
		if refused = ask(other); refused != nil {
			break
		}
	}
	if status.Code(refused) != codes.ResourceExhausted || !strings.Contains(refused.Error(), "the memory budget of messages of the control API is used up") {
		t.Errorf("beside unread answers a large one is refused with %v", refused)
	} else if info := status.Convert(refused).Details()[0].(*errdetails.ErrorInfo); info.GetReason() != "MEMORY_SPENT" || info.GetMetadata()["limit"] != "16777216" {
		t.Errorf("the refusal says %v", info)
	}
	_ = conn.Close()
	waitForMemory(t, d, "after the connection was closed", little)
}

func TestAModuleThatIsInstalledByItsHashTakesMemory(t *testing.T) {
	d := started(t, Config{MemoryLimit: MinMemoryLimit})
	client, _ := stalling(t, d, 1<<30)
	canisters, module := controlv1.NewCanistersClient(client), canistertest.Fixture("counter")
	hash := sha256.Sum256(module)
	id := userOf(t, d).deployWith(module, nil).String()
	upgrade := func() error {
		stream, err := canisters.InstallCode(t.Context())
		if err != nil {
			return err
		}
		if err := stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Head{Head: &controlv1.InstallHead{CanisterId: id, ModuleHash: hash[:]}}}); err != nil {
			return err
		}
		_, err = stream.CloseAndRecv()
		return err
	}
	rest := d.memory.control.Limit() - 100_000
	if err := d.memory.control.Reserve(rest); err != nil {
		t.Fatal(err)
	}
	if err := upgrade(); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("with memory for 100 KB, a module of %d KB is installed: %v", len(module)/1000, err)
	}
	d.memory.control.Release(rest)
	if err := upgrade(); err != nil {
		t.Error(err)
	}
	waitForMemory(t, d, "after the installation", little)
}

// frame is one frame of HTTP/2 on stream 1.
func frame(kind, flags byte, payload string) string {
	size := len(payload)
	return string([]byte{byte(size >> 16), byte(size >> 8), byte(size), kind, flags, 0, 0, 0, 1}) + payload
}

func TestAHalfSentMessageIsForgottenWhenItsClientTakesItBack(t *testing.T) {
	d := started(t, Config{MemoryLimit: MinMemoryLimit})
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	text := func(s string) string { return string(rune(len(s))) + s }
	headers := "\x83\x86\x04" + text("/canisterd.control.v1.Calls/Update") + "\x01" + text("localhost") +
		"\x0f\x10" + text("application/grpc") + "\x00" + text("te") + text("trailers")
	half := "\x00\x00\x10\x00\x00" + strings.Repeat("x", 16_000) // a message of 1 MiB begins
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"+
		frame(1, 4, headers)+frame(0, 0, half)+frame(0, 0, half)+frame(0, 0, half)); err != nil {
		t.Fatal(err)
	}
	waitForMemory(t, d, "with half of a message", func(used int64) bool { return used > 48_000 })
	if _, err := io.WriteString(conn, frame(3, 0, "\x00\x00\x00\x08")); err != nil {
		t.Fatal(err)
	}
	waitForMemory(t, d, "after the client took it back", func(used int64) bool { return used < 1_000 })
}
