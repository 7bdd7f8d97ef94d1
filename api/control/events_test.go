package control_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
)

type kinds = []controlv1.EventKind

// watched reads events of a stream up to one of a kind.
func watched(a *api, ctx context.Context, in *controlv1.WatchRequest, last controlv1.EventKind) (all []*controlv1.WatchResponse) {
	a.Helper()
	stream, err := a.events.Watch(ctx, in)
	if err != nil {
		a.Fatal(err)
	}
	for {
		out, err := stream.Recv()
		if err != nil {
			a.Fatalf("after %d events: %v", len(all), err)
		}
		if out.GetEvent() == nil {
			continue
		}
		all = append(all, out)
		if out.GetEvent().GetKind() == last {
			return all
		}
	}
}

// shows writes events down, without what differs from run to run.
func (a *api) shows(all []*controlv1.WatchResponse) {
	for _, out := range all {
		out.GetEvent().WallTime = nil
		out.ResumeToken = ""
		a.answered(out)
	}
}

func TestEverythingThatFollowsFromAMessageIsWatched(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	ids := cast(a, "ALICE", "BOB")
	alice, bob := ids[0], ids[1]
	a.runs(bob, canistertest.Script().ReplyText("of another message"))
	c := asks(bob, "")
	c.Program = canistertest.Script().Print("on the way").Trap("too much")
	id := a.runs(alice, canistertest.Script().Call(c))
	a.idle()
	of := &controlv1.EventFilter{RequestId: id[:]}
	a.note("all of a message")
	a.shows(watched(a, a.ctx, &controlv1.WatchRequest{FromBeginning: true, Filter: of}, controlv1.EventKind_EVENT_KIND_INGRESS_ANSWERED))
	a.note("its failures")
	failures := &controlv1.EventFilter{RequestId: id[:], OnlyFailures: true}
	a.shows(watched(a, a.ctx, &controlv1.WatchRequest{FromBeginning: true, Filter: failures}, controlv1.EventKind_EVENT_KIND_CALL_SETTLED))
	a.note("what two canisters log")
	logged := controlv1.EventKind_EVENT_KIND_LOGGED
	lines := &controlv1.EventFilter{Kinds: kinds{logged}, CanisterIds: []string{alice.String(), bob.String()}}
	a.shows(watched(a, a.ctx, &controlv1.WatchRequest{FromBeginning: true, Filter: lines}, logged))
	a.compare("events_watched")
}

func TestBadWatchesAreRefused(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	watch := func(in *controlv1.WatchRequest) { collect(a, a.events.Watch, in) }
	watch(&controlv1.WatchRequest{Instance: "x"})
	watch(&controlv1.WatchRequest{ResumeToken: "x"})
	watch(&controlv1.WatchRequest{Filter: &controlv1.EventFilter{Kinds: kinds{99}}})
	watch(&controlv1.WatchRequest{Filter: &controlv1.EventFilter{Kinds: kinds{0}}})
	watch(&controlv1.WatchRequest{Filter: &controlv1.EventFilter{CanisterIds: []string{"x"}}})
	watch(&controlv1.WatchRequest{Filter: &controlv1.EventFilter{RequestId: []byte("x")}})
	a.note("a token of another generation, one of the future, one that is forgotten")
	watch(&controlv1.WatchRequest{ResumeToken: "0000000000000000-1"})
	first := watched(a, a.ctx, &controlv1.WatchRequest{FromBeginning: true}, controlv1.EventKind_EVENT_KIND_ROUND_ENDED)
	generation, _, _ := strings.Cut(first[0].GetResumeToken(), "-")
	a.mask(generation, "GENERATION")
	watch(&controlv1.WatchRequest{ResumeToken: generation + "-1000000"})
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 20_000})
	watch(&controlv1.WatchRequest{ResumeToken: generation + "-1"})
	a.compare("events_refused")
}

// traffic makes messages that are answered, until it is told to stop, and gives how many. Each needs room, which who
// sees the answer makes again: events do not come so fast that they are forgotten before they are seen.
func traffic(a *api, id principal.Principal, room chan<- struct{}, stop <-chan struct{}) <-chan int {
	made := make(chan int, 1)
	go func() {
		n := 0
		defer func() { made <- n }()
		for {
			select {
			case <-stop:
				return
			case room <- struct{}{}:
			}
			a.sent(id, id, "run", canistertest.Script().ReplyText("x").Bytes())
			if _, err := a.node().Round(a.ctx); err != nil {
				return
			}
			n++
		}
	}()
	return made
}

// A watcher whose connections are cut off at random, in the middle of what it gets, sees
// each event once and in order.
func TestAWatcherThatIsCutOffMissesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		kinds kinds
	}{{"all events", nil}, {"some", kinds{controlv1.EventKind_EVENT_KIND_INGRESS_ANSWERED}}} {
		t.Run(c.name, func(t *testing.T) {
			a := byHand(t)
			stop := make(chan struct{})
			chance := rand.New(rand.NewPCG(1, 2))
			in := &controlv1.WatchRequest{Filter: &controlv1.EventFilter{Kinds: c.kinds}}
			id := a.scripted()
			in.ResumeToken = tokenNow(a)
			room := make(chan struct{}, 20)
			made := traffic(a, id, room, stop)
			next, answered := uint64(0), 0
			seen := func(e *controlv1.Event) {
				if c.kinds == nil && next != 0 && e.GetSequence() != next || e.GetSequence() < next {
					t.Fatalf("event %d comes where %d was to come", e.GetSequence(), next)
				}
				next = e.GetSequence() + 1
				if e.GetKind() == controlv1.EventKind_EVENT_KIND_INGRESS_ANSWERED {
					answered++
					<-room
				}
			}
			for range 40 {
				cutOff(a, in, chance.IntN(30), seen)
			}
			close(stop)
			total := <-made
			for answered < total {
				cutOff(a, in, 1, seen)
			}
			if answered != total {
				t.Errorf("%d answers were seen, %d were given", answered, total)
			}
		})
	}
}

// tokenNow is the token of a stream that begins now.
func tokenNow(a *api) string {
	a.Helper()
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	stream, err := a.events.Watch(ctx, &controlv1.WatchRequest{})
	if err != nil {
		a.Fatal(err)
	}
	out, err := stream.Recv()
	if err != nil || out.GetEvent() != nil {
		a.Fatalf("the first answer is %v, %v", out, err)
	}
	return out.GetResumeToken()
}

// cutOff watches some events over a connection of its own, which then breaks.
func cutOff(a *api, in *controlv1.WatchRequest, events int, seen func(*controlv1.Event)) {
	a.Helper()
	other := connected(a.T, a.daemon)
	defer other.conn.Close()
	stream, err := other.events.Watch(a.ctx, in)
	if err != nil {
		a.Fatal(err)
	}
	for events > 0 {
		out, err := stream.Recv()
		if err != nil {
			a.Fatal(err)
		}
		in.ResumeToken = out.GetResumeToken()
		if out.GetEvent() != nil {
			seen(out.GetEvent())
			events--
		}
	}
}

func TestManyWatchersAtOnceSeeTheSameEvents(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	const rounds, watchers = 200, 20
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: rounds})
	unread, err := a.events.Watch(a.ctx, &controlv1.WatchRequest{FromBeginning: true})
	if err == nil {
		_, err = unread.Recv()
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, watchers)
	for range watchers {
		go func() {
			stream, err := a.events.Watch(a.ctx, &controlv1.WatchRequest{FromBeginning: true})
			for next := uint64(0); err == nil && next <= rounds; next++ {
				var out *controlv1.WatchResponse
				if out, err = stream.Recv(); err == nil && out.GetEvent().GetSequence() != next {
					err = fmt.Errorf("event %d comes where %d was to come", out.GetEvent().GetSequence(), next)
				}
			}
			ended <- err
		}()
	}
	for range watchers {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestASlowWatcherLearnsSoAndDelaysNoOther(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	stream, err := a.events.Watch(a.ctx, &controlv1.WatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	quick := connected(t, a.daemon)
	must(quick, quick.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 100_000})
	for err == nil {
		_, err = stream.Recv()
	}
	if status.Code(err) != codes.OutOfRange {
		t.Errorf("the slow reader ends with %v", err)
	}
}

func TestWatchersHearThatTheInstanceOrTheDaemonEnds(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "brief"})
	ends := func(instance string, end func()) error {
		stream, err := a.events.Watch(a.ctx, &controlv1.WatchRequest{Instance: instance})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Recv(); err != nil {
			t.Fatal(err)
		}
		end()
		for err == nil {
			_, err = stream.Recv()
		}
		return err
	}
	err := ends("brief", func() { must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "brief"}) })
	a.failed(err)
	a.failed(ends("default", func() {
		if err := a.daemon.Close(); err != nil {
			t.Error(err)
		}
	}))
	a.compare("events_ended")
}

func TestCallTreesAreShown(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	ids := cast(a, "ALICE", "BOB")
	alice, bob := ids[0], ids[1]
	a.note("a message there never was")
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_RequestId{RequestId: make([]byte, 32)}})
	must(a, a.messages.AddRule, holds(&controlv1.Match{Callee: bob.String()}))
	id := a.runs(alice, canistertest.Script().Call(asks(bob, "x")))
	held := must(a, a.messages.AwaitHeld, &controlv1.AwaitHeldRequest{}).GetHeld()
	a.tree(&controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Last{Last: true}})
	must(a, a.messages.Release, &controlv1.ReleaseRequest{HeldId: held.GetHeldId()})
	a.idle()
	a.tree(&controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_RequestId{RequestId: id[:]}})
	a.note("the beginning of an id is enough where no other begins so")
	prefix := func(text string) *controlv1.GetTraceRequest {
		return &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_RequestPrefix{RequestPrefix: text}}
	}
	if out := must(a, a.events.GetTrace, prefix(hex.EncodeToString(id[:8]))); !bytes.Equal(out.GetRoot().GetRequestId(), id[:]) {
		t.Errorf("the tree of %x is that of %x", id[:8], out.GetRoot().GetRequestId())
	}
	call(a, a.events.GetTrace, prefix("00000000"))
	call(a, a.events.GetTrace, prefix("12345678"))
	call(a, a.events.GetTrace, prefix("XYZ"))
	a.note("several messages, without those to the management canister unless they are asked for")
	last := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetTime().AsTime()
	between := func(all bool) int {
		out := must(a, a.events.GetTrace, &controlv1.GetTraceRequest{
			Of: &controlv1.GetTraceRequest_Since{Since: timestamppb.New(last.Add(-time.Hour))}, Form: controlv1.TraceForm_TRACE_FORM_TEXT, IncludeManagement: all,
		})
		if n := strings.Count(out.GetRendered(), "ingress "); n != len(out.GetCalls()) {
			t.Errorf("%d of %d trees are rendered", n, len(out.GetCalls()))
		}
		return len(out.GetCalls())
	}
	if plain, all := between(false), between(true); plain != 1 || all <= plain {
		t.Errorf("%d messages to canisters, %d with those to the management canister", plain, all)
	}
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Since{Since: timestamppb.New(last.Add(time.Hour))}})
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Since{Since: timestamppb.New(last)}, Form: controlv1.TraceForm_TRACE_FORM_MERMAID})
	context := &controlv1.ContextRef{SubnetId: held.GetSubnetId(), ContextId: 1}
	a.tree(&controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Context{Context: context}})
	names := map[string]string{alice.String(): "alice", bob.String(): "bob"}
	for _, form := range []controlv1.TraceForm{controlv1.TraceForm_TRACE_FORM_TEXT, controlv1.TraceForm_TRACE_FORM_MERMAID, controlv1.TraceForm_TRACE_FORM_TRACE_EVENTS} {
		out := must(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_RequestId{RequestId: id[:]}, Form: form, Names: names})
		if !strings.Contains(out.GetRendered(), "bob") {
			t.Errorf("%s: %s", form, out.GetRendered())
		}
	}
	a.note("bad arguments")
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Instance: "x"})
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{})
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Last{}})
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_RequestId{RequestId: []byte("x")}})
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Context{Context: &controlv1.ContextRef{}}})
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Context{Context: &controlv1.ContextRef{SubnetId: "aaaaa-aa"}}})
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Last{Last: true}, Form: 9})
	call(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Last{Last: true}, Names: map[string]string{"x": "y"}})
	a.compare("events_trace")
}

// tree writes a call tree down, without what differs from run to run.
func (a *api) tree(in *controlv1.GetTraceRequest) {
	a.Helper()
	out := must(a, a.events.GetTrace, in)
	var still func(c *controlv1.TraceCall)
	still = func(c *controlv1.TraceCall) {
		for _, x := range c.GetExecutions() {
			x.WallTime = nil
			for _, made := range x.GetCalls() {
				still(made)
			}
		}
	}
	still(out.GetRoot())
	a.asked(in)
	a.answered(out)
}

func TestEveryKindOfEventHasItsName(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	for kind := range replica.Kinds() {
		name := controlv1.EventKind(controlv1.EventKind_value["EVENT_KIND_"+strings.ToUpper(strings.ReplaceAll(kind.String(), " ", "_"))])
		if name == 0 {
			t.Errorf("%s has no name", kind)
		}
		stream, err := a.events.Watch(a.ctx, &controlv1.WatchRequest{Filter: &controlv1.EventFilter{Kinds: kinds{name}}})
		if err == nil {
			_, err = stream.Recv()
		}
		if err != nil {
			t.Errorf("watching %s: %v", name, err)
		}
	}
}

func TestATreeThatIsVeryDeepIsShownInPart(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	alice := cast(a, "ALICE")[0]
	const deep = 60
	p := canistertest.Script().ReplyText("bottom")
	for range deep {
		c := asks(alice, "")
		c.Program = p
		p = canistertest.Script().Call(c)
	}
	id := a.runs(alice, p)
	a.idle()
	if said := a.said(id); said != "bottom" {
		t.Fatalf("the message is answered %q", said)
	}
	out := must(a, a.events.GetTrace, &controlv1.GetTraceRequest{
		Of: &controlv1.GetTraceRequest_RequestId{RequestId: id[:]}, Form: controlv1.TraceForm_TRACE_FORM_TEXT,
	})
	calls, at := 1, out.GetRoot()
	for len(at.GetExecutions()[0].GetCalls()) > 0 {
		calls, at = calls+1, at.GetExecutions()[0].GetCalls()[0]
	}
	if calls != 40 || len(at.GetMissing()) != 1 {
		t.Errorf("%d calls are shown, and of the last is missing %q", calls, at.GetMissing())
	}
	if got := strings.Count(out.GetRendered(), "call #"); got != deep {
		t.Errorf("%d calls are rendered, want %d", got, deep)
	}
}

func TestTheNewest100TracesSinceATimeAreShown(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	id := a.fixture("counter")
	const shown, sent = 100, 150
	var ids []replica.RequestID
	for range sent {
		ids = append(ids, a.sent(id, id, "inc", []byte("DIDL\x00\x00")))
	}
	for _, sent := range ids {
		a.said(sent)
	}
	out := must(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: &controlv1.GetTraceRequest_Since{Since: timestamppb.New(time.Unix(0, 0))}})
	all := out.GetCalls()
	if len(all) != shown || !bytes.Equal(all[0].GetRequestId(), ids[sent-shown][:]) || !bytes.Equal(all[shown-1].GetRequestId(), ids[sent-1][:]) {
		t.Errorf("%d of %d traces are shown", len(all), sent)
	}
}

func TestACallTreeHasArgumentsAndRepliesAsBytesIfAsked(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	id := a.fixture("counter")
	nothing := []byte("DIDL\x00\x00")
	large := append(bytes.Clone(nothing), make([]byte, 5000)...)
	for _, argument := range [][]byte{nothing, large} {
		sent := a.sent(id, id, "inc", argument)
		a.said(sent)
		of := &controlv1.GetTraceRequest_RequestId{RequestId: sent[:]}
		plain := must(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: of}).GetRoot()
		if len(plain.GetArgumentBytes())+len(plain.GetReplyBytes()) > 0 || plain.GetArgumentSize() > 0 {
			t.Errorf("bytes without a request for them: %v", plain)
		}
		root := must(a, a.events.GetTrace, &controlv1.GetTraceRequest{Of: of, IncludeBytes: true}).GetRoot()
		kept := argument
		if len(argument) > 4<<10 {
			kept = nil
		}
		if !bytes.Equal(root.GetArgumentBytes(), kept) || root.GetArgumentSize() != uint64(len(argument)) || (root.GetReject() == nil) != bytes.HasPrefix(root.GetReplyBytes(), nothing[:4]) {
			t.Errorf("of %d bytes: %d of %d, reply %x, %v", len(argument), len(root.GetArgumentBytes()), root.GetArgumentSize(), root.GetReplyBytes(), root.GetReject())
		}
	}
}
