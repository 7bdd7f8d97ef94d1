package control_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

// load sends calls over a stream and gives the answers by tag.
func (a *api) load(send func(chan<- *controlv1.StreamRequest)) map[uint64]*controlv1.StreamResponse {
	a.Helper()
	stream, err := a.calls.Stream(a.ctx)
	if err != nil {
		a.Fatal(err)
	}
	requests := make(chan *controlv1.StreamRequest)
	go func() {
		defer close(requests)
		send(requests)
	}()
	sent := make(chan error, 1)
	go func() {
		for in := range requests {
			if err := stream.Send(in); err != nil {
				sent <- err
				return
			}
		}
		sent <- stream.CloseSend()
	}()
	answers := make(map[uint64]*controlv1.StreamResponse)
	for {
		out, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			a.Fatal(err)
		}
		if answers[out.GetTag()] != nil {
			a.Errorf("two answers with the tag %d", out.GetTag())
		}
		answers[out.GetTag()] = out
	}
	if err := <-sent; err != nil {
		a.Error(err)
	}
	return answers
}

func TestAStreamAnswersEveryCallUnderItsTag(t *testing.T) {
	t.Parallel()
	for _, mode := range []controlv1.PacingMode{controlv1.PacingMode_PACING_MODE_AUTO, controlv1.PacingMode_PACING_MODE_MANUAL} {
		t.Run(mode.String(), func(t *testing.T) {
			a := served(t, daemon.Config{})
			must(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Pacing: &controlv1.Pacing{Mode: mode}})
			counter := a.installed(canistertest.Fixture("counter"), nil)
			script := a.installed(canistertest.Scriptable(), rawOf(""))
			const calls = 5000
			answers := a.load(func(to chan<- *controlv1.StreamRequest) {
				for tag := range uint64(calls) {
					in := &controlv1.StreamRequest{Tag: tag, Call: &controlv1.Call{CanisterId: counter, Method: "inc", ReplyForm: asJSON}}
					switch tag % 1000 {
					case 1:
						in.Call.Method, in.Query = "get", true
					case 2:
						in.Call.CanisterId = principal.Canister(99).String()
					case 3:
						in.Call.Argument = jsonOf(`{}`)
					case 4:
						in.Instance = "x"
					case 5: // over several rounds
						in.Call = &controlv1.Call{CanisterId: script, Method: "run", Argument: rawOf(string(canistertest.MustParse(`spin 30_000_000; reply "slow"`, nil).Bytes()))}
					case 6:
						in.Call = &controlv1.Call{CanisterId: "aaaaa-aa", Method: "raw_rand"}
					case 7:
						in.Call.CanisterId = principal.SelfAuthenticating([]byte("absent")).String()
					}
					to <- in
				}
			})
			if len(answers) != calls {
				t.Fatalf("%d answers", len(answers))
			}
			for tag, out := range answers {
				reject, failure := out.GetOutcome().GetReject(), out.GetFailure()
				ok := out.GetOutcome().GetReply() != nil
				switch tag % 1000 {
				case 2:
					ok = reject.GetErrorCode() == "IC0301"
				case 3:
					ok = failure.GetReason() == "BAD_ARGUMENT"
				case 4:
					ok = failure.GetReason() == "BAD_FIELD"
				case 5:
					ok = string(out.GetOutcome().GetReply().GetBytes()) == "slow"
				case 6:
					ok = reject.GetErrorCode() != ""
				case 7:
					ok = failure.GetReason() == "MESSAGE_REFUSED"
				}
				if !ok {
					t.Errorf("tag %d: %v", tag, out)
				}
			}
			out := must(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: counter, Method: "get", ReplyForm: asJSON}})
			if got := out.GetOutcome().GetReply().GetJson(); got != fmt.Sprintf("[%d]", calls-7*calls/1000) {
				t.Errorf("the counter says %s", got)
			}
		})
	}
}

func TestAStreamThatForgetsLeavesNoCallsBehind(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	counter := a.installed(canistertest.Fixture("counter"), nil)
	inspected := a.installed(canistertest.Scriptable(), rawOf(""))
	known := func() uint64 {
		return must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}).GetInstance().GetCensus().GetIngressMessages()
	}
	before := known()
	const calls = 5000
	answers := a.load(func(to chan<- *controlv1.StreamRequest) {
		for tag := range uint64(calls) {
			in := &controlv1.StreamRequest{Tag: tag, Forget: true, Call: &controlv1.Call{CanisterId: counter, Method: "inc"}}
			switch tag % 100 {
			case 1: // not handed in with others
				in.Call = &controlv1.Call{CanisterId: "aaaaa-aa", EffectiveCanisterId: counter, Method: "canister_status", Argument: textOf("(record { canister_id = principal \"" + counter + "\" })")}
			case 2: // over several rounds
				in.Call = &controlv1.Call{CanisterId: inspected, Method: "run", Argument: rawOf(string(canistertest.MustParse(`spin 30_000_000; reply "slow"`, nil).Bytes()))}
			}
			to <- in
		}
	})
	for tag, out := range answers {
		if out.GetOutcome().GetReply() == nil {
			t.Fatalf("tag %d: %v", tag, out)
		}
		if id := out.GetOutcome().GetRequestId(); tag == 0 {
			call(a, a.calls.Await, &controlv1.AwaitRequest{RequestId: id})
		}
	}
	if after := known(); len(answers) != calls || after != before {
		t.Errorf("after %d answers %d calls are known, before %d", len(answers), after, before)
	}
}

func TestAStreamIsReadNoFasterThanItIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a := bubbled(t)
		counter := a.installed(canistertest.Fixture("counter"), nil)
		a.paced(hourly())
		const calls = 20_000
		var sent atomic.Int64
		done := make(chan map[uint64]*controlv1.StreamResponse)
		go func() {
			done <- a.load(func(to chan<- *controlv1.StreamRequest) {
				for tag := range uint64(calls) {
					to <- &controlv1.StreamRequest{Tag: tag, Call: &controlv1.Call{CanisterId: counter, Method: "inc"}}
					sent.Add(1)
				}
			})
		}()
		synctest.Wait()
		if got := sent.Load(); got >= calls {
			t.Errorf("%d calls were taken and none was answered", got)
		}
		a.paced(&controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_AUTO})
		if answers := <-done; len(answers) != calls {
			t.Errorf("%d of %d calls are answered", len(answers), calls)
		}
	})
}

// What is answered as soon as it is read shows how far a stream is read.
func TestAStreamIsReadWhile1024CallsOf16MiBAreNotAnswered(t *testing.T) {
	a := served(t, daemon.Config{MemoryLimit: 1 << 30})
	counter := a.installed(canistertest.Fixture("counter"), nil)
	for _, c := range []struct {
		calls, bytes int // bytes of all requests; 0: as few as they have
		read         bool
	}{
		{1023, 0, true}, {1024, 0, false}, {16, 16_777_216, true}, {16, 16_777_217, false},
	} {
		a.paced(hourly())
		stream, err := a.calls.Stream(a.ctx)
		a.ok(err)
		last := &controlv1.StreamRequest{Instance: "x"}
		left := c.bytes - proto.Size(last)
		for n := range c.calls {
			in := &controlv1.StreamRequest{Tag: uint64(n + 1), Call: &controlv1.Call{CanisterId: counter, Method: "inc"}}
			if c.bytes > 0 {
				fill(in, left/(c.calls-n))
				left -= proto.Size(in)
			}
			a.ok(stream.Send(in))
		}
		a.ok(stream.Send(last))
		a.ok(stream.CloseSend())
		for waiting := 0; !c.read && waiting < c.calls; {
			a.ok(a.node().Do(a.ctx, func(n *replica.Network) { waiting = n.Census().Waiting }))
		}
		if !c.read {
			a.paced(&controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_AUTO})
		}
		out, err := stream.Recv()
		a.ok(err)
		if read := out.GetTag() == 0; read != c.read {
			t.Errorf("after %d calls with %d bytes a request is read: %t, want %t", c.calls, c.bytes, read, c.read)
		}
		a.paced(&controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_AUTO})
		if err := lastOf(stream); err != io.EOF {
			t.Errorf("the stream ends with %v", err)
		}
	}
}

// fill gives a call an argument that brings its request to a size in bytes.
func fill(in *controlv1.StreamRequest, bytes int) {
	in.Call.Argument = rawOf("")
	for size := proto.Size(in); size != bytes; size = proto.Size(in) {
		in.Call.Argument = rawOf(strings.Repeat("x", len(in.GetCall().GetArgument().GetBytes())+bytes-size))
	}
}

func TestAStreamIsToAnInstanceThatIsThere(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	stream, err := a.calls.Stream(a.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&controlv1.StreamRequest{Instance: "nowhere"}); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); status.Code(err) != codes.NotFound || whyOf(err).GetReason() != "INSTANCE_UNKNOWN" {
		t.Errorf("%v", err)
	}
}

func TestAStreamEndsWithTheDaemon(t *testing.T) {
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	a := connected(t, d)
	stream, err := a.calls.Stream(a.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&controlv1.StreamRequest{Call: &controlv1.Call{CanisterId: principal.Canister(99).String(), Method: "inc"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- d.Close() }()
	if _, err := stream.Recv(); status.Code(err) != codes.Unavailable || whyOf(err).GetReason() != "DAEMON_STOPS" {
		t.Errorf("%v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestAStreamOfNothingEnds(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	if answers := a.load(func(chan<- *controlv1.StreamRequest) {}); len(answers) != 0 {
		t.Errorf("%v", answers)
	}
}

func TestAClientKilledInTheMiddleOfAStreamLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	counter := a.installed(canistertest.Fixture("counter"), nil)
	other := connected(t, a.daemon)
	stream, err := other.calls.Stream(other.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for tag := range uint64(2000) {
		if err := stream.Send(&controlv1.StreamRequest{Tag: tag, Call: &controlv1.Call{CanisterId: counter, Method: "inc"}}); err != nil {
			t.Fatal(err)
		}
	}
	other.conn.Close()
	// The daemon goes on: another client counts.
	out := must(a, a.calls.Update, update(&controlv1.Call{CanisterId: counter, Method: "inc", ReplyForm: asJSON}))
	if out.GetOutcome().GetReply().GetJson() == "" {
		t.Errorf("%v", out)
	}
}
