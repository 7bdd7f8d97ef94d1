package campaign_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/schedule"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/campaigntest"
)

// stolen returns the schedule file of two withdrawals of the same money.
func stolen(t *testing.T) *schedule.File {
	t.Helper()
	c := theft(t, "bank", 2)
	c.Stop = 1
	c.Observe = []harness.Query{{Canister: c.Setup.Operations[0].Message.Receiver, Method: "balance", Arg: []byte("DIDL\x00\x00")}}
	return run(t, c).Violations()[0].File(c)
}

// replayed replays a file with a bank, as the daemon does.
func replayed(t *testing.T, file *schedule.File, c *campaign.Config) *campaign.Finding {
	t.Helper()
	var err error
	if c.Setup.Operations, err = campaign.Operations(file, campaigntest.Named(c)); err != nil {
		t.Fatal(err)
	}
	s, err := c.OfFile(file, campaigntest.Named(c))
	if err != nil {
		t.Fatal(err)
	}
	again, err := campaign.Replay(c, s)
	if err != nil {
		t.Fatal(err)
	}
	f, err := again.Finding(s, file.Property)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAScheduleIsFixedOnlyIfAModuleHasChanged(t *testing.T) {
	t.Parallel()
	const none, zero = "4449444c0000", "4449444c00017d00" // arguments: (), (0 : nat)
	argument := func(hex string) func(*schedule.File) {
		return func(f *schedule.File) { f.Operations[0].Argument, f.Operations[1].Argument = hex, hex }
	}
	for name, c := range map[string]struct {
		bank    string
		emptied bool // all money was withdrawn before
		change  func(*schedule.File)
		outcome campaign.Outcome
		says    string
	}{
		"as it was found":  {"bank", false, nil, campaign.StillFails, "the left side is 200"},
		"repaired":         {"careful", false, nil, campaign.Fixed, "vault paidOut <= 100 holds in this run"},
		"another state":    {"bank", true, func(f *schedule.File) { f.Property = "no-theft" }, campaign.Stale, "diverged at op1/1.request, which did not come: the modules are those of the schedule; the state is different (base "},
		"of unknown state": {"bank", true, func(f *schedule.File) { f.Property, f.Base = "no-theft", "" }, campaign.Stale, "the modules are those of the schedule; the state or the arguments are different"},
		"other arguments":  {"bank", false, argument(zero), campaign.Stale, "the modules are those of the schedule; the state is the same, and the operations or what is checked are different"},
		"no such method":   {"careful", false, func(f *schedule.File) { f.Operations[1].Method = "gone" }, campaign.Stale, "diverged at op2: canister bank has no method gone"},
		"nothing works":    {"careful", false, argument(none), campaign.Fixed, "holds in this run, in which no operation is replied to"},
		"an older file":    {"careful", false, func(f *schedule.File) { f.Messages, f.Modules, f.Base = nil, nil, "" }, campaign.Fixed, "holds in this run"},
		"a fault without its message": {
			"careful", false, func(f *schedule.File) { f.Faults = []schedule.Fault{{At: "op1/9.reply", Kind: "stop"}} },
			campaign.Stale, "diverged at op1/9.reply, which did not come: its fault is stop",
		},
		"an order that does not come": {
			"careful", false, func(f *schedule.File) { f.Deviations = []schedule.Deviation{{Run: "op2/7.reply", Before: "op1"}} },
			campaign.Stale, "diverged at op2/7.reply, which did not come before op1",
		},
	} {
		file := stolen(t)
		if c.change != nil {
			c.change(file)
		}
		config := theft(t, c.bank, 2)
		if c.emptied {
			// The earlier payment counts for the invariant of the vault, so that another property is checked.
			base, done, err := harness.Prepare(config.Setup.Base, 0, config.Setup.Operations[:1])
			if err != nil {
				t.Fatal(err)
			}
			defer done()
			config.Setup.Base = base
			config.Properties = append(config.Properties, holding{})
		}
		if f := replayed(t, file, config); f.Outcome != c.outcome || !strings.Contains(f.Text, c.says) {
			t.Errorf("%s: the schedule is %s: %s; want %s: %s", name, f.Outcome, f.Text, c.outcome, c.says)
		}
	}
}

func TestAReplayObservesTheQueriesOfItsFile(t *testing.T) {
	file := stolen(t)
	if want := []string{"op1", "op1/1.request", "op2", "op2/1.request", "op1/1.reply", "op2/1.reply"}; !slices.Equal(file.Messages, want) {
		t.Errorf("the messages of the file are %v, want %v", file.Messages, want)
	}
	config := theft(t, "bank", 2)
	if f := replayed(t, file, config); f.Outcome != campaign.StillFails || len(config.Observe) != 1 || config.Observe[0].Method != "balance" {
		t.Errorf("the replay is %s and observes %+v", f.Outcome, config.Observe)
	}
	file.Observe[0].Canister = "safe"
	if _, err := config.OfFile(file, campaigntest.Named(config)); err == nil || !strings.Contains(err.Error(), `the schedule is of another network: it is about canister "safe"`) {
		t.Errorf("a query of an unknown canister: %v", err)
	}
}

func TestAReplaySaysThatItsScheduleIsOfAnotherNetwork(t *testing.T) {
	file, config := stolen(t), theft(t, "bank", 2)
	s, err := config.OfFile(file, campaigntest.Named(config))
	if err != nil {
		t.Fatal(err)
	}
	id := config.Setup.Operations[0].Message.Receiver
	elsewhere := real.NewStage(t, replica.Config{})
	elsewhere.Create("bank", 0, real.Plenty)
	config.Setup.Base = elsewhere.Network // has the canister, without a module
	if elsewhere.ID("bank") != id {
		config.Setup.Operations[0].Message.Receiver = elsewhere.ID("bank")
	}
	again, err := campaign.Replay(config, s)
	if err != nil {
		t.Fatal(err)
	}
	f, err := again.Finding(s, file.Property)
	if err != nil || f.Outcome != campaign.Stale || !strings.Contains(f.Explain(&config.Setup), "the schedule is of another network: there canister bank ran module ") {
		t.Errorf("the replay is %+v, %v", f, err)
	}
	if moments, _, err := f.Moments(config); len(moments) != 0 || err != nil {
		t.Errorf("the replay has %d states, %v", len(moments), err)
	}
}

// holding is a property that always holds.
type holding struct{}

func (holding) Name() string                                   { return "no-theft" }
func (holding) AtRest(*harness.Run) []property.Violation       { return nil }
func (holding) AfterMessage(*harness.Run) []property.Violation { return nil }

func TestAFileHasWhatItsReplayNeeds(t *testing.T) {
	c := theft(t, "bank", 2)
	c.Setup.Operations[1].Message.Method = "deposit"
	id := c.Setup.Operations[0].Message.Receiver
	c.Setup.Upgrades = map[principal.Principal]harness.NextModule{id: {Module: campaigntest.Module(t, "careful")}}
	c.Setup.Outcalls = []replica.OutcallAnswer{{Status: 200, Body: []byte("yes")}, {Status: 500, Body: []byte{0xff}}}
	file := (&campaign.Finding{
		Violation: property.Violation{Property: "lost-service", Canister: id, Method: "deposit"},
		Schedule:  campaign.Schedule{Operations: []int{0}, Plan: harness.Plan{{At: "op1/1.reply", Kind: harness.Upgrade}}},
		Steps:     []*harness.Step{{Move: "op1", Canister: id, Outcall: true}, {Move: "op1/1.reply", Canister: id, Fault: harness.Upgrade}},
	}).File(c)
	text, err := schedule.Write(file)
	if err == nil {
		file, err = schedule.Read(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Operations) != 1 || len(file.Probed) != 1 || file.Probed[0].Name != "op2" {
		t.Errorf("the operations are %+v, and those that must still work %+v", file.Operations, file.Probed)
	}
	again := theft(t, "bank", 0)
	if again.Setup.Operations, err = campaign.Operations(file, campaigntest.Named(again)); err != nil || len(again.Setup.Operations) != 2 {
		t.Fatalf("%d operations, %v", len(again.Setup.Operations), err)
	}
	if _, err := again.OfFile(file, campaigntest.Named(again)); err == nil || !strings.Contains(err.Error(), "pass the one of the exploration (--upgrade bank=FILE)") {
		t.Errorf("without the module of the upgrade: %v", err)
	}
	again.Setup.Upgrades = map[principal.Principal]harness.NextModule{id: {Module: campaigntest.Module(t, "bank")}}
	if s, err := again.OfFile(file, campaigntest.Named(again)); err != nil || !slices.Equal(s.Operations, []int{0}) {
		t.Errorf("the schedule is %+v, %v", s, err)
	}
	if o := again.Setup.Outcalls; len(o) != 2 || o[0].Status != 200 || string(o[1].Body) != "\xff" {
		t.Errorf("the answers to outcalls are %+v", o)
	}
}

func TestFaultsOfFilesThatCannotBeMadeAreRefused(t *testing.T) {
	for says, fault := range map[string]schedule.Fault{
		"fault stop of op1 has an answer, and only other_answer has one":                                      {At: "op1", Kind: "stop", Answer: 1},
		"fault other_answer of op1 needs the answers to HTTP outcalls, but none were given":                   {At: "op1", Kind: "other_answer", Answer: 2},
		"fault upgrade of op1/1.reply needs the module to which the canister is upgraded: pass that of the e": {At: "op1/1.reply", Kind: "upgrade"},
		`invalid fault "fire"`: {At: "op1", Kind: "fire"},
	} {
		file, c := stolen(t), theft(t, "bank", 2)
		file.Faults = []schedule.Fault{fault}
		if _, err := c.OfFile(file, campaigntest.Named(c)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the error is %v, want %q", err, says)
		}
	}
	file, c := stolen(t), theft(t, "bank", 2)
	file.Outcalls, file.Faults = []schedule.Outcall{{Status: 200}}, []schedule.Fault{{At: "op1", Kind: "other_answer", Answer: 2}}
	if _, err := c.OfFile(file, campaigntest.Named(c)); err == nil || !strings.Contains(err.Error(), "has answer 2: expected 1 to 1") {
		t.Errorf("an answer that is not there: %v", err)
	}
}

func TestTheTextOfAFindingIsOneSentence(t *testing.T) {
	f := &campaign.Finding{Violation: property.Violation{Text: "x does not hold: no query method 'x'..\nCheck the name.\n"}}
	if text := f.Explain(&harness.Setup{}); text != "x does not hold: no query method 'x'. Check the name.\n" {
		t.Errorf("the finding is told as %q", text)
	}
}

func TestAMessageBeforeItselfIsRefused(t *testing.T) {
	file, c := stolen(t), theft(t, "bank", 2)
	file.Deviations = []schedule.Deviation{{Run: "op1", Before: "op1"}}
	if _, err := c.OfFile(file, campaigntest.Named(c)); err == nil || !strings.Contains(err.Error(), "message op1 cannot come before itself") {
		t.Errorf("the error is %v", err)
	}
}
