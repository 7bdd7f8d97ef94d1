package control_test

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// programmed is a call of a scriptable canister.
func programmed(canister, program string) *controlv1.Call {
	return &controlv1.Call{CanisterId: canister, Method: "run", Argument: rawOf(string(canistertest.MustParse(program, map[string]principal.Principal{"management": principal.Management}).Bytes()))}
}

func TestAnInstanceWithAMessageInTheMiddleOfItsCodeGoesThroughAFile(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	id := a.installed(canistertest.Scriptable(), rawOf(""))
	sent := must(a, a.calls.Submit, &controlv1.SubmitRequest{Call: programmed(id, `set 7; spin 12_000_000; set add(get, time); reply get`)})
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 2})
	if n := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}).GetInstance().GetCensus().GetParkedMessages(); n != 1 {
		t.Fatalf("%d messages are parked", n)
	}
	file, err := a.export(&controlv1.ExportInstanceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if a.imported("an instance in the middle of a message", &controlv1.ImportOptions{Instance: "again", Pacing: manual}, file) == nil {
		t.Fatal("it is not imported")
	}
	var answers []string
	for _, name := range []string{"", "again"} {
		must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Instance: name, Rounds: 20})
		out := must(a, a.calls.Await, &controlv1.AwaitRequest{Instance: name, RequestId: sent.GetRequestId()})
		answers = append(answers, out.GetOutcome().String())
	}
	a.expect("the imported instance says", answers[1], answers[0])
	if d := must(a, a.instances.Diff, &controlv1.DiffRequest{Before: &controlv1.State{}, After: &controlv1.State{Instance: "again"}}).GetDifferences(); len(d) != 0 {
		t.Errorf("the two differ in %v", d)
	}
}

func TestForksWithSeedsOfTheirOwnDrawOtherwise(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	id := a.installed(canistertest.Scriptable(), rawOf(""))
	forks := map[string]string{"same": "", "one": "a text", "another": "a text", "two": "another text"}
	for name, seed := range forks {
		made := must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: name, Reseed: []byte(seed)}).GetInstance()
		if source := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{}).GetInstance(); string(made.GetRootKey()) != string(source.GetRootKey()) || string(made.GetSeed()) != string(source.GetSeed()) {
			t.Errorf("fork %q has other keys than its source", name)
		}
	}
	forks[""] = ""
	drawn := make(map[string]string)
	for name := range forks {
		out := must(a, a.calls.Update, &controlv1.UpdateRequest{Instance: name, Call: programmed(id, `call management.raw_rand("DIDL\00\00") on-reply(reply arg)`)})
		if drawn[name] = out.GetOutcome().GetReply().String(); len(drawn[name]) < 32 {
			t.Fatalf("%q draws %s", name, out)
		}
	}
	a.expect("a fork without a seed draws", drawn["same"], drawn[""])
	a.expect("a second fork with a seed draws", drawn["another"], drawn["one"])
	if drawn["one"] == drawn[""] || drawn["two"] == drawn[""] || drawn["two"] == drawn["one"] {
		t.Errorf("forks draw the same: %q", drawn)
	}
}
