package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/refusal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica/driver"
)

// infoOf is the google.rpc.ErrorInfo of an error, empty where it has none.
func infoOf(err error) *errdetails.ErrorInfo {
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info
		}
	}
	return &errdetails.ErrorInfo{}
}

func TestEveryErrorOfAHandlerHasACodeAndAReason(t *testing.T) {
	s := New(nil, Options{})
	for _, c := range []struct {
		err  error
		code codes.Code
		want string
	}{
		{instanceReasons[instance.UnknownInstance].Refuse("x"), codes.NotFound, "INSTANCE_UNKNOWN"},
		{fmt.Errorf("on the way: %w", instanceReasons[instance.UnknownInstance].Refuse("x")), codes.NotFound, "INSTANCE_UNKNOWN"},
		{refusal.New(refusal.Full, "full"), codes.Unavailable, "OVERLOADED"},
		{refusal.New(refusal.TooLarge, "large"), codes.ResourceExhausted, "MESSAGE_TOO_LARGE"},
		{refusal.New(refusal.Invalid, "malformed"), codes.InvalidArgument, "MESSAGE_REFUSED"},
		{fmt.Errorf("waiting: %w", context.DeadlineExceeded), codes.DeadlineExceeded, "DEADLINE_PASSED"},
		{context.Canceled, codes.Canceled, "GIVEN_UP"},
		{fmt.Errorf("%w by a bug: odd", driver.ErrClosed), codes.Unavailable, "INSTANCE_STOPPED"},
		{fmt.Errorf("request 00: %w", driver.ErrUnknown), codes.NotFound, "REQUEST_UNKNOWN"},
		{errors.New("odd"), codes.Internal, "UNEXPECTED"},
		{status.Error(codes.Unimplemented, "not here"), codes.Unimplemented, ""},
	} {
		_, err := s.guardUnary(t.Context(), nil, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) { return nil, c.err })
		if status.Code(err) != c.code || infoOf(err).GetReason() != c.want {
			t.Errorf("%v: %s, reason %q, want %s, %q", c.err, status.Code(err), infoOf(err).GetReason(), c.code, c.want)
		}
	}
}

func TestARefusalCarriesItsArgumentsAsMetadata(t *testing.T) {
	err := instanceReasons[instance.UnknownInstance].Refuse("x").With("hint", "y")
	info := infoOf(err)
	if info.GetDomain() != Domain || info.GetMetadata()["instance"] != "x" || info.GetMetadata()["hint"] != "y" {
		t.Errorf("the info is %v", info)
	}
	if want := `no instance "x"`; !strings.HasPrefix(status.Convert(err).Message(), want) {
		t.Errorf("the text is %q, want %q", status.Convert(err).Message(), want)
	}
}

func TestAHandlerThatPanicsIsAnsweredWithTheBug(t *testing.T) {
	s := New(nil, Options{})
	_, err := s.guardUnary(t.Context(), nil, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) { panic("odd") })
	if status.Code(err) != codes.Internal || infoOf(err).GetReason() != "BUG" || !strings.Contains(err.Error(), "odd") {
		t.Errorf("a panic of a unary handler is %v", err)
	}
	err = s.guardStream(nil, silent{ctx: t.Context()}, &grpc.StreamServerInfo{}, func(any, grpc.ServerStream) error { return <-guarded(func() error { panic("even") }) })
	if status.Code(err) != codes.Internal || infoOf(err).GetReason() != "BUG" || !strings.Contains(err.Error(), "even") {
		t.Errorf("a panic of a stream's goroutine is %v", err)
	}
}

// silent is a stream without messages.
type silent struct {
	grpc.ServerStream
	ctx context.Context
}

// Context is the context of the stream.
func (s silent) Context() context.Context { return s.ctx }

func TestReasonsHaveDifferentNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range Reasons() {
		if seen[r.Name] || r.Name != strings.ToUpper(r.Name) || r.Text == "" || r.Code == codes.OK {
			t.Errorf("reason %q: a name that is twice there or not in capitals, or without a text or code", r.Name)
		}
		seen[r.Name] = true
	}
}

func TestAStreamHearsThatTheServerCloses(t *testing.T) {
	s := New(nil, Options{})
	ctx, cancel := s.until(t.Context())
	defer cancel()
	s.Close(t.Context())
	<-ctx.Done()
	if err := context.Cause(ctx); infoOf(err).GetReason() != "DAEMON_STOPS" {
		t.Errorf("the stream ends with %v", err)
	}
}

func TestEveryPacingModeHasAMessage(t *testing.T) {
	shown := map[controlv1.PacingMode]bool{controlv1.PacingMode_PACING_MODE_UNSPECIFIED: true}
	for _, m := range instance.PacingModes() {
		message := shownPacing(instance.Pacing{Mode: m, Interval: instance.DefaultInterval})
		if shown[message.GetMode()] {
			t.Errorf("mode %s is shown as %s", m, message.GetMode())
		}
		shown[message.GetMode()] = true
		if read, err := readPacing(message); err != nil || read.Mode != m {
			t.Errorf("mode %s is shown as %s and read as %s, %v", m, message.GetMode(), read.Mode, err)
		}
	}
	for value, name := range controlv1.PacingMode_name {
		if !shown[controlv1.PacingMode(value)] {
			t.Errorf("%s is no mode of package instance", name)
		}
	}
}
