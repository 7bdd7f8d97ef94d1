package control

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

func TestErrorsShow100BytesOfATextAnd256OfAValue(t *testing.T) {
	for _, c := range []struct {
		show func(string) string
		most int
	}{
		{func(text string) string { return strings.Trim(quoted(text), `"`) }, 100},
		{func(text string) string {
			return instanceReasons[instance.UnknownInstance].Refuse("").With("key", text).Metadata["key"]
		}, 256},
	} {
		text := strings.Repeat("x", c.most+1)
		if got := c.show(text[:c.most]); got != text[:c.most] {
			t.Errorf("%d bytes are shown as %q", c.most, got)
		}
		if got, want := c.show(text), text[:c.most-3]+"…"; got != want {
			t.Errorf("%d bytes are shown as %q, want %q", c.most+1, got, want)
		}
	}
}

func TestACallIsGivenUpATenthOfItsTimeAndAtMost50MillisecondsBeforeItsDeadline(t *testing.T) {
	for left, want := range map[time.Duration]time.Duration{
		400 * time.Millisecond: 360 * time.Millisecond, 500 * time.Millisecond: 450 * time.Millisecond,
		600 * time.Millisecond: 550 * time.Millisecond, time.Hour: time.Hour - 50*time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), left)
			defer cancel()
			ctx, end := wait{}.limit(ctx)
			defer end()
			if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) != want {
				t.Errorf("with %v left it is given up after %v, want %v", left, time.Until(deadline), want)
			}
		})
	}
}

func TestAFileIsSentInPiecesOf1MiB(t *testing.T) {
	s := new(sizesSent)
	n, err := chunkWriter{s}.Write(make([]byte, 2_097_153))
	if n != 2_097_153 || err != nil || !slices.Equal(s.sizes, []int{1_048_576, 1_048_576, 1}) {
		t.Errorf("%d bytes are sent in pieces of %d: %v", n, s.sizes, err)
	}
}

// sizesSent is a stream of a file.
type sizesSent struct {
	grpc.ServerStreamingServer[controlv1.ExportInstanceResponse]
	sizes []int
}

// Send notes a piece.
func (s *sizesSent) Send(out *controlv1.ExportInstanceResponse) error {
	s.sizes = append(s.sizes, len(out.GetChunk()))
	return nil
}

func TestCallsOfAStreamAreHandedIn128AtATime(t *testing.T) {
	all := instance.NewRegistry(instance.Config{Wall: time.Now})
	t.Cleanup(func() { _ = all.Close() })
	i, err := all.Create(t.Context(), &instance.Spec{Pacing: instance.Pacing{Mode: instance.Manual}})
	if err != nil {
		t.Fatal(err)
	}
	b := new(batches)
	b.load = &callStream{
		calls: &calls{Server: New(nil, Options{})}, instance: i, stream: b,
		room: make(chan struct{}, 300), left: make(chan struct{}, 1), waiting: make(map[replica.RequestID]*inflightCall), freed: make(chan struct{}, 1),
	}
	come := make(chan callRequest, 300)
	for range cap(come) { // no canister has the id: all are answered as they are handed in
		come <- callRequest{StreamRequest: &controlv1.StreamRequest{Call: &controlv1.Call{CanisterId: principal.Canister(99).String(), Method: "x"}}}
	}
	close(come)
	if err := b.load.submitAll(t.Context(), come); err != nil || !slices.Equal(b.sizes, []int{128, 128, 44}) {
		t.Errorf("%d calls are handed in as %d: %v", cap(come), b.sizes, err)
	}
}

// batches is a stream that notes how many of its calls are handed in together: all of them wait
// until the first is answered.
type batches struct {
	grpc.BidiStreamingServer[controlv1.StreamRequest, controlv1.StreamResponse]
	load  *callStream
	sizes []int
	left  int // calls that wait
}

// Send takes an answer.
func (b *batches) Send(*controlv1.StreamResponse) error {
	if together := len(b.load.waiting) + 1; together > b.left {
		b.sizes = append(b.sizes, together)
	}
	b.left = len(b.load.waiting)
	return nil
}
