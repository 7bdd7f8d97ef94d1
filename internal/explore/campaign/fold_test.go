package campaign_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

const helper = "__motoko_async_helper"

// blocks is a finding of a timer with two asynchronous blocks, of which the second calls the bank.
func blocks() *campaign.Finding {
	clock, bank := principal.Canister(1), principal.Canister(2)
	step := func(move string, kind replica.MoveKind, calls ...harness.CallMade) *harness.Step {
		return &harness.Step{Move: move, Kind: kind, Canister: clock, Peer: clock, Method: helper, Calls: calls}
	}
	first, second := harness.CallMade{Name: "clock:timer1/1", Callee: clock, Method: helper}, harness.CallMade{Name: "clock:timer1/2", Callee: clock, Method: helper}
	f := &campaign.Finding{Schedule: campaign.Schedule{Operations: []int{0}}, Steps: []*harness.Step{
		step("clock:timer1", replica.MoveTask, first, second),
		step("clock:timer1/1.request", replica.MoveRequest),
		step("clock:timer1/2.request", replica.MoveRequest, harness.CallMade{Name: "clock:timer1/2/1", Callee: bank, Method: "get"}),
		step("clock:timer1/1.reply", replica.MoveResponse),
		step("clock:timer1/2.reply", replica.MoveResponse),
	}}
	f.Text = "it is wrong"
	return f
}

func named(generated bool) *harness.Setup {
	return &harness.Setup{Generated: generated, Operations: []harness.Operation{{Title: "clock start"}}, Name: func(id principal.Principal) string {
		return map[principal.Principal]string{principal.Canister(1): "clock", principal.Canister(2): "bank"}[id]
	}}
}

func TestAsynchronousBlocksAreListedOnlyIfTheyCallOthers(t *testing.T) {
	want := `it is wrong.
  op1: clock start
  The messages are delivered in FIFO order, without faults:
   1  clock:timer1 at clock
   2  clock:timer1/2.request at clock: __motoko_async_helper, calls bank.get (clock:timer1/2/1)
  3 messages of asynchronous blocks are not listed.
`
	f := blocks()
	if text := f.Explain(named(false)); text != want {
		t.Errorf("the finding is explained as\n%swant\n%s", text, want)
	}
	if text := f.Explain(named(true)); strings.Count(text, "\n") != 8 || strings.Contains(text, "not listed") {
		t.Errorf("with what compilers add the finding is explained as\n%s", text)
	}
	if few, all := f.Mermaid(named(false)), f.Mermaid(named(true)); strings.Count(few, helper) != 1 || strings.Count(all, helper) != 2 {
		t.Errorf("the diagrams are\n%sand\n%s", few, all)
	}
	if few, all := f.SVG(named(false)), f.SVG(named(true)); strings.Count(few, `class="number"`) != 2 || strings.Count(all, `class="number"`) != 5 {
		t.Errorf("the pictures have not 2 and 5 rows:\n%s\n%s", few, all)
	}
}

func TestAnAsynchronousBlockThatTheScheduleNamesOrThatFailsIsListed(t *testing.T) {
	for _, change := range []func(f *campaign.Finding){
		func(f *campaign.Finding) { f.Steps[1].Fault = harness.RejectTransient },
		func(f *campaign.Finding) { f.Steps[1].Failure = &intercanister.Reject{} },
		func(f *campaign.Finding) { f.Steps[1].Rejected = &intercanister.Reject{} },
		func(f *campaign.Finding) { f.Steps[1].Dropped = true },
		func(f *campaign.Finding) { f.Steps[1].Waited = 1 },
		func(f *campaign.Finding) {
			f.Schedule.Plan = harness.Plan{{At: "clock:timer1/1.request", Kind: harness.Silent}}
		},
	} {
		f := blocks()
		change(f)
		if text := f.Explain(named(false)); !strings.Contains(text, "clock:timer1/1.request at clock") {
			t.Errorf("the message is left out:\n%s", text)
		}
	}
}
