package control_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestAMessageThatIsTooLargeIsRefusedWithItsSizeAndWhatToDo(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	id := a.installed(canistertest.Fixture("counter"), nil)
	large := func(size int) *controlv1.Call {
		return &controlv1.Call{CanisterId: id, Method: "inc", Argument: rawOf(strings.Repeat("x", size))}
	}
	refused := func(what string, err error) {
		a.Helper()
		a.note("%s", what)
		a.failed(err)
	}
	_, err := a.calls.Update(a.ctx, update(large(2<<20)))
	a.mask(strings.TrimPrefix(strings.SplitN(status.Convert(err).Message(), " is too", 2)[0], "Request "), "ID")
	refused("more than the subnet takes", err)
	_, err = a.calls.Update(a.ctx, update(large(4<<20)))
	refused("more than a client sends at once", err)
	head := &controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Head{Head: &controlv1.InstallHead{CanisterId: id}}}
	for _, size := range []int{5 << 20, 20 << 20} {
		stream, err := a.canisters.InstallCode(a.ctx)
		if err != nil {
			t.Fatal(err)
		}
		_ = stream.Send(head) // what is wrong the answer says
		_ = stream.Send(&controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Chunk{Chunk: make([]byte, size)}})
		_, err = stream.CloseAndRecv()
		refused("a module in one chunk", err)
		file, err := a.instances.ImportInstance(a.ctx)
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Send(&controlv1.ImportInstanceRequest{Part: &controlv1.ImportInstanceRequest_Options{Options: &controlv1.ImportOptions{}}})
		_ = file.Send(&controlv1.ImportInstanceRequest{Part: &controlv1.ImportInstanceRequest_Chunk{Chunk: make([]byte, size)}})
		_, err = file.CloseAndRecv()
		refused("a file in one chunk", err)
	}
	calls, err := a.calls.Stream(a.ctx)
	if err != nil {
		t.Fatal(err)
	}
	_ = calls.Send(&controlv1.StreamRequest{Call: large(5 << 20)})
	_, err = calls.Recv()
	refused("a call of a stream", err)
	a.compare("sizes")
}

func TestTheSenderOfUpTo32MiBLearnsTheLimit(t *testing.T) {
	a := served(t, daemon.Config{MemoryLimit: 1 << 30})
	for size, want := range map[int]string{
		33_554_432: "a message of 33554432 bytes exceeds the limit of 4194304: send a module or a file in chunks of at most 3 MiB, or fewer calls in one message",
		33_554_433: "grpc: received message larger than max (33554433 vs. 33554432)",
	} {
		in := &controlv1.InstallCodeRequest{Part: &controlv1.InstallCodeRequest_Chunk{Chunk: make([]byte, size-5)}}
		if got := proto.Size(in); got != size {
			t.Fatalf("the message has %d bytes, want %d", got, size)
		}
		stream, err := a.canisters.InstallCode(a.ctx)
		a.ok(err)
		_ = stream.Send(in) // what is wrong the answer says
		if _, err := stream.CloseAndRecv(); status.Convert(err).Message() != want {
			t.Errorf("%d bytes: %v, want %q", size, err, want)
		}
	}
}

func TestTheOutcomesOfABatchHaveSoMuchRoomTogether(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	id := a.scripted().String()
	const bytes = 1_900_000
	large := rawOf(string(canistertest.Script().Text("x").Int(bytes).Fill().Append().Answer().Bytes()))
	batch := &controlv1.BatchRequest{}
	for n := range 40 {
		batch.Calls = append(batch.Calls, &controlv1.BatchCall{Query: n%2 > 0, Call: &controlv1.Call{CanisterId: id, Method: map[bool]string{false: "run", true: "query"}[n%2 > 0], Argument: large}})
	}
	if _, err := a.calls.Batch(a.ctx, batch); status.Code(err) != codes.ResourceExhausted || whyOf(err).GetReason() != "" {
		t.Errorf("a client that takes 4 MiB: %v", err)
	}
	roomy := connected(t, a.daemon, grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(control.MaxResponseBytes)))
	var found, full int
	for n, r := range must(roomy, roomy.calls.Batch, batch).GetResults() {
		switch failure := r.GetFailure(); {
		case len(r.GetOutcome().GetReply().GetBytes()) == bytes:
			found++
		case failure.GetReason() != "BATCH_FULL":
			t.Errorf("call %d: %v %.300v", n, failure, r.GetOutcome())
		case n%2 > 0 && !strings.Contains(failure.GetMessage(), "make the query again"):
			t.Errorf("query %d: %s", n, failure.GetMessage())
		case n%2 == 0:
			_, hex, _ := strings.Cut(failure.GetMessage(), "call Await for request ")
			var request []byte
			if _, err := fmt.Sscanf(hex, "%x", &request); err != nil {
				t.Fatalf("update %d: %s (%v)", n, failure.GetMessage(), err)
			}
			a.mask(hex, "ID")
			a.answered(failure)
			if got := len(must(a, a.calls.Await, &controlv1.AwaitRequest{RequestId: request}).GetOutcome().GetReply().GetBytes()); got != bytes {
				t.Errorf("the answer to update %d has %d bytes", n, got)
			}
			fallthrough
		default:
			full++
		}
	}
	if found != 34 || full != 6 {
		t.Errorf("%d outcomes are there, for %d there is no room", found, full)
	}
	a.compare("calls_batch_full")
}

// Lists come in pages: what can be larger than is sent at once is a reply, written in full.
func TestAnAnswerThatIsTooLargeIsRefusedWithItsSizeAndWhatToDo(t *testing.T) {
	t.Parallel()
	a := byHand(t) // the outcome's time is as long in every run
	const (
		field   = "\x6c\x01\xff\xff\xff\xff\x0f" // a record with the field 4_294_967_295
		count   = 800_000
		records = "DIDL\x04\x6d\x01" + field + "\x02" + field + "\x03" + field + "\x7e\x01\x00"
	)
	header := binary.AppendUvarint([]byte(records), count)
	program := canistertest.Script().Blob(header).Append().Text("\x00").Int(count).Fill().Append().Answer()
	id := a.scripted().String()
	roomy := connected(t, a.daemon, grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(control.MaxResponseBytes)))
	roomy.mask(id, "SCRIPT")
	call(roomy, roomy.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: id, Method: "query", Argument: rawOf(string(program.Bytes())), ReplyForm: asText}})
	roomy.compare("sizes_answer")
}

// What a message takes is counted as it arrives, so that a compressed one would be counted too low.
func TestNoCompressionOfMessagesIsOffered(t *testing.T) {
	for _, name := range []string{"gzip", "snappy", "deflate", "zstd"} {
		if encoding.GetCompressor(name) != nil {
			t.Errorf("messages compressed with %s are read: count what they take once they are read (see rpc)", name)
		}
	}
}
