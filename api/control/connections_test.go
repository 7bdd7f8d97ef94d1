package control_test

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// clientPreface is how a client of HTTP/2 begins, up to its first frame.
const clientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// plugIn is a connection over which any bytes go.
func (a *api) plugIn(first string) net.Conn {
	a.Helper()
	conn, err := net.Dial("tcp", a.daemon.ControlAddress())
	a.ok(err)
	a.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, first)
	a.ok(err)
	return conn
}

func TestUnknownBytesEndTheirConnectionAndNoOther(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	noise := make([]byte, 1<<16)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	for what, first := range map[string]string{
		"noise":                        string(noise),
		"half of the preface":          clientPreface[:10] + string(noise),
		"noise after the preface":      clientPreface + string(noise),
		"a frame of 16 MiB":            clientPreface + "\xff\xff\xff\x04\x00\x00\x00\x00\x00" + string(noise),
		"settings of a stream":         clientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x01",
		"a head that is not encoded":   clientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00" + "\x00\x00\x04\x01\x05\x00\x00\x00\x01\xff\xff\xff\xff",
		"a head that goes on for ever": clientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00" + strings.Repeat("\x00\x00\x04\x01\x00\x00\x00\x00\x01AAAA", 100),
		"TLS":                          "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + string(noise),
		"a head of HTTP/1 of 2 MiB":    "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n",
	} {
		conn := a.plugIn(first)
		a.ok(conn.SetReadDeadline(time.Now().Add(eventually.Limit)))
		if said, err := io.ReadAll(conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: the connection stays open; over it came %.100q", what, said)
		}
	}
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{})
}

// A silent client blocks only itself, and does not delay a daemon that closes.
func TestStalledConnectionsDelayNoOthers(t *testing.T) {
	stalled := []string{"", clientPreface[:5], clientPreface, clientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00", "POST /api/v2/status HTTP/1.1\r\nContent-Le"}
	a := served(t, daemon.Config{})
	for range 50 {
		for _, first := range stalled {
			a.plugIn(first)
		}
	}
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{})
	if err := a.daemon.Close(); err != nil { // no client has closed its connection
		t.Error(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b, a := bubbled(t)
		for range 50 {
			for _, first := range stalled {
				conn, err := b.listener.DialContext(t.Context())
				a.ok(err)
				defer conn.Close()
				_, err = io.WriteString(conn, first)
				a.ok(err)
			}
		}
		must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{})
		now, cancel := context.WithCancel(t.Context())
		cancel()
		begun := time.Now()
		b.server.Close(now)
		if took := time.Since(begun); took != 500*time.Millisecond {
			t.Errorf("it took %s to close", took)
		}
	})
}

func TestOneConnectionHasSoManyStreamsAndOthersHaveTheirs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, a := bubbled(t)
		greedy := b.client()
		ctx, leave := context.WithCancel(a.ctx)
		defer leave()
		for range 4096 {
			lease, err := greedy.instances.HoldLease(ctx, &controlv1.HoldLeaseRequest{})
			a.ok(err)
			if _, err := lease.Recv(); err != nil {
				t.Fatal(err)
			}
		}
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		if err := second(greedy.instances.GetInstance(short, &controlv1.GetInstanceRequest{})); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("one stream more: %v", err)
		}
		must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{})
		leave()
		must(greedy, greedy.instances.GetInstance, &controlv1.GetInstanceRequest{})
	})
}

func TestMetadataOfMoreThan64KiBIsRefused(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}) // the client has heard the limit
	for bytes, want := range map[int]string{
		65_000: "",
		65_536: "header list size to send violates the maximum size (65536 bytes) set by server",
	} {
		large := metadata.AppendToOutgoingContext(a.ctx, "x-large", strings.Repeat("x", bytes))
		if err := second(a.instances.GetInstance(large, &controlv1.GetInstanceRequest{})); status.Convert(err).Message() != want {
			t.Errorf("%d bytes: %v, want %q", bytes, err, want)
		}
	}
}

func TestAConnectionBeginsWithItsLimits(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	conn := a.plugIn(clientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00")
	a.ok(conn.SetReadDeadline(time.Now().Add(eventually.Limit)))
	head := make([]byte, 9)
	_, err := io.ReadFull(conn, head)
	a.ok(err)
	frame := make([]byte, binary.BigEndian.Uint32(head)>>8)
	_, err = io.ReadFull(conn, frame)
	a.ok(err)
	limits := make(map[uint16]uint32)
	for s := range slices.Chunk(frame, 6) {
		limits[binary.BigEndian.Uint16(s)] = binary.BigEndian.Uint32(s[2:])
	}
	const settings, maxConcurrentStreams, maxHeaderListSize = 4, 3, 6
	if head[3] != settings || limits[maxConcurrentStreams] != 4096 || limits[maxHeaderListSize] != 65_536 {
		t.Errorf("the first frame is of type %d and says %d", head[3], limits)
	}
}
