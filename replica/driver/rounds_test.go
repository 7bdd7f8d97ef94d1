package driver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/replicatest"
)

func idle(n *replica.Network) driver.Next {
	if n.Activity().HasRunnableWork {
		return driver.Go
	}
	return driver.Stop
}

// manual is a driver with canisters whose rounds are its tests'.
func manual(t *testing.T, canisters int) *running {
	t.Helper()
	r := start(t, driver.Config{})
	r.create(canisters)
	if err := r.SetMode(t.Context(), driver.Manual, false); err != nil {
		t.Fatal(err)
	}
	if _, err := r.RunRounds(t.Context(), idle); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestARoundIsRunInSteps(t *testing.T) {
	r := manual(t, 2)
	in := r.message(0, "run", "call 1 (reply hello) then (echo)")
	if _, err := r.Submit(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	var made []string
	for {
		s, err := r.Step(t.Context(), func(driver.Choices) int { return 0 })
		if err != nil {
			t.Fatal(err)
		}
		if s.Closed {
			if s.Moved || s.Busy || s.Height != r.View().Height {
				t.Errorf("the last step: %+v", s)
			}
			break
		}
		made = append(made, s.Made.Receiver.String()+" "+s.Made.Sender.String()+" "+s.Made.Method)
	}
	a, b := id(0).String(), id(1).String()
	want := []string{a + " aaaaa-aa run", b + " " + a + " run", a + " aaaaa-aa run"}
	if len(made) != 3 || made[0] != want[0] || made[1] != want[1] || made[2] != want[2] {
		t.Errorf("made %q, want %q", made, want)
	}
	subnet := r.View().SubnetOf(id(0))
	if err := r.Await(t.Context(), subnet.ID, in.ID); err != nil {
		t.Errorf("the answer is not shown: %v", err)
	}
}

func TestAStepThatIsNotThereChangesNothing(t *testing.T) {
	r := manual(t, 1)
	if _, err := r.Submit(t.Context(), r.message(0, "run", "reply x")); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{-1, 1} {
		s, err := r.Step(t.Context(), func(c driver.Choices) int { return at * max(1, len(c.Ahead)) })
		if err != nil || s.Moved || s.Closed {
			t.Errorf("position %d: %+v, %v", at, s, err)
		}
	}
	choices, err := r.Choices(t.Context())
	if err != nil || len(choices.Ahead) != 1 {
		t.Errorf("choices: %+v, %v", choices, err)
	}
}

func TestARoundGoesOnWhereStepsLeftIt(t *testing.T) {
	r := manual(t, 2)
	in := r.message(0, "run", "call 1 (reply hello) then (echo)")
	if _, err := r.Submit(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	height := r.View().Height
	for range 2 {
		if _, err := r.Step(t.Context(), func(driver.Choices) int { return 0 }); err != nil {
			t.Fatal(err)
		}
	}
	report, err := r.Round(t.Context())
	if err != nil || report.Height != height+1 || report.Messages != 3 || len(report.Answered) != 1 || report.Answered[0] != in.ID {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestADriverLetsOthersTheirTurn(t *testing.T) {
	r := manual(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.RunRounds(ctx, func(*replica.Network) driver.Next { return driver.Go })
		ended <- err
	}()
	for range 100 {
		if got := r.must(0, "run", "reply x"); got != "x" {
			t.Fatalf("got %q", got)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestADriverThatLingersIsAskedWhenSomethingHappened(t *testing.T) {
	r := manual(t, 0)
	asked := make(chan struct{}, 10)
	ended := make(chan error, 1)
	until := replicatest.Start + 1_000_000_000
	go func() {
		_, err := r.RunRounds(t.Context(), func(n *replica.Network) driver.Next {
			asked <- struct{}{}
			if time := n.Activity().Time; time >= uint64(until) {
				return driver.Stop
			}
			return driver.Linger
		})
		ended <- err
	}()
	<-asked
	if _, err := r.Apply(t.Context(), replica.AdvanceTo(until)); err != nil {
		t.Fatal(err)
	}
	<-asked
	if _, err := r.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWhoWaitsForASightIsWokenByIt(t *testing.T) {
	r := manual(t, 0)
	height := r.View().Height
	seen := make(chan error, 1)
	go func() {
		seen <- r.Until(t.Context(), func(n *replica.Network) bool { return n.View().Height >= height+3 })
	}()
	for range 3 {
		select {
		case err := <-seen:
			t.Fatalf("seen too early: %v", err)
		default:
		}
		if _, err := r.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-seen; err != nil {
		t.Error(err)
	}
	expired, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if err := r.Until(expired, func(*replica.Network) bool { return false }); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	looked, leave := context.WithCancel(t.Context())
	if err := r.Until(looked, func(*replica.Network) bool { leave(); return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("who gives up after a look is told %v", err)
	}
}

func TestWhoWaitsForASightHearsThatTheNodeEnds(t *testing.T) {
	r := manual(t, 0)
	ended := make(chan error, 2)
	asked := make(chan struct{}, 2)
	go func() {
		ended <- r.Until(t.Context(), func(*replica.Network) bool { asked <- struct{}{}; return false })
	}()
	go func() {
		_, err := r.RunRounds(t.Context(), func(*replica.Network) driver.Next { asked <- struct{}{}; return driver.Linger })
		ended <- err
	}()
	<-asked
	<-asked
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, driver.ErrClosed) {
			t.Error(err)
		}
	}
}
