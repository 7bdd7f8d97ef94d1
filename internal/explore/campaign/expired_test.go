package campaign_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/test/campaigntest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// clock measures the time of an exploration in messages: it counts the checks after each message.
type clock struct {
	messages    atomic.Int64
	end, broken int64 // broken: the message after which the property is violated
}

func (k *clock) expired() bool { return k.messages.Load() >= k.end }

func (k *clock) property() property.Property {
	return &property.Func{Title: "counts", When: property.EachMessage, Holds: func(*harness.Run) error {
		if k.messages.Add(1) == k.broken {
			return errors.New("it is broken")
		}
		return nil
	}}
}

// timed makes an exploration with one worker use a clock.
func timed(c *campaign.Config, k *clock) {
	c.Expired, c.Properties, c.Workers = k.expired, []property.Property{k.property()}, 1
}

func TestAnExplorationWhoseTimeIsOverDuringItsPreparationIsAnError(t *testing.T) {
	c := long(t, 1_000_000)
	asked := 0
	c.Expired = func() bool { asked++; return true }
	if _, err := campaign.Run(c); err == nil || !strings.Contains(err.Error(), "the time was over before the first runs ended") || asked != 1 {
		t.Errorf("it is asked %d times whether the time is over; %v", asked, err)
	}
}

func TestAnExplorationEndsWhereverItsTimeIsOver(t *testing.T) {
	t.Parallel()
	for end := int64(28); end < 44; end++ { // while jobs of many runs are made
		c := theft(t, "bank", 3)
		var asked atomic.Int64
		c.Workers, c.Runs = 1, 2000
		c.Expired = func() bool { return asked.Add(1) > end }
		_, err := campaign.Run(c)
		if bug := new(contain.Bug); errors.As(err, &bug) {
			t.Errorf("it ends after the time was asked for %d times: %.200s", end, err)
		}
	}
}

func TestARunIsCutWhereTheTimeIsOver(t *testing.T) {
	t.Parallel()
	c := long(t, 900) // 1,801 messages
	inOrder(c, 5)
	k := &clock{end: 1802 + 100, broken: 1802 + 50} // a run is also checked at rest
	timed(c, k)
	r := run(t, c)
	if r.Runs != 1 || r.Messages != 1801 || r.Unfinished != 0 || k.messages.Load() > 1802+100+64 {
		t.Errorf("%d runs, %d messages, %d unfinished, %d checks", r.Runs, r.Messages, r.Unfinished, k.messages.Load())
	}
	if len(r.Findings) != 1 || r.Findings[0].Property != "counts" {
		t.Errorf("what the second run has shown is\n%s", campaigntest.Text(c, r))
	}
}

func TestAnEnumerationIsCutWhereTheTimeIsOver(t *testing.T) {
	t.Parallel()
	for _, faults := range []int{0, 1} {
		c := long(t, 900)
		k := &clock{end: 1802 + 100}
		timed(c, k)
		c.Faults = faults
		if r := run(t, c); faults == 0 && r.Runs != 1 || r.Exhausted || k.messages.Load() > 1802+100+64 {
			t.Errorf("%d runs, all: %t, %d checks", r.Runs, r.Exhausted, k.messages.Load())
		}
	}
}

func TestAProbeThatIsCutSaysNothing(t *testing.T) {
	c := scripted(t, canistertest.Turns(100))
	c.Setup.Operations, c.Faults = c.Setup.Operations[:1], 0
	inOrder(c, 5)
	timed(c, &clock{end: 202 + 201})
	if r := run(t, c); r.Runs != 1 || len(r.Findings) != 0 {
		t.Errorf("%s", campaigntest.Text(c, r))
	}
}

func TestFindingsAreNotShortenedWhenTheTimeIsOver(t *testing.T) {
	for end, want := range map[int64]int{1: 3, 1_000_000: 2} { // operations
		c := theft(t, "bank", 3)
		theft, checks := c.Properties[0], new(atomic.Int64)
		c.NoBuiltin, c.Runs, c.Workers = true, 20, 1
		c.Properties = []property.Property{&property.Func{Title: "no theft", Holds: func(r *harness.Run) error {
			checks.Add(1)
			if len(theft.AtRest(r)) > 0 {
				return errors.New("there is one")
			}
			return nil
		}}}
		c.Expired = func() bool { return checks.Load() >= end }
		r := run(t, c)
		if len(r.Findings) != 1 || len(r.Findings[0].Schedule.Operations) != want || (checks.Load() == 1) != (end == 1) {
			t.Fatalf("after %d checks: %s", checks.Load(), campaigntest.Text(c, r))
		}
		c.Expired = nil
		if again, err := campaign.Replay(c, &r.Findings[0].Schedule); err != nil || !again.Violates("no theft") {
			t.Errorf("the replay of a finding that was not shortened: %v, %v", again, err)
		}
	}
}
