package harness_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// scripted returns a setup with one message to the scriptable canister A: a program. Another program sets the tasks of
// A. B is scriptable, too.
func scripted(t testing.TB, tasks, program string) (*real.Stage, *harness.Setup) {
	t.Helper()
	s := real.NewStage(t, replica.Config{Engine: canistertest.SharedEngine(t)})
	module := canistertest.Variant{Heartbeat: strings.Contains(tasks, "heartbeat")}.Module()
	for _, name := range []string{"A", "B"} {
		s.Create(name, 0, real.Plenty)
		s.Install(name, real.Install, module, nil)
	}
	parse := func(text string) []byte {
		parsed, err := canistertest.Parse(text, s.Names)
		if err != nil {
			t.Fatal(err)
		}
		return parsed.Bytes()
	}
	if tasks != "" {
		s.Call("A", "run", parse(tasks+"; reply"))
	}
	in := s.Ingress(s.ID("A"), s.ID("A"), "run", parse(program))
	return s, &harness.Setup{Base: s.Network, Operations: []harness.Operation{{Title: "A.run", Message: *in}}}
}

// answered returns the answer to the first operation under a plan, and its finished FIFO run.
func answered(t *testing.T, setup *harness.Setup, plan harness.Plan) (answer string, r *harness.Run) {
	t.Helper()
	r = begin(t, setup, plan)
	fifo(t, r)
	if left := r.Unapplied(); len(left) > 0 {
		t.Errorf("not applied are %v", left)
	}
	a := r.Answers()[0]
	switch {
	case a.Reject != nil:
		return a.Reject.Text, r
	case len(a.Reply) == 8:
		return string('0' + rune(binary.LittleEndian.Uint64(a.Reply))), r
	}
	return string(a.Reply), r
}

const minute = `drop timer(add(time, 60_000_000_000)); on timer {set add(get, 1)}`

func TestTimePassesAndControllersActBetweenACallAndItsAnswer(t *testing.T) {
	for _, c := range []struct {
		tasks, program string
		fault          harness.Fault
		without, with  string
	}{
		{minute, `call B.run(reply "x") on-reply(reply get)`, harness.Fault{At: "op1", Kind: harness.PassTime}, "0", "1"},
		{
			`on heartbeat {set add(get, 1)}`, `set 0; call B.run(reply "x") on-reply(call B.run(reply "x") on-reply(reply get))`,
			harness.Fault{At: "op1/1.request", Kind: harness.PassTime},
			"1", "2",
		},
		{
			"", `call B.run(reply "x") on-reply(reply "in time") on-reject(reply "late") within 30`,
			harness.Fault{At: "op1", Kind: harness.PassTime},
			"in time", "late",
		},
		{
			"", `call B.run(reply "x") on-reply(call A.run(reply "running") on-reply(reply arg) on-reject(reply "stopped"))`,
			harness.Fault{At: "op1/1.reply", Kind: harness.Stop},
			"running", "stopped",
		},
		{"", `set 5; call B.run(reply "x") on-reply(reply get)`, harness.Fault{At: "op1/1.reply", Kind: harness.Upgrade}, "5", "did not reply to the call"},
	} {
		s, setup := scripted(t, c.tasks, c.program)
		setup.Upgrades = map[principal.Principal]harness.NextModule{s.ID("A"): {Module: canistertest.Variant{}.Module(), Arg: []byte{}}}
		if got, _ := answered(t, setup, nil); got != c.without {
			t.Errorf("%s without a fault is answered %s, want %s", c.program, got, c.without)
		}
		got, r := answered(t, setup, harness.Plan{c.fault})
		if !strings.Contains(got, c.with) {
			t.Errorf("%s with %v is answered %s, want %s", c.program, c.fault, got, c.with)
		}
		if probe := r.Probe(0, 100, 0); probe.Open || probe.Reject != nil {
			t.Errorf("after %v: %s", c.fault, probe)
		}
	}
}

func TestARunAtRestGoesOnAtTheNextTimerAsOftenAsItMay(t *testing.T) {
	program := `drop timer(add(time, 60_000_000_000)); on timer {set add(get, 1); drop timer(add(time, 60_000_000_000))}; reply get`
	_, setup := scripted(t, "", program)
	setup.Waits = 3
	_, r := answered(t, setup, nil)
	timers := 0
	for _, step := range r.Steps() {
		if strings.Contains(step.Move, ":timer") {
			timers++
			if step.Waited < 59_000_000_000 || step.Waited > 60_000_000_000 {
				t.Errorf("%s comes %d ns later", step.Move, step.Waited)
			}
		}
	}
	if timers != 3 {
		t.Errorf("the timer has fired %d times, want 3", timers)
	}
}

// TestAnAnswerIsKnownHoweverMuchTimePassesBehindIt tests answers that the network forgets after five minutes.
func TestAnAnswerIsKnownHoweverMuchTimePassesBehindIt(t *testing.T) {
	for _, minutes := range []int{2, 60} {
		again := fmt.Sprintf(`drop timer(add(time, %d_000_000_000))`, 60*minutes)
		_, setup := scripted(t, "", again+`; on timer {`+again+`}; reply "ok"`)
		setup.Waits = 8
		r := begin(t, setup, harness.Plan{{At: "op1", Kind: harness.PassTime}})
		fifo(t, r)
		f := r.Fork().(*harness.Run)
		defer f.Close()
		for _, r := range []*harness.Run{r, f} {
			if a := r.Answers()[0]; string(a.Reply) != "ok" || len(r.Steps()) != 10 {
				t.Errorf("%d minutes: %s after %d messages", minutes, a, len(r.Steps()))
			}
		}
	}
}

func TestARunThatIsOverStaysSo(t *testing.T) {
	const timer = `drop timer(add(time, 30_000_000_000)); on timer {set add(get, 1)}`
	for rounds := range 5 { // between the timers of A and B
		s, setup := scripted(t, timer, `reply`)
		for range rounds {
			s.Call("A", "run", nil)
		}
		program, err := canistertest.Parse(timer+"; reply", s.Names)
		if err != nil {
			t.Fatal(err)
		}
		s.Call("B", "run", program.Bytes())
		r := begin(t, setup, harness.Plan{{At: "op1", Kind: harness.PassTime}})
		fifo(t, r)
		f := r.Fork().(*harness.Run)
		defer f.Close()
		for range 10 {
			if left := len(r.Moves()) + len(f.Moves()); left > 0 {
				t.Fatalf("with %d rounds between the timers, %d messages are left of a run that was over", rounds, left)
			}
		}
	}
}

func TestAForkDoesNotKnowAnswersThatItsRunGetsLater(t *testing.T) {
	_, setup := scripted(t, "", `drop timer(add(time, 60_000_000_000)); on timer {set 1}; reply "ok"`)
	setup.Waits, setup.Operations = 2, append(setup.Operations, setup.Operations[0])
	r := begin(t, setup, harness.Plan{{At: "op1", Kind: harness.PassTime}})
	r.Moves()
	r.Take(0)
	f := r.Fork().(*harness.Run)
	defer f.Close()
	fifo(t, r)
	if own, other := r.Answers(), f.Answers(); own[1].Open || other[0].Open || !other[1].Open {
		t.Errorf("the answers are %v, and in the fork %v", own, other)
	}
}

func TestAnOperationThatIsSentTwiceIsExecutedTwice(t *testing.T) {
	_, setup := scripted(t, "", `set add(get, 1); reply get`)
	setup.Operations[0].Retried = true
	for _, c := range []struct {
		plan harness.Plan
		want byte
	}{{nil, 2}, {harness.Plan{{At: "op1", Kind: harness.SendTwice}}, 3}} {
		_, r := answered(t, setup, c.plan)
		if got := r.Probe(0, 100, 0).Reply[0]; got != c.want {
			t.Errorf("with the plan %v the next number is %d, want %d: %v", c.plan, got, c.want, order(r))
		}
	}
}

func TestAnHTTPOutcallHasTheAnswerThatThePlanSays(t *testing.T) {
	arg, err := candid.Marshal(struct {
		URL     string `ic:"url"`
		Method  method `ic:"method"`
		Headers []struct {
			Name  string `ic:"name"`
			Value string `ic:"value"`
		} `ic:"headers"`
	}{URL: "https://example.com/", Method: method{Get: new(candid.Null)}})
	if err != nil {
		t.Fatal(err)
	}
	program := `call management.http_request(0x` + hex.EncodeToString(arg) + `) cycles 100_000_000_000 on-reply(reply arg) on-reject(reply reject-message)`
	_, setup := scripted(t, "", program)
	setup.Outcalls = []replica.OutcallAnswer{{Status: 200, Body: []byte("the rate is 7")}, {Status: 200, Body: []byte("the rate is 0")}}
	for _, c := range []struct {
		plan harness.Plan
		want string
	}{{nil, "the rate is 7"}, {harness.Plan{{At: "op1/1.request", Kind: harness.OtherAnswer, Answer: 1}}, "the rate is 0"}} {
		got, r := answered(t, setup, c.plan)
		if !strings.Contains(got, c.want) {
			t.Errorf("with the plan %v the outcall is answered %q, want %q: %v", c.plan, got, c.want, order(r))
		}
	}
}

type method struct {
	Get *candid.Null `ic:"get,variant"`
}

func TestTheFaultsOfAMessageAreThoseThatItCanHave(t *testing.T) {
	s, setup := scripted(t, minute, `call B.run(reply "x") on-reply(reply "y") within 10`)
	setup.Operations[0].Retried = true
	setup.Upgrades = map[principal.Principal]harness.NextModule{s.ID("A"): {}}
	_, r := answered(t, setup, nil)
	want := map[string]string{
		"op1":           "send_twice no_calls fire_timer pass_time",
		"op1/1.request": "reject_transient reject_destination reject_error reject_canister unknown lost_answer pass_time",
		"op1/1.reply":   "trap_callback trap_cleanup stop upgrade fire_timer pass_time",
	}
	for i := range r.Steps() {
		step := r.Steps()[i]
		var kinds []string
		for _, f := range setup.Possible(step) {
			kinds = append(kinds, f.Kind.String())
		}
		if got := strings.Join(kinds, " "); got != want[step.Move] {
			t.Errorf("%s can have %s, want %s", step.Move, got, want[step.Move])
		}
	}
}
