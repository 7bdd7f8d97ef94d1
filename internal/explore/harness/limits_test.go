package harness_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestACallBeforeTheRunsDeliversTenThousandMessages(t *testing.T) {
	for turns, want := range map[int]string{4900: "", 5100: "A.run, before the operations: it is not answered"} {
		_, setup := scripted(t, "", canistertest.Turns(turns))
		_, done, err := harness.Prepare(setup.Base, 0, setup.Operations)
		if err == nil {
			done()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("of %d messages: %v, want %q", 2*turns+1, err, want)
		}
	}
}

func TestRunsAskWhetherTheirTimeIsOverAfter64Messages(t *testing.T) {
	for messages, want := range map[int]int{63: 0, 64: 1, 640: 10} {
		_, setup := scripted(t, "", canistertest.Turns(1000))
		asked := 0
		setup.Expired = func() bool { asked++; return false }
		r := begin(t, setup, nil)
		for range messages {
			r.Moves()
			if r.Take(0); r.Cut() {
				t.Error("the run is cut")
			}
		}
		if asked != want {
			t.Errorf("in %d messages it is asked %d times, want %d", messages, asked, want)
		}
	}
}

func TestARunThatIsCutStaysSoWithAllRunsOfItsHarness(t *testing.T) {
	_, setup := scripted(t, "", canistertest.Turns(1000))
	asked := 0
	setup.Expired = func() bool { asked++; return asked == 2 }
	r := begin(t, setup, nil)
	cut := 0
	for n := range 200 {
		r.Moves()
		if r.Take(0); r.Cut() && cut == 0 {
			cut = n + 1
		}
	}
	f := r.Fork().(*harness.Run)
	defer f.Close()
	if cut != 128 || asked != 2 || !f.Cut() {
		t.Errorf("it is cut after %d messages and %d questions", cut, asked)
	}
}
