package remote

import (
	"bytes"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func TestAStreamIsSentInPiecesOf1MiB(t *testing.T) {
	content := make([]byte, 2_097_153)
	for _, r := range []io.Reader{bytes.NewReader(content), io.MultiReader(bytes.NewReader(content))} {
		var sizes []int
		err := chunks(r, nil, func(b []byte) error {
			sizes = append(sizes, len(b))
			return nil
		})
		if err != nil || !slices.Equal(sizes, []int{1_048_576, 1_048_576, 1}) {
			t.Errorf("2,097,153 bytes are sent as %d: %v", sizes, err)
		}
	}
}

// 1 MiB was allocated and cleared for each file of an installation, also for files that it does not have.
func TestAChunkHasNoMoreRoomThanItNeeds(t *testing.T) {
	err := chunks(bytes.NewReader(make([]byte, 1_000)), nil, func(b []byte) error {
		if cap(b) != 1_000 {
			t.Errorf("a chunk of 1,000 bytes has room for %d", cap(b))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if size := nextChunk(bytes.NewReader(nil)); size != 0 {
		t.Errorf("an empty file has a chunk of %d bytes", size)
	}
}

func TestAClientSends4MiBAndTakes64MiBInOneMessage(t *testing.T) {
	const frame = 5         // bytes of a BytesValue beside its own
	var answer atomic.Int64 // bytes of its value
	d := dialed(t, func(_ any, stream grpc.ServerStream) error {
		if err := stream.RecvMsg(new(wrapperspb.BytesValue)); err != nil {
			return err
		}
		return stream.SendMsg(wrapperspb.Bytes(make([]byte, answer.Load())))
	})
	for _, c := range []struct {
		request int
		answer  int64
		want    string
	}{
		{4_194_304, 100, ""},
		{4_194_305, 100, "trying to send message larger than max (4194305 vs. 4194304)"},
		{100, 67_108_864, ""},
		{100, 67_108_865, "grpc: received message larger than max (67108865 vs. 67108864)"},
	} {
		answer.Store(c.answer - frame)
		got := new(wrapperspb.BytesValue)
		err := d.Connection().Invoke(t.Context(), "/any/Method", wrapperspb.Bytes(make([]byte, c.request-frame)), got)
		if status.Convert(err).Message() != c.want || err == nil && int64(len(got.GetValue())) != answer.Load() {
			t.Errorf("a request of %d bytes and an answer of %d: %v, want %q", c.request, c.answer, err, c.want)
		}
	}
}

// dialed is a connection to a server that answers every method with a handler.
func dialed(t *testing.T, handler grpc.StreamHandler) *Daemon {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(1<<30), grpc.UnknownServiceHandler(handler))
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	d, err := Dial(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = d.Close()
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return d
}
