package explore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/component/explore"
)

// picks is a program without a component: it makes choices and says whether they are wrong.
func picks(count, options int, wrong func(picked []int) bool) explore.Program {
	return func(_ context.Context, run *explore.Run) error {
		var picked []int
		for n := range count {
			picked = append(picked, run.Pick(fmt.Sprint("step ", n), options))
		}
		if wrong(picked) {
			return errors.New("wrong")
		}
		return nil
	}
}

func TestAllSequencesOfChoicesAreRunOnce(t *testing.T) {
	seen := map[string]int{}
	report, err := explore.Explore(t.Context(), picks(3, 4, func(picked []int) bool { seen[fmt.Sprint(picked)]++; return false }), explore.Options{})
	if err != nil || !report.Complete || report.Runs != 64 || len(seen) != 64 {
		t.Errorf("%v, %v: %d sequences, want 64", report, err, len(seen))
	}
	report, err = explore.Explore(t.Context(), picks(3, 4, func([]int) bool { return false }), explore.Options{Runs: 127})
	if err != nil || !report.Complete {
		t.Errorf("with a budget of which half is 64 runs: %v, %v", report, err)
	}
}

func TestOrdersAreDrawnIfThereAreTooManyForTheBudget(t *testing.T) {
	early := func(picked []int) bool { return picked[0] == 1 && picked[1] == 1 }
	for range 2 { // the same seed draws the same orders
		report, err := explore.Explore(t.Context(), picks(30, 2, early), explore.Options{Runs: 400, Seed: 7})
		if err != nil || report.Complete || report.Runs != 400 || len(report.Findings) != 1 {
			t.Fatalf("%v, %v", report, err)
		}
		if got := report.Findings[0].Schedule.String(); got != "  choice 1, host 1 of 2: step 0: 1\n  choice 2, host 1 of 2: step 1: 1\n" {
			t.Errorf("the schedule is\n%s", got)
		}
	}
}

func TestAnExplorationEndsAfterItsFindings(t *testing.T) {
	each := func(_ context.Context, run *explore.Run) error { return fmt.Errorf("wrong: %d", run.Pick("one", 30)) }
	for stop, want := range map[int]int{0: 10, 3: 3, 100: 10} {
		report, err := explore.Explore(t.Context(), each, explore.Options{Stop: stop})
		if err != nil || len(report.Findings) != want || report.Complete {
			t.Errorf("stop after %d: %v, %v", stop, report, err)
		}
	}
}

func TestAnExplorationMakesTenThousandRunsUnlessAnotherNumberIsSet(t *testing.T) {
	report, err := explore.Explore(t.Context(), picks(14, 2, func([]int) bool { return false }), explore.Options{})
	if err != nil || report.Runs != 10_000 || report.Complete {
		t.Errorf("%v, %v", report, err)
	}
}

func TestAScheduleIsShortenedInAtMostFiveHundredRuns(t *testing.T) {
	runs := 0
	program := func(_ context.Context, run *explore.Run) error {
		runs++
		var picked strings.Builder
		count := 0
		for range 1_100 {
			n := run.Pick("step", 2)
			count += n
			fmt.Fprint(&picked, n)
		}
		if count > 520 {
			return errors.New(picked.String()) // no other run gives this error
		}
		return nil
	}
	report, err := explore.Explore(t.Context(), program, explore.Options{Runs: 100, Stop: 1})
	if err != nil || len(report.Findings) != 1 {
		t.Fatalf("%v, %v", report, err)
	}
	const others = 2 + 1 // to see that it is deterministic, and for the profile of the default order
	if got := runs - report.Runs - others; got != 500 {
		t.Errorf("%d runs to shorten the schedule, want 500", got)
	}
}

func TestARunWithTooManyChoicesIsStopped(t *testing.T) {
	long := func(count int) (*explore.Report, error) {
		return explore.Explore(t.Context(), picks(count, 2, func([]int) bool { return false }), explore.Options{Runs: 2})
	}
	if report, err := long(10_000); err != nil || report.Stopped != 0 {
		t.Errorf("10,000 choices: %+v, %v", report, err)
	}
	if report, err := long(10_001); err != nil || report.Stopped != 1 || report.Complete || len(report.Findings) != 0 {
		t.Errorf("10,001 choices: %+v, %v", report, err)
	}
}

func TestAProgramThatDependsOnMoreThanItsChoicesIsRefused(t *testing.T) {
	runs := 0
	_, err := explore.Explore(t.Context(), func(context.Context, *explore.Run) error { runs++; return fmt.Errorf("run %d", runs) }, explore.Options{})
	if err == nil || !strings.Contains(err.Error(), "two runs in the default order differ") {
		t.Errorf("%v", err)
	}
}

func TestAnExplorationEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	program := picks(20, 2, func([]int) bool {
		if runs++; runs == 50 {
			cancel()
		}
		return false
	})
	if report, err := explore.Explore(ctx, program, explore.Options{}); !errors.Is(err, context.Canceled) || runs != 50 {
		t.Errorf("%v, %v after %d runs", report, err, runs)
	}
}

func TestAScheduleThatDoesNotFitIsStale(t *testing.T) {
	never := func([]int) bool { return false }
	for text, want := range map[string]string{
		"choice 4, host 1 of 2: x":   "it has 3 choices, and choice 4 is scheduled",
		"choice 2, host 1 of 3: x":   "choice 2 is a host of 2 options, and a host of 3 is scheduled",
		"choice 2, thread 1 of 2: x": "choice 2 is a host of 2 options, and a thread of 2 is scheduled",
	} {
		var s explore.Schedule
		if err := s.UnmarshalText([]byte("component schedule 1\n" + text + "\n")); err != nil {
			t.Fatal(err)
		}
		if err := explore.Replay(t.Context(), picks(3, 2, never), s); !errors.Is(err, explore.ErrStale) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := explore.Replay(t.Context(), picks(3, 2, never), explore.Schedule{}); err != nil {
		t.Errorf("a program without a fault: %v", err)
	}
}

func TestAYieldThatGoesOnIsAnOption(t *testing.T) {
	kinds := map[string]bool{}
	c := compiled(t, "races")
	wait := program(c, func(ctx context.Context, i *component.Instance, _ *explore.Run) error {
		return both(ctx, i, "flag#wait", "flag#wake")
	})
	for _, text := range []string{"choice 1, yield 1 of 2: x", "choice 2, yield 1 of 2: x"} {
		var s explore.Schedule
		if err := s.UnmarshalText([]byte("component schedule 1\n" + text)); err != nil {
			t.Fatal(err)
		}
		err := explore.Replay(t.Context(), wait, s)
		kinds[fmt.Sprint(err != nil)] = true
		if errors.Is(err, explore.ErrStale) {
			t.Error(err)
		}
	}
	if !kinds["true"] || !kinds["false"] {
		t.Errorf("if wait goes on, it hears of wake; if wake does, it does not: %v", kinds)
	}
}

// Texts of schedules are read or refused, and what is read is written the same.
func FuzzSchedulesAreRead(f *testing.F) {
	f.Add([]byte("component schedule 1\nchoice 5, thread 1 of 2: call 2 of instance 4 before call 1 of instance 2\nchoice 7, yield 1 of 2: x goes on\n"))
	f.Add([]byte("component schedule 1\n"))
	f.Add([]byte("component schedule 1\nchoice 10000, host 1 of 2: x\nchoice 1, host 1 of 2: x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s, again explore.Schedule
		if s.UnmarshalText(text) != nil {
			return
		}
		written, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if err := again.UnmarshalText(written); err != nil || again.String() != s.String() {
			t.Errorf("%v: %q is read, and written as %q", err, text, written)
		}
	})
}
