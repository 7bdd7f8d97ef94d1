package control_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// beginning is when the networks of these tests begin, long after the wall clock's time.
var beginning = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// byHand is a daemon of manual pacing at the beginning.
func byHand(t *testing.T) *api {
	t.Helper()
	a := served(t, daemon.Config{Pacing: daemon.Manual, Outcalls: daemon.HoldOutcalls})
	must(a, a.clock.SetTime, &controlv1.SetTimeRequest{Time: timestamppb.New(beginning)})
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{})
	return a
}

// byHandInBubble is byHand in a bubble.
func byHandInBubble(t *testing.T) (*bubble, *api) {
	t.Helper()
	b := newBubble(t, instance.Spec{Pacing: instance.Pacing{Mode: instance.Manual}})
	a := b.client()
	must(a, a.clock.SetTime, &controlv1.SetTimeRequest{Time: timestamppb.New(beginning)})
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{})
	return b, a
}

// started starts the timer of the fixture clock.
func (a *api) started(every time.Duration) principal.Principal {
	a.Helper()
	id := a.fixture("clock")
	if _, reject := a.answer(id, id, "start", encoded(a, uint64(every))); reject != "" {
		a.Fatal(reject)
	}
	return id
}

// ticks is how often the timer of the fixture clock has fired.
func (a *api) ticks(id principal.Principal) (count uint64) {
	a.Helper()
	reply, reject := a.answer(id, id, "count", encoded(a))
	if reject != "" {
		a.Fatal(reject)
	}
	var ticks candid.Nat
	if err := candid.Unmarshal(reply, &ticks); err != nil {
		a.Fatal(err)
	}
	count, _ = ticks.Uint64()
	return count
}

func TestTimeIsMovedByHand(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	call(a, a.clock.GetTime, &controlv1.GetTimeRequest{})
	call(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{})
	call(a, a.clock.SetTime, &controlv1.SetTimeRequest{Time: timestamppb.New(beginning.Add(time.Hour))})
	call(a, a.clock.GetTime, &controlv1.GetTimeRequest{Instance: "default"})
	call(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(time.Minute)}, Jump: true})
	call(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 3})
	a.note("time never goes back")
	call(a, a.clock.SetTime, &controlv1.SetTimeRequest{Time: timestamppb.New(beginning)})
	a.note("the time of the last round may be set again, and nothing changes")
	now := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetTime()
	call(a, a.clock.SetTime, &controlv1.SetTimeRequest{Time: now})
	call(a, a.clock.GetTime, &controlv1.GetTimeRequest{})
	a.compare("clock_time")
}

func TestBadArgumentsOfTheClockAreRefused(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	for _, at := range []*timestamppb.Timestamp{nil, {Seconds: -1}, {Seconds: 9_300_000_000}} {
		call(a, a.clock.SetTime, &controlv1.SetTimeRequest{Time: at})
	}
	for _, by := range []*durationpb.Duration{{}, {Seconds: -1}, {Nanos: -1}, {Seconds: 300_000_000_000}} {
		call(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: by}})
	}
	call(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{})
	call(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_ToNextTimer{}})
	call(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_ToNextTimer{ToNextTimer: true}})
	call(a, a.clock.SetPacing, &controlv1.SetPacingRequest{})
	call(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Pacing: &controlv1.Pacing{Mode: 9}})
	interval := controlv1.PacingMode_PACING_MODE_INTERVAL
	call(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Pacing: &controlv1.Pacing{Mode: interval, Interval: durationpb.New(time.Microsecond)}})
	call(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Pacing: &controlv1.Pacing{Interval: durationpb.New(time.Second)}})
	call(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 100_001})
	call(a, a.clock.ListMoves, &controlv1.ListMovesRequest{Limit: 10_001})
	call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{Choice: &controlv1.StepMessageRequest_Position{Position: 1}})
	call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{Choice: &controlv1.StepMessageRequest_Move{Move: &controlv1.Move{CanisterId: "x"}}})
	call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{Choice: &controlv1.StepMessageRequest_Move{Move: &controlv1.Move{Kind: 9}}})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_Idle{}})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_NextTimer{}})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_Time{}})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_RequestId{RequestId: []byte{1}}})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_RequestId{RequestId: make([]byte, 32)}})
	a.compare("clock_refused")
}

func TestInvalidTimesAreRefused(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	duration := &durationpb.Duration{Seconds: 1, Nanos: -1}
	for _, err := range []error{
		second(a.clock.SetTime(a.ctx, &controlv1.SetTimeRequest{Time: &timestamppb.Timestamp{Nanos: -1}})),
		second(a.clock.AdvanceTime(a.ctx, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: duration}, Jump: true})),
		second(a.clock.SetPacing(a.ctx, &controlv1.SetPacingRequest{Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_INTERVAL, Interval: duration}})),
	} {
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("got %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestEveryRPCOfTheClockReportsAMissingInstance(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	call(a, a.clock.GetTime, &controlv1.GetTimeRequest{Instance: "x"})
	call(a, a.clock.SetTime, &controlv1.SetTimeRequest{Instance: "x"})
	call(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{Instance: "x"})
	call(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Instance: "x"})
	call(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Instance: "x"})
	call(a, a.clock.ListMoves, &controlv1.ListMovesRequest{Instance: "x"})
	call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{Instance: "x"})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Instance: "x"})
	a.compare("clock_no_instance")
}

func TestDeliveriesAreNotChosenWhereTheWallClockRunsRounds(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	for _, p := range []*controlv1.Pacing{{}, hourly()} {
		call(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Pacing: p})
		call(a, a.clock.ListMoves, &controlv1.ListMovesRequest{})
		call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{})
	}
	a.compare("clock_paced")
}

func TestRoundsAreRunInEachPacingMode(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	for _, mode := range []controlv1.PacingMode{controlv1.PacingMode_PACING_MODE_AUTO, controlv1.PacingMode_PACING_MODE_INTERVAL, controlv1.PacingMode_PACING_MODE_STILL, controlv1.PacingMode_PACING_MODE_MANUAL} {
		p := must(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Pacing: &controlv1.Pacing{Mode: mode}}).GetPacing()
		if p.GetMode() != mode {
			t.Fatalf("the mode is %s, want %s", p.GetMode(), mode)
		}
		before := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{})
		ran := must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 10})
		if ran.GetHeight() < before.GetHeight()+10 {
			t.Errorf("%s: from height %d to %d", mode, before.GetHeight(), ran.GetHeight())
		}
		if controlled := mode == controlv1.PacingMode_PACING_MODE_STILL || mode == controlv1.PacingMode_PACING_MODE_MANUAL; !controlled && time.Since(ran.GetTime().AsTime()).Abs() > eventually.Limit {
			t.Errorf("%s: the time is %s", mode, ran.GetTime().AsTime())
		}
		must(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_Idle{Idle: true}})
	}
	interval := must(a, a.clock.SetPacing, &controlv1.SetPacingRequest{Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_INTERVAL}}).GetPacing().GetInterval()
	if interval.AsDuration() != time.Second {
		t.Errorf("the interval is %s, want a second", interval.AsDuration())
	}
}

// Four simulated weeks of a Motoko timer that fires every ten minutes.
func TestFourWeeksOfATimerTakeMilliseconds(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	id := a.started(10 * time.Minute)
	out := must(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(4 * 7 * 24 * time.Hour)}})
	// It is milliseconds because there is a round where the timer is due, with its five messages, and next to none else.
	if rounds, messages := out.GetRounds(), out.GetMessages(); rounds > 4*7*24*6+10 || messages > 5*4*7*24*6 {
		t.Errorf("four weeks take %d rounds with %d messages", rounds, messages)
	}
	if got, want := a.ticks(id), uint64(4*7*24*6); got != want {
		t.Errorf("the timer has fired %d times, want %d", got, want)
	}
}

func TestTimeThatJumpsFiresATimerOnce(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	id := a.started(10 * time.Minute)
	out := must(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(24 * time.Hour)}, Jump: true})
	if out.GetRounds() != 0 {
		t.Errorf("%d rounds were run", out.GetRounds())
	}
	must(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_Idle{Idle: true}})
	if got := a.ticks(id); got != 1 {
		t.Errorf("the timer has fired %d times, want once", got)
	}
}

func TestTimeGoesToTheNextTimer(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	id := a.started(10 * time.Minute)
	for n := range uint64(3) {
		next := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetNextTimer()
		var at *timestamppb.Timestamp
		if n == 0 {
			out := must(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_ToNextTimer{ToNextTimer: true}})
			at = out.GetTime()
		} else {
			out := must(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_NextTimer{NextTimer: true}})
			if at = out.GetTime(); out.GetReason() != controlv1.StopReason_STOP_REASON_CONDITION {
				t.Errorf("it stops because of %s", out.GetReason())
			}
		}
		if late := at.AsTime().Sub(next.AsTime()); late < 0 || late > time.Microsecond {
			t.Errorf("the time is %s, the timer was due at %s", at.AsTime(), next.AsTime())
		}
		if got := a.ticks(id); got != n+1 {
			t.Errorf("the timer has fired %d times, want %d", got, n+1)
		}
	}
}

func TestAMessageIsDeliveredInSteps(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	caller, counter := a.fixture("caller"), a.fixture("counter")
	a.mask(caller.String(), "CALLER")
	a.mask(counter.String(), "COUNTER")
	a.sent(caller, caller, "bump", encoded(a, counter.String()))
	a.sent(counter, counter, "inc", encoded(a))
	call(a, a.clock.ListMoves, &controlv1.ListMovesRequest{Limit: 1})
	call(a, a.clock.ListMoves, &controlv1.ListMovesRequest{})
	a.note("a position that is not there, and a move")
	call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{Choice: &controlv1.StepMessageRequest_Position{Position: 2}})
	none := &controlv1.Move{CanisterId: caller.String(), Method: "inc"}
	call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{Choice: &controlv1.StepMessageRequest_Move{Move: none}})
	a.note("a move by its fields, the second of a list")
	inc := &controlv1.Move{Kind: controlv1.MoveKind_MOVE_KIND_INGRESS, CanisterId: counter.String(), Method: "inc"}
	call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{Choice: &controlv1.StepMessageRequest_Move{Move: inc}})
	a.note("a draw, a position, the oldest; then the round is closed")
	call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{Choice: &controlv1.StepMessageRequest_Drawn{Drawn: 7}})
	call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{Choice: &controlv1.StepMessageRequest_Position{Position: 0}})
	for range 8 {
		if call(a, a.clock.StepMessage, &controlv1.StepMessageRequest{}).GetRoundClosed() {
			break
		}
	}
	call(a, a.clock.ListMoves, &controlv1.ListMovesRequest{})
	a.compare("clock_steps")
}

func TestRunUntilSaysWhyItStopped(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	counter, clock := a.fixture("counter"), a.fixture("clock")
	idle := &controlv1.RunUntilRequest_Idle{Idle: true}
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: idle})
	a.note("no timer is set")
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_NextTimer{NextTimer: true}})
	a.note("a message is answered")
	id := a.sent(counter, counter, "inc", encoded(a))
	request := &controlv1.RunUntilRequest_RequestId{RequestId: id[:]}
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: request})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: request})
	a.note("a time is reached, with a timer every hour on the way")
	a.sent(clock, clock, "start", encoded(a, uint64(time.Hour)))
	tomorrow := &controlv1.RunUntilRequest_Time{Time: timestamppb.New(beginning.Add(24 * time.Hour))}
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: tomorrow, MaxRounds: 5})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: tomorrow})
	a.note("a time that has been")
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: tomorrow})
	a.compare("clock_until")
}

func TestAMessageIsAwaitedWhileTheWallClockMovesTime(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	counter := a.fixture("counter")
	id := a.sent(counter, counter, "inc", encoded(a))
	out := must(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_RequestId{RequestId: id[:]}})
	if out.GetReason() != controlv1.StopReason_STOP_REASON_CONDITION {
		t.Errorf("it stops because of %s", out.GetReason())
	}
}

// A client without end is cut short by its deadline or when it goes away, and others
// work meanwhile.
func TestARunWithoutEndStopsWithItsClient(t *testing.T) {
	forever := &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(100 * 365 * 24 * time.Hour)}}
	for _, want := range []codes.Code{codes.DeadlineExceeded, codes.Canceled} {
		synctest.Test(t, func(t *testing.T) {
			b, a := byHandInBubble(t)
			a.started(time.Second)
			counter := a.fixture("counter")
			other := b.client()
			ctx, leave := context.WithCancel(a.ctx)
			defer leave()
			if want == codes.DeadlineExceeded {
				ctx, leave = untilToldLate(a.ctx)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := other.clock.AdvanceTime(ctx, forever)
				ended <- err
			}()
			for range 5 {
				a.answer(counter, counter, "inc", encoded(a))
			}
			leave()
			if err := <-ended; status.Code(err) != want {
				t.Errorf("the run ends with %v, want %s", err, want)
			}
			synctest.Wait() // until no round is run
		})
	}
	t.Run("a connection that breaks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, a := byHandInBubble(t)
			a.started(time.Second)
			other := b.client()
			before := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetHeight()
			ended := make(chan error, 1)
			go func() {
				_, err := other.clock.AdvanceTime(t.Context(), forever)
				ended <- err
			}()
			for must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetHeight() == before {
				runtime.Gosched()
			}
			other.conn.Close()
			<-ended
			synctest.Wait() // until no round is run
		})
	})
}
