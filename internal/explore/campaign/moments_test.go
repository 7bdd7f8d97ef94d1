package campaign_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// momentsOf returns the states of a finding, one in each line, and how many messages are beyond them.
func momentsOf(t *testing.T, c *campaign.Config, f *campaign.Finding) (lines []string, more int) {
	t.Helper()
	moments, more, err := f.Moments(c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range moments {
		m := &moments[i]
		move := "before"
		if m.Step != nil {
			move = m.Step.Move
		}
		line := fmt.Sprintf("%s %s;", move, m.Value)
		for _, o := range m.Observed {
			line += fmt.Sprintf(" %s.%s %s", c.Setup.NameOf(o.Canister), o.Query, o.Value)
		}
		if len(m.Broken) > 0 {
			line += "; " + strings.Join(m.Broken, ", ")
		}
		lines = append(lines, line)
	}
	return lines, more
}

func TestAFindingIsFollowedMessageByMessageWithTheStateAfterEach(t *testing.T) {
	c := theft(t, "bank", 2)
	c.Runs = 1
	lines, more := momentsOf(t, c, run(t, c).Violations()[0])
	broken := "; vault paidOut <= 100 does not hold: the left side is 200 : nat, the right side 100 : int"
	user := fmt.Sprintf("principal %q", c.Setup.Operations[0].Message.Sender)
	want := []string{
		"before ; bank.balance (100 : nat) vault.paidOut (0 : nat)",
		"op1 (100 : nat); bank.balance (100 : nat) vault.paidOut (0 : nat)",
		"op1/1.request (" + user + ", 100 : nat); bank.balance (100 : nat) vault.paidOut (100 : nat)",
		"op2 (100 : nat); bank.balance (100 : nat) vault.paidOut (100 : nat)",
		"op2/1.request (" + user + ", 100 : nat); bank.balance (100 : nat) vault.paidOut (200 : nat)" + broken,
		"op1/1.reply (); bank.balance (0 : nat) vault.paidOut (200 : nat)" + broken,
		"op2/1.reply (); bank.balance (0 : nat) vault.paidOut (200 : nat)" + broken,
	}
	if !slices.Equal(lines, want) || more != 0 {
		t.Errorf("the states are, and %d more,\n%s\nwant\n%s", more, strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheMomentsOfAFindingHaveItsFault(t *testing.T) {
	c := theft(t, "careful", 1)
	c.Properties = nil
	f := &campaign.Finding{}
	f.Schedule.Operations, f.Schedule.Plan = []int{0}, harness.Plan{{At: "op1/1.reply", Kind: harness.TrapCallback}}
	again, err := campaign.Replay(c, &f.Schedule)
	if err != nil {
		t.Fatal(err)
	}
	f.Steps = again.Steps
	moments, _, err := f.Moments(c)
	if err != nil {
		t.Fatal(err)
	}
	last := moments[len(moments)-1]
	if last.Step.Move != "op1/1.reply" || last.Step.Fault != harness.TrapCallback || last.Step.Failure == nil || !strings.Contains(last.Line, "traps") {
		t.Errorf("the last message is %q: %+v", last.Line, last.Step)
	}
	if said := f.Exceptions(&c.Setup); len(said) != 1 || !strings.Contains(said[0], "traps in its callback") {
		t.Errorf("the run differs from FIFO by %q", said)
	}
}

func TestAFindingAboutAllRunsHasNoMoments(t *testing.T) {
	lines, more := momentsOf(t, theft(t, "bank", 1), &campaign.Finding{})
	if len(lines) != 0 || more != 0 {
		t.Errorf("it has %q and %d more", lines, more)
	}
}
