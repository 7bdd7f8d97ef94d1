package campaign_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/campaigntest"
	"github.com/canisterd/canisterd/test/canistertest"
)

// scripted returns an exploration of two messages to the scriptable canister A, each with a program. B is scriptable,
// too.
func scripted(t *testing.T, program string) *campaign.Config {
	t.Helper()
	return scriptedModule(t, canistertest.Variant{}.Module(), program)
}

// scriptedModule is scripted with another module of scriptable canisters.
func scriptedModule(t *testing.T, module []byte, program string) *campaign.Config {
	t.Helper()
	s := real.NewStage(t, replica.Config{Engine: canistertest.SharedEngine(t)})
	for _, name := range []string{"A", "B"} {
		s.Create(name, 0, real.Plenty)
		s.Install(name, real.Install, module, nil)
	}
	parsed, err := canistertest.Parse(program, s.Names)
	if err != nil {
		t.Fatal(err)
	}
	operation := harness.Operation{Title: "A.run", Message: *s.Ingress(s.ID("A"), s.ID("A"), "run", parsed.Bytes())}
	c := &campaign.Config{Seed: 1, Workers: 2, Faults: 1, Runs: 500}
	c.Setup = harness.Setup{Base: s.Network, Operations: []harness.Operation{operation, operation}}
	c.Untrusted = func(id principal.Principal) bool { return id == s.ID("B") }
	return c
}

func TestWhatHoldsForAllCanistersIsChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		program string
		kinds   []harness.FaultKind
		want    []string
	}{
		"nothing is wrong": {
			program: `if get {trap "busy"}; set 1; call B.run(reply "x") on-reply(set 0; reply "ok") on-reject(set 0; reply "no")`,
			kinds:   []harness.FaultKind{harness.RejectTransient, harness.RejectError},
		},
		"a lock stays after a reject": {
			program: `if get {trap "busy"}; set 1; call B.run(reply "x") on-reply(set 0; reply "ok") on-reject(reply "no")`,
			kinds:   []harness.FaultKind{harness.RejectTransient},
			want:    []string{"lost-service"},
		},
		"a lock stays after a trap": {
			program: `if get {trap "busy"}; set 1; call B.run(reply "x") on-reply(set 0; reply "ok") on-reject(set 0; reply "no")`,
			kinds:   []harness.FaultKind{harness.TrapCallback},
			want:    []string{"lost-service"},
		},
		"a cleanup releases the lock, unless it traps too": {
			program: `if get {trap "busy"}; set 1; call B.run(reply "x") on-reply(set 0; reply "ok") on-reject(set 0; reply "no") on-cleanup(set 0)`,
			kinds:   []harness.FaultKind{harness.TrapCallback},
		},
		"a cleanup that traps": {
			program: `if get {trap "busy"}; set 1; call B.run(reply "x") on-reply(set 0; reply "ok") on-reject(set 0; reply "no") on-cleanup(set 0)`,
			kinds:   []harness.FaultKind{harness.TrapCleanup},
			want:    []string{"lost-service"},
		},
		"a callback traps after a change": {
			program: `set add(get, 1); call B.run(reply "x") on-reply(trap "full") on-reject(reply "no")`,
			kinds:   []harness.FaultKind{harness.RejectError},
			want:    []string{"trap-after-await"},
		},
		"a callee is silent": {
			program: `call B.run(reply "x") on-reply(reply "ok") on-reject(reply "no")`,
			kinds:   []harness.FaultKind{harness.Silent},
			want:    []string{"open-at-rest"},
		},
		"a call to a silent callee has a deadline": {
			program: `call B.run(reply "x") on-reply(reply "ok") on-reject(reply "no") within 10`,
			kinds:   []harness.FaultKind{harness.Silent},
		},
		"a timer fires between a message and the answer to its call": {
			program: `drop timer(add(time, 1_000_000_000_000)); on timer {set add(get, 1)}; call B.run(reply "x") on-reply(if get {trap "changed"}; reply "ok") on-reject(reply "no")`,
			kinds:   []harness.FaultKind{harness.FireTimer},
			want:    []string{"trap-after-await", "lost-service"},
		},
		"the code after an await does not answer": {
			program: `call B.run(reply "x") on-reply(reply "ok") on-reject(set 0)`,
			kinds:   []harness.FaultKind{harness.RejectTransient},
			want:    []string{"never-resumes"},
		},
		"a call that cannot be made keeps the lock": {
			program: `if get {trap "busy"}; set 1; call B.run(reply "x") on-reply(set 0; reply "ok") on-reject(set 0; reply "no") not-sent(reply "queue full")`,
			kinds:   []harness.FaultKind{harness.NoCalls},
			want:    []string{"lost-service"},
		},
	} {
		config := scripted(t, c.program)
		config.Kinds = c.kinds
		r := run(t, config)
		var found []string
		for _, f := range r.Violations() {
			found = append(found, f.Property)
			if len(f.Schedule.Plan) > 1 || len(f.Schedule.Operations) != 1 {
				t.Errorf("%s is not told by one operation and one fault: %s", name, f.Explain(&config.Setup))
			}
		}
		if !slices.Equal(found, c.want) || !r.Exhausted || !r.ExhaustedFaults {
			t.Errorf("%s: found are %v, want %v\n%s", name, found, c.want, campaigntest.Text(config, r))
		}
	}
}

func TestAReplyThatNoSerialRunGivesHasNamesOfTheInterface(t *testing.T) {
	t.Parallel()
	const (
		name, content = "icp:public candid:service", "service : {run: () -> (variant {ok; err})}"
		ok, refused   = "0x4449444c016b019cc2017f010000", "0x4449444c016b01e58eb4027f010000" // variant {ok}, variant {err}
		program       = `if get {reply ` + refused + `}; if less(get, 1) {set 1; call B.run(reply "x") on-reply(set 0; reply ` + ok + `) on-reject(reply ` + ok + `)}`
	)
	section := append([]byte{0, byte(1 + len(name) + len(content)), byte(len(name))}, name+content...)
	config := scriptedModule(t, slices.Concat(canistertest.Variant{}.Module(), section), program)
	config.Kinds = []harness.FaultKind{harness.RejectTransient}
	const want = "A.run replies (variant { err }) after this run, but after no serial run"
	r := run(t, config)
	if text := campaigntest.Text(config, r); !strings.Contains(text, want) {
		t.Errorf("it does not say %q:\n%s", want, text)
	}
}

func TestCanistersThatGiveAwayMoreCyclesThanAfterSerialOrdersAreFound(t *testing.T) {
	t.Parallel()
	const pay = `call B.run(drop accept(1_000); reply "x") cycles 5_000 on-reply(set 1; reply "paid") on-reject(reply "no")`
	for name, c := range map[string]struct {
		program string
		kinds   []harness.FaultKind
		want    []string // "?" after suspicions
		says    string
	}{
		"each operation pays": {program: pay},
		"it is paid once if the operations do not overlap": {
			program: `if get {trap "paid already"}; ` + pay,
			want:    []string{"lost-cycles+"}, says: "A gives away 2_000 cycles, and after serial orders of the operations at most 1_000",
		},
		"it is paid once": {
			program: `if get {trap "paid already"}; set 1; ` + pay,
		},
		"a lock refuses the second operation, which pays in serial orders": {
			program: `if get {trap "busy"}; set 1; call B.run(drop accept(1_000); reply "x") cycles 5_000 on-reply(set 0; reply "paid") on-reject(set 0; reply "no")`,
			want:    []string{"serializable?"},
		},
		"one call pays, the next pays back": {
			program: `call B.run(drop accept(1_000); reply "x") cycles 5_000 on-reply(call B.run(call A.run(drop accept(1_000); reply) cycles 1_000 on-reply(reply) on-reject(reply)) on-reply(reply "even") on-reject(reply "no")) on-reject(reply "no")`,
			kinds:   []harness.FaultKind{harness.RejectTransient},
			want:    []string{"lost-cycles?"}, says: "A gives away 1_000 cycles, and after serial orders of the operations at most none",
		},
		"cycles are burned once if the operations do not overlap": {
			program: `if get {trap "burned already"}; call B.run(reply) on-reply(drop burn(700); set 1; reply "burned") on-reject(reply "no")`,
			want:    []string{"lost-cycles+"}, says: "A gives away 1_400 cycles, and after serial orders of the operations at most 700",
		},
	} {
		config := scripted(t, c.program)
		config.Kinds, config.Setup.Name = c.kinds, nameOf(&config.Setup)
		config.Faults = len(c.kinds)
		r := run(t, config)
		var found []string
		for _, f := range r.Findings {
			title := f.Property + strings.Repeat("+", len(f.Also)) // suspicions about the same run
			if f.Suspicion {
				title += "?"
			}
			found = append(found, title)
		}
		slices.Sort(found)
		if !slices.Equal(found, c.want) || !strings.Contains(campaigntest.Text(config, r), c.says) {
			t.Errorf("%s: found are %v, want %v and %q\n%s", name, found, c.want, c.says, campaigntest.Text(config, r))
		}
	}
}

// nameOf returns the name of the canister of the first operation.
func nameOf(setup *harness.Setup) func(principal.Principal) string {
	return func(id principal.Principal) string {
		if id == setup.Operations[0].Message.Receiver {
			return "A"
		}
		return ""
	}
}

func TestACampaignWhoseOperationsOnlyFailIsAFinding(t *testing.T) {
	c := scripted(t, `trap "broken"`)
	r := run(t, c)
	if found := r.Violations(); len(found) != 1 || found[0].Property != campaign.NeverReplies {
		t.Errorf("the findings are\n%s", campaigntest.Text(c, r))
	}
	if count := r.Operations[0]; count.Trapped != r.Runs || count.Rejected != 0 {
		t.Errorf("the answers are counted as %+v", count)
	}
	c = scripted(t, `if get {trap "once"}; set 1; reply "ok"`)
	if r := run(t, c); len(r.Violations()) != 0 || r.Operations[1].Replied == 0 {
		t.Errorf("the findings are\n%s", campaigntest.Text(c, r))
	}
}

func TestALockThatExpiresIsASuspicionAndOneThatDoesNotAFinding(t *testing.T) {
	t.Parallel()
	const locked = `set time; call B.run(reply "x") on-reply(set 0; reply "ok") on-reject(reply "no")`
	for program, want := range map[string]string{
		`if get {trap "busy"}; ` + locked:                                                          "and does not work a day later",
		`if less(time, add(get, 72_000_000_000_000)) {trap "busy"}; ` + locked:                     "and works a day later",
		`if less(time, add(get, 172_800_000_000_000)) {trap "busy"}; ` + locked:                    "and does not work a day later",
		`if get {trap "busy"}; drop timer(add(time, 60_000_000_000)); on timer {set 0}; ` + locked: "and works a day later",
	} {
		c := scripted(t, program)
		c.Kinds, c.Setup.Operations = []harness.FaultKind{harness.RejectError}, c.Setup.Operations[:1]
		r := run(t, c)
		if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Text, want) || r.Findings[0].Suspicion != strings.Contains(want, "and works") {
			t.Errorf("%s: want %q, found\n%s", program, want, campaigntest.Text(c, r))
		}
	}
}

// The callback of the second call answers only if the cleanup of the first one has told it that its callback has trapped.
func TestAnAnswerThatIsMissingAfterACleanupHasTrappedIsASuspicion(t *testing.T) {
	t.Parallel()
	for kind, suspicion := range map[harness.FaultKind]bool{harness.TrapCallback: false, harness.TrapCleanup: true} {
		c := scripted(t, `call B.run(reply "x") on-reply(reply "ok") on-reject(reply "no"); call B.run(reply "y") on-reply(set 1) on-reject(set 1)`)
		c.Kinds, c.Setup.Operations = []harness.FaultKind{kind}, c.Setup.Operations[:1]
		r := run(t, c)
		if len(r.Findings) != 1 || r.Findings[0].Property != "never-resumes" || r.Findings[0].Suspicion != suspicion {
			t.Errorf("under %s:\n%s", kind, campaigntest.Text(c, r))
		}
	}
}

// The timer of A is set again by the callback of a call.
func TestATimerThatIsNotSetAgainIsASuspicion(t *testing.T) {
	t.Parallel()
	const again = `drop timer(add(time, 60_000_000_000))`
	for onReject, want := range map[string]string{again: "", "set 1": "lost-timer"} {
		c := scripted(t, again+`; on timer {call B.run(reply) on-reply(`+again+`) on-reject(`+onReject+`)}; reply "ok"`)
		c.Kinds, c.Setup.Operations = []harness.FaultKind{harness.RejectTransient}, c.Setup.Operations[:1]
		c.Setup.Waits = campaign.DefaultWaits
		r := run(t, c)
		found := ""
		for _, f := range r.Findings {
			found += f.Property
			if !f.Suspicion || len(f.Schedule.Plan) != 1 {
				t.Errorf("%s: it is no suspicion with one fault:\n%s", onReject, campaigntest.Text(c, r))
			}
		}
		if found != want {
			t.Errorf("%s: found is %q, want %q\n%s", onReject, found, want, campaigntest.Text(c, r))
		}
	}
}

func TestARunThatGoesOnForEverIsASuspicion(t *testing.T) {
	t.Parallel()
	c := long(t, 1_000_000)
	c.NoBuiltin, c.Runs = false, 3
	r := run(t, c)
	if len(r.Findings) != 2 || r.Findings[0].Property != "never-rests" || !r.Findings[0].Suspicion || len(r.Findings[0].Steps) != 50 {
		t.Fatalf("the findings are\n%s", campaigntest.Text(c, r))
	}
	again, err := campaign.Replay(c, &r.Findings[0].Schedule)
	if err != nil || !again.Violates("never-rests") {
		t.Errorf("the replay shows %v, %v", again.Violations, err)
	}
	if f, err := again.Finding(&r.Findings[0].Schedule, "never-rests"); err != nil || len(f.Steps) != 50 || f.Outcome != campaign.StillFails {
		t.Errorf("the replay has %d messages, %v", len(f.Steps), err)
	}
}

// TestNotAllOrdersAreClaimedWhereARunWithAFaultGoesOnForEver tests a method that ends unless its call is rejected.
func TestNotAllOrdersAreClaimedWhereARunWithAFaultGoesOnForEver(t *testing.T) {
	t.Parallel()
	c := scripted(t, `call B.run(reply) on-reply(reply "ok") on-reject(on timer {drop timer(1)}; drop timer(1); reply "no")`)
	c.Kinds, c.Setup.Operations = []harness.FaultKind{harness.RejectError}, c.Setup.Operations[:1]
	c.Runs = 20
	r := run(t, c)
	if !r.Exhausted || r.ExhaustedFaults || r.Unfinished == 0 || len(r.Findings) != 1 || r.Findings[0].Property != "never-rests" {
		t.Errorf("all orders were run: %t, with a fault: %t; %d did not come to rest\n%s", r.Exhausted, r.ExhaustedFaults, r.Unfinished, campaigntest.Text(c, r))
	}
}

func TestAnOperationThatIsAnsweredBeforeAnHourPassesIsAnswered(t *testing.T) {
	c := scripted(t, `drop timer(add(time, 3_600_000_000_000)); on timer {drop timer(add(time, 3_600_000_000_000))}; reply "ok"`)
	c.Setup.Waits = campaign.DefaultWaits // a message that waits while an hour passes is rejected
	r := run(t, c)
	if count := r.Operations[0]; len(r.Findings) != 0 || count.Open != 0 || count.Replied+count.Rejected != r.Runs {
		t.Errorf("%+v of %d runs, and the findings are\n%s", count, r.Runs, campaigntest.Text(c, r))
	}
}

// A method takes a lock, and only a timer releases it.
func TestATimerMayRepairWhatMustHoldEventually(t *testing.T) {
	released := func(r *harness.Run) error {
		if !slices.ContainsFunc(r.Steps(), func(s *harness.Step) bool { return s.Waited > 0 }) {
			return errors.New("it is held")
		}
		return nil
	}
	for when, repaired := range map[property.When]bool{property.AtRest: false, property.EachMessage: false, property.Eventually: true} {
		c := scripted(t, `drop timer(add(time, 60_000_000_000)); on timer {set 0}; set 1; reply "ok"`)
		c.NoBuiltin, c.Faults, c.Setup.Operations = true, 0, c.Setup.Operations[:1]
		c.Properties = []property.Property{&property.Func{Title: "the lock is free", When: when, Holds: released}}
		c.Setup.Waits = campaign.DefaultWaits
		if r := run(t, c); (len(r.Findings) == 0) != repaired {
			t.Errorf("checked at %d: %s", when, campaigntest.Text(c, r))
		}
		c.Setup.Waits = 0 // no timer releases it
		if r := run(t, c); len(r.Findings) == 0 {
			t.Errorf("checked at %d, without waits, nothing was found", when)
		}
	}
}
