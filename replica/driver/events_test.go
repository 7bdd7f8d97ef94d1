package driver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// stream opens a stream that the test closes.
func (r *running) stream(from driver.From, filter driver.Filter) *driver.Stream {
	r.t.Helper()
	s, err := r.Events(r.t.Context(), from, filter)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(s.Close)
	return s
}

// rest is what a stream has without waiting.
func rest(t *testing.T, s *driver.Stream) (all []driver.Recorded) {
	t.Helper()
	for {
		e, ok, err := s.Recorded()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return all
		}
		all = append(all, e)
	}
}

func kinds(all []driver.Recorded) string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Kind.String()
	}
	return strings.Join(names, ", ")
}

func TestAStreamBeginsWithWhatIsRecordedAndGoesOnLive(t *testing.T) {
	r := start(t, driver.Config{Record: true})
	r.create(1)
	s := r.stream(driver.From{Beginning: true}, driver.Filter{})
	before := rest(t, s)
	if got := before[0]; got.Sequence != 1 || got.Kind != replica.IngressReceived {
		t.Errorf("the first event is number %d: %s", got.Sequence, got.Kind)
	}
	done := make(chan driver.Recorded)
	go func() {
		e, err := s.Next(t.Context())
		if err != nil {
			t.Error(err)
		}
		done <- e
	}()
	r.must(0, "run", "reply x")
	if e := <-done; e.Kind != replica.IngressReceived || e.Sequence != before[len(before)-1].Sequence+1 {
		t.Errorf("after number %d came number %d: %s", before[len(before)-1].Sequence, e.Sequence, e.Kind)
	}
	if got, want := kinds(rest(t, s)), "message executed, ingress answered, round ended"; got != want {
		t.Errorf("then came %s; want %s", got, want)
	}
}

func TestAnInstanceRecordsFromItsFirstStreamOnAndKeepsNoRoomBefore(t *testing.T) {
	r := start(t, driver.Config{})
	r.create(1)
	if _, _, room := r.Ring(); room != 0 {
		t.Errorf("without a listener there is room for %d events", room)
	}
	s := r.stream(driver.From{Beginning: true}, driver.Filter{})
	if got := rest(t, s); len(got) != 0 {
		t.Errorf("%d events are recorded", len(got))
	}
	r.must(0, "run", "reply x")
	if events, _, room := r.Ring(); events != 4 || room > 12 {
		t.Errorf("%d events in room for %d", events, room)
	}
}

func TestAReaderThatGoesOnAfterItsTokenMissesNothing(t *testing.T) {
	r := start(t, driver.Config{Record: true, Generation: 7})
	r.create(2)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { // another goroutine makes events all the time
		defer close(ended)
		for i := 0; ctx.Err() == nil && i < 1500; i++ {
			if _, err := r.call(t.Context(), 0, "run", fmt.Sprintf("call 1 (reply x%d) then (echo)", i)); err != nil {
				t.Error(err)
			}
		}
	}()
	var last uint64
	from := driver.From{Beginning: true}
	for range 40 {
		s := r.stream(from, driver.Filter{})
		for range 25 {
			e, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if e.Sequence != last+1 {
				t.Fatalf("after number %d came %d", last, e.Sequence)
			}
			last = e.Sequence
		}
		token := s.Token()
		read, err := driver.ParseToken(token.String())
		if err != nil || read != token || token != (driver.Token{Generation: 7, Sequence: last}) {
			t.Fatalf("token %s read as %+v, %v", token, read, err)
		}
		s.Close()
		from = driver.From{After: &read}
	}
	stop()
	<-ended
}

func TestTokensThatLeadNowhereAreRefusedEachForItsReason(t *testing.T) {
	r := start(t, driver.Config{Record: true, Generation: 7, Events: 64})
	r.create(1)
	for range 50 {
		r.must(0, "run", "reply x")
	}
	oldest := rest(t, r.stream(driver.From{Beginning: true}, driver.Filter{}))[0].Sequence
	for _, c := range []struct {
		token driver.Token
		want  error
	}{
		{driver.Token{Generation: 8, Sequence: oldest}, driver.ErrOtherGeneration},
		{driver.Token{Generation: 7, Sequence: oldest - 2}, driver.ErrForgotten},
		{driver.Token{Generation: 7, Sequence: 1 << 40}, driver.ErrNotYet},
		{driver.Token{Generation: 7, Sequence: 1<<64 - 1}, driver.ErrNotYet},
		{driver.Token{Generation: 7, Sequence: oldest - 1}, nil},
	} {
		_, err := r.Events(t.Context(), driver.From{After: &c.token}, driver.Filter{})
		if !errors.Is(err, c.want) {
			t.Errorf("token %s: got %v, want %v", c.token, err, c.want)
		}
		var place *driver.PlaceError
		if c.want != nil && (!errors.As(err, &place) || place.First != oldest) {
			t.Errorf("token %s: %v does not say that event %d is the first", c.token, err, oldest)
		}
	}
	for _, text := range []string{"", "-", "7-1", "0000000000000007", "0000000000000007-01", "000000000000000x-1", "0000000000000007-18446744073709551616"} {
		if token, err := driver.ParseToken(text); err == nil {
			t.Errorf("%q is read as %+v", text, token)
		}
	}
}

func TestAReaderThatFallsBehindLearnsSoAndDelaysNoOther(t *testing.T) {
	r := start(t, driver.Config{Record: true, Events: 64})
	r.create(1)
	s := r.stream(driver.From{}, driver.Filter{})
	for range 100 {
		r.must(0, "run", "reply x")
	}
	if events, _, _ := r.Ring(); events > 64 || events < 60 {
		t.Errorf("a ring for 64 events has %d", events)
	}
	_, err := s.Next(t.Context())
	var place *driver.PlaceError
	if !errors.Is(err, driver.ErrBehind) || !errors.As(err, &place) {
		t.Fatalf("got %v", err)
	}
	oldest := rest(t, r.stream(driver.From{Beginning: true}, driver.Filter{}))[0].Sequence
	if place.First != oldest || place.Wanted >= oldest {
		t.Errorf("it is told %v; the first event is %d", place, oldest)
	}
}

func TestTheRingIsBoundedInBytes(t *testing.T) {
	const limit = 1 << 20
	r := start(t, driver.Config{Record: true, EventBytes: limit})
	r.create(1)
	long := strings.Repeat("x", 20_000)
	for range 200 {
		r.must(0, "run", "reject "+long)
		if events, bytes, room := r.Ring(); bytes > limit {
			t.Fatalf("%d events in room for %d take %d bytes", events, room, bytes)
		}
	}
	if events, bytes, _ := r.Ring(); bytes < limit*3/4 || events < 20 {
		t.Errorf("of the room for %d bytes %d events use %d", limit, events, bytes)
	}
}

func TestSmallArgumentsAndRepliesAreRememberedAndLargeOnesAreNot(t *testing.T) {
	const limit, most = 1 << 20, 4096
	r := start(t, driver.Config{Record: true, EventBytes: limit})
	r.create(1)
	const first = "reply first"
	r.must(0, "run", first)
	largest, larger := "reply "+strings.Repeat("x", most-len("reply ")), "reply "+strings.Repeat("x", most)
	r.must(0, "run", largest)
	r.must(0, "run", larger)
	s := r.stream(driver.From{Beginning: true}, driver.Filter{})
	var payloads []string
	for _, e := range rest(t, s) {
		switch {
		case e.Kind == replica.IngressReceived && e.Method == "run":
			payloads = append(payloads, string(e.Payload))
		case e.Kind == replica.IngressAnswered && e.Method == "run" && e.Reject == nil:
			payloads = append(payloads, "answer "+string(e.Payload))
		}
	}
	if want := []string{first, "answer first", largest, "answer " + largest[len("reply "):], "", "answer " + larger[len("reply "):]}; !slices.Equal(payloads, want) {
		t.Errorf("remembered are %.100q", payloads)
	}
	for range 1000 {
		r.must(0, "run", largest)
	}
	kept := 0
	for _, e := range rest(t, r.stream(driver.From{Beginning: true}, driver.Filter{})) {
		kept += len(e.Payload)
	}
	if kept > limit || kept < limit/4 {
		t.Errorf("of the room for %d bytes arguments take %d", limit, kept)
	}
}

func TestFiltersLetThroughWhatTheyName(t *testing.T) {
	r := start(t, driver.Config{Record: true})
	r.create(3)
	in := r.message(0, "run", "call 1 (reject no) then (reply a) else (reply b)")
	begin := r.stream(driver.From{}, driver.Filter{}).Token()
	if _, err := r.Submit(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	r.must(2, "run", "reply other")
	r.must(2, "run", "trap other")
	for _, c := range []struct {
		name   string
		filter driver.Filter
		want   string
	}{
		{"kinds", driver.Filter{Kinds: []replica.EventKind{replica.CallRegistered, replica.Trapped}}, "call registered, trapped"},
		{"canisters", driver.Filter{Canisters: []principal.Principal{id(1)}}, "call registered, message executed, call settled, message executed"},
		{"tree", driver.Filter{Tree: &trace.Root{Request: in.ID}}, "ingress received, message executed, call registered, message executed, call settled, message executed, ingress answered"},
		{"failures", driver.Filter{Failures: true}, "call settled, message executed, trapped, ingress answered"},
		{"tree and failures", driver.Filter{Failures: true, Tree: &trace.Root{Request: in.ID}}, "call settled"},
		{"nobody", driver.Filter{Canisters: []principal.Principal{principal.Management}}, ""},
	} {
		if got := kinds(rest(t, r.stream(driver.From{After: &begin}, c.filter))); got != c.want {
			t.Errorf("%s: got %s; want %s", c.name, got, c.want)
		}
	}
}

func TestATreeIsFollowedFromATokenInItsMiddle(t *testing.T) {
	r := start(t, driver.Config{Record: true})
	r.create(3)
	in := r.message(0, "run", "call 1 (call 2 (reply deep) then (echo)) then (echo)")
	if _, err := r.Submit(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	s := r.stream(driver.From{Beginning: true}, driver.Filter{Tree: &trace.Root{Request: in.ID}})
	whole := rest(t, s)
	for i := range whole {
		after := driver.Token{Sequence: whole[i].Sequence}
		if got, want := kinds(rest(t, r.stream(driver.From{After: &after}, driver.Filter{Tree: &trace.Root{Request: in.ID}}))), kinds(whole[i+1:]); got != want {
			t.Errorf("after event %d: got %s; want %s", i, got, want)
		}
	}
	if len(whole) != 11 {
		t.Errorf("the tree has %d events", len(whole))
	}
}

func TestClosingAnInstanceEndsItsStreamsAfterWhatIsRecorded(t *testing.T) {
	r := start(t, driver.Config{Record: true})
	r.create(1)
	s := r.stream(driver.From{Beginning: true}, driver.Filter{})
	idle := r.stream(driver.From{}, driver.Filter{Failures: true})
	ended := make(chan error)
	go func() {
		_, err := idle.Next(context.Background())
		ended <- err
	}()
	r.Close()
	if err := <-ended; !errors.Is(err, driver.ErrClosed) {
		t.Errorf("who waits is told %v", err)
	}
	seen := 0
	for {
		_, err := s.Next(t.Context())
		if err != nil {
			if !errors.Is(err, driver.ErrClosed) {
				t.Error(err)
			}
			break
		}
		seen++
	}
	if events, _, _ := r.Ring(); seen != events || seen == 0 {
		t.Errorf("%d of %d events are read", seen, events)
	}
}

// giveUp is a context that is canceled when somebody begins to wait for its end.
type giveUp struct {
	context.Context
	cancel func()
}

func (g giveUp) Done() <-chan struct{} {
	g.cancel()
	return g.Context.Done()
}

func TestWhoGivesUpWaitingIsLetGo(t *testing.T) {
	r := start(t, driver.Config{})
	s := r.stream(driver.From{}, driver.Filter{})
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := s.Next(giveUp{ctx, cancel}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	expired, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := s.Next(expired); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
}

func TestACertificateOfANewHeightIsAnEvent(t *testing.T) {
	r := start(t, driver.Config{Record: true})
	r.create(1)
	s := r.stream(driver.From{}, driver.Filter{})
	view := r.View()
	for range 2 { // a height is signed once
		view.Certificate(view.Root(), certify.FlatRanges, certify.TimePath())
	}
	if all := rest(t, s); kinds(all) != "certified" || all[0].Height != view.Height || all[0].Time != view.Time || all[0].Subnet != view.Root().ID {
		t.Errorf("got %+v", all)
	}
}

func TestAStopwatchMeasuresMessagesWhereSomebodyListens(t *testing.T) {
	asked := 0
	r := start(t, driver.Config{Workers: 1, Stopwatch: func() int64 { asked++; return int64(asked) * 1000 }})
	r.create(1)
	if asked != 0 {
		t.Errorf("without a listener the stopwatch is asked %d times", asked)
	}
	s := r.stream(driver.From{}, driver.Filter{Kinds: []replica.EventKind{replica.MessageExecuted}})
	r.must(0, "run", "spend 25000000 reply x") // three slices
	if all := rest(t, s); len(all) != 1 || all[0].Wall != 3000 || all[0].Began.Height == all[0].Height {
		t.Errorf("got %+v", all)
	}
}

func TestManyReadersReadTheSame(t *testing.T) {
	r := start(t, driver.Config{Record: true})
	r.create(2)
	const readers, events = 8, 400
	seen := make([]chan []uint64, readers)
	for i := range seen {
		seen[i] = make(chan []uint64, 1)
		s := r.stream(driver.From{Beginning: true}, driver.Filter{})
		go func() {
			var all []uint64
			for len(all) < events {
				e, err := s.Next(t.Context())
				if err != nil {
					t.Error(err)
					break
				}
				all = append(all, e.Sequence)
			}
			seen[i] <- all
		}()
	}
	for i := range events / 8 {
		r.must(0, "run", fmt.Sprintf("call 1 (reply %d) then (echo)", i))
	}
	first := <-seen[0]
	for _, c := range seen[1:] {
		if other := <-c; !slices.Equal(first, other) {
			t.Error("two readers have read different things")
		}
	}
}

func TestARestoredInstanceBeginsAnotherIncarnation(t *testing.T) {
	r := start(t, driver.Config{Record: true, Generation: 7})
	r.create(1)
	snapshot, err := r.Snapshot(t.Context(), replica.ForkConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s := r.stream(driver.From{}, driver.Filter{})
	waiting := make(chan error)
	go func() {
		_, err := s.Next(t.Context())
		waiting <- err
	}()
	token := s.Token()
	if err := r.Restore(t.Context(), snapshot); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; !errors.Is(err, driver.ErrOtherGeneration) {
		t.Errorf("who waits is told %v", err)
	}
	if _, err := r.Events(t.Context(), driver.From{After: &token}, driver.Filter{}); !errors.Is(err, driver.ErrOtherGeneration) {
		t.Errorf("an older token: %v", err)
	}
	r.must(0, "run", "reply x")
	all := r.stream(driver.From{Beginning: true}, driver.Filter{})
	if got := rest(t, all); len(got) != 4 || got[0].Sequence != 1 || all.Token() != (driver.Token{Generation: 8, Sequence: 4}) {
		t.Errorf("after it %s are recorded, up to %s", kinds(got), all.Token())
	}
}

func TestAForkHasEventsOfItsOwn(t *testing.T) {
	r := start(t, driver.Config{Record: true, Generation: 7})
	r.create(1)
	fork, err := r.Fork(t.Context(), driver.Config{Record: true, Generation: 9})
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	forked := &running{Driver: fork, t: t}
	s := forked.stream(driver.From{Beginning: true}, driver.Filter{})
	before := r.stream(driver.From{}, driver.Filter{})
	forked.must(0, "run", "reply x")
	if got := rest(t, s); kinds(got) != "ingress received, message executed, ingress answered, round ended" || s.Token() != (driver.Token{Generation: 9, Sequence: 4}) {
		t.Errorf("the fork has %s, up to %s", kinds(got), s.Token())
	}
	if got := rest(t, before); len(got) != 0 {
		t.Errorf("its source has %s", kinds(got))
	}
}

func TestEventsAreRecordedWithTheTimeOfTheClock(t *testing.T) {
	var now int64
	r := start(t, driver.Config{Record: true, Events: 64, Clock: func() int64 { now++; return now }})
	r.create(1)
	for range 20 { // more events than are kept
		r.must(0, "run", "reply x")
	}
	last := int64(0)
	for _, e := range rest(t, r.stream(driver.From{Beginning: true}, driver.Filter{})) {
		if e.At != int64(e.Sequence) || e.At <= last {
			t.Errorf("event %d was recorded at %d, after %d", e.Sequence, e.At, last)
		}
		last = e.At
	}
	if last != now || last < 80 {
		t.Errorf("the last event was recorded at %d, now it is %d", last, now)
	}
}
