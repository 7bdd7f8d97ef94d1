package control_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

const week = 7 * 24 * time.Hour

// later is a request for so much time to pass, with what is due on the way.
func later(by time.Duration) *controlv1.AdvanceTimeRequest {
	return &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_Duration{Duration: durationpb.New(by)}}
}

// ahead is how far the time of the default instance is ahead of the wall clock; its network is never further ahead.
func (a *api) ahead() time.Duration {
	a.Helper()
	now := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{})
	offset := now.GetOffset().AsDuration()
	for _, at := range []*timestamppb.Timestamp{now.GetTime(), now.GetNextRound()} {
		if late := time.Since(at.AsTime().Add(-offset)); late < 0 || late > eventually.Limit {
			a.Errorf("%s ahead of the wall clock a round is at %s, %s ago", offset, at.AsTime(), late)
		}
	}
	return offset
}

// Of a set time, what is exact is written down; from there on time flows.
func TestTheWallClockGoesOnFromATimeThatIsSet(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Interval, Interval: time.Hour})
	call(a, a.clock.SetTime, &controlv1.SetTimeRequest{Time: timestamppb.New(beginning)})
	a.note("rounds are run at the times of what is due, and the last at the time that is to be reached")
	tomorrow := timestamppb.New(beginning.Add(24 * time.Hour))
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_Time{Time: tomorrow}})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_Time{Time: timestamppb.New(beginning)}})
	now := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{})
	if !now.GetTime().AsTime().Equal(tomorrow.AsTime()) || !now.GetNextRound().AsTime().After(tomorrow.AsTime()) {
		t.Errorf("the time is %s, the next round is at %s", now.GetTime().AsTime(), now.GetNextRound().AsTime())
	}
	if ahead, want := a.ahead(), time.Until(tomorrow.AsTime()); ahead < want || ahead > want+eventually.Limit {
		t.Errorf("it is %s ahead, want %s", ahead, want)
	}
	a.note("nothing waits for a time")
	call(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_ToNextTimer{ToNextTimer: true}, Jump: true})
	call(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_NextTimer{NextTimer: true}})
	a.compare("clock_offset")
	_, err := a.clock.SetTime(a.ctx, &controlv1.SetTimeRequest{Time: tomorrow})
	if status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a time that has been: %v", err)
	}
}

func TestAWeekPassesOnARunningInstance(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	id := a.started(time.Hour)
	for n := range 2 {
		out := must(a, a.clock.AdvanceTime, later(week))
		if out.GetRounds() < 7*24 {
			t.Errorf("only %d rounds were run", out.GetRounds())
		}
		if got, want := a.ticks(id), uint64(7*24*(n+1)); got != want {
			t.Errorf("the timer has fired %d times, want %d", got, want)
		}
		if got, want := a.ahead(), time.Duration(n+1)*week; got != want {
			t.Errorf("it is %s ahead, want %s", got, want)
		}
	}
	counter := a.fixture("counter")
	if _, reject := a.answer(counter, counter, "inc", encoded(a)); reject != "" {
		t.Errorf("life does not go on: %s", reject)
	}
}

func TestADescriptionOfAnInstanceSaysHowFarItsTimeIsAhead(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	must(a, a.clock.AdvanceTime, later(week))
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "beside"})
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "fork"})
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "by-hand", Pacing: manual})
	want := map[string]*durationpb.Duration{"default": durationpb.New(week), "beside": nil, "fork": durationpb.New(week), "by-hand": nil}
	for _, listed := range must(a, a.instances.ListInstances, &controlv1.ListInstancesRequest{}).GetInstances() {
		name := listed.GetName()
		if got := listed.GetOffset(); !proto.Equal(got, want[name]) {
			t.Errorf("in the list %s is %v ahead, want %v", name, got, want[name])
		}
		if got := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: name}).GetInstance().GetOffset(); !proto.Equal(got, want[name]) {
			t.Errorf("by itself %s is %v ahead, want %v", name, got, want[name])
		}
		delete(want, name)
	}
	if len(want) != 0 {
		t.Errorf("these are not listed: %v", want)
	}
}

func TestTimeThatJumpsOnARunningInstanceFiresATimerOnce(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	id := a.started(time.Hour)
	jump := later(week)
	jump.Jump = true
	must(a, a.clock.AdvanceTime, jump)
	for a.ticks(id) == 0 { // without anybody running a round
		if a.ctx.Err() != nil {
			t.Fatal("the timer does not fire")
		}
	}
	if got := a.ticks(id); got != 1 {
		t.Errorf("the timer has fired %d times, want once", got)
	}
	if got := a.ahead(); got != week {
		t.Errorf("it is %s ahead, want a week", got)
	}
}

func TestTimeGoesToTheNextTimerOfARunningInstance(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	id := a.started(time.Hour)
	for n := range uint64(3) {
		next := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetNextTimer().AsTime()
		if n == 0 {
			must(a, a.clock.RunUntil, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_NextTimer{NextTimer: true}})
		} else {
			must(a, a.clock.AdvanceTime, &controlv1.AdvanceTimeRequest{By: &controlv1.AdvanceTimeRequest_ToNextTimer{ToNextTimer: true}})
		}
		if late := must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetTime().AsTime().Sub(next); late < 0 || late > eventually.Limit {
			t.Errorf("the time is %s after that of the timer", late)
		}
		if got := a.ticks(id); got != n+1 {
			t.Errorf("the timer has fired %d times, want %d", got, n+1)
		}
	}
	if got := a.ahead(); got > 3*time.Hour || got < 3*time.Hour-eventually.Limit {
		t.Errorf("it is %s ahead, want three hours", got)
	}
}

// If a client goes away while time passes, the instance goes on from where it stands.
func TestTimeGoesOnFromWhereItsClientLeftIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, a := bubbled(t)
		a.started(time.Hour)
		offset := func() time.Duration {
			return must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetOffset().AsDuration()
		}
		network := func() time.Time { return must(a, a.clock.GetTime, &controlv1.GetTimeRequest{}).GetTime().AsTime() }
		begun := network()
		other, ended := b.client(), make(chan error, 1)
		ctx, leave := untilToldLate(a.ctx)
		defer leave()
		go func() { ended <- second(other.clock.AdvanceTime(ctx, later(100*365*24*time.Hour))) }()
		for network().Before(begun.Add(24 * time.Hour)) {
			runtime.Gosched()
		}
		leave()
		if err := <-ended; status.Code(err) != codes.DeadlineExceeded {
			t.Fatalf("a hundred years end with %v", err)
		}
		synctest.Wait() // until no round is run
		left := offset()
		if left < time.Hour || left > 99*365*24*time.Hour {
			t.Errorf("it is %s ahead", left)
		}
		must(a, a.clock.AdvanceTime, later(week))
		if got := offset(); got != left+week {
			t.Errorf("it is %s ahead, want a week more than %s", got, left)
		}
	})
}

func TestRequestsAreAnsweredWhileAWeekPasses(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	a.started(time.Second)
	counter := a.fixture("counter")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	other := connected(t, a.daemon)
	go func() {
		_, err := other.clock.AdvanceTime(ctx, later(100*week))
		ended <- err
	}()
	for range 20 {
		if _, reject := a.answer(counter, counter, "inc", encoded(a)); reject != "" {
			t.Errorf("rejected: %s", reject)
		}
	}
	cancel()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("the client that left got %v", err)
	}
}

// Rounds follow each other at once there, by themselves and for clients that move time: time goes on between them all
// the same.
func TestADayPassesWhereACanisterIsNeverDone(t *testing.T) {
	t.Parallel()
	for _, pacing := range []daemon.Pacing{daemon.Auto, daemon.Manual} {
		a := served(t, daemon.Config{Pacing: pacing})
		id := a.installedModule(canistertest.Restless(), nil)
		a.sent(id, id, "begin", nil)
		before := must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 3})
		if !before.GetBusy() {
			t.Fatal("the canister is done")
		}
		out := must(a, a.clock.AdvanceTime, later(24*time.Hour))
		if late := out.GetTime().AsTime().Sub(before.GetTime().AsTime().Add(24 * time.Hour)); late < 0 || late > eventually.Limit {
			t.Errorf("%s: a day ends %s late", pacing, late)
		}
	}
}
