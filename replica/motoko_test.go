package replica_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// actorStage is a network of Motoko actors compiled by moc, with 64-bit memories and
// tables and enhanced orthogonal persistence.
type actorStage struct {
	*real.Stage
	t *testing.T
}

func motokoStage(t *testing.T, config replica.Config) *actorStage {
	t.Helper()
	if config.Engine == nil {
		config.Engine = canistertest.SharedEngine(t)
	}
	return &actorStage{real.NewStage(t, config), t}
}

// code is the module of an actor.
func (s *actorStage) code(actor string) []byte {
	s.t.Helper()
	folder := filepath.Join("..", "test", "canistertest", "fixtures")
	switch actor {
	case "greeter", "relay":
		folder = filepath.Join("..", "examples", "motoko")
	case "purse":
		folder = filepath.Join(folder, "cycles")
	}
	module, err := os.ReadFile(filepath.Join(folder, actor+".wasm"))
	if err != nil {
		s.t.Fatal(err)
	}
	return module
}

// actor creates a canister of the actor's name on a subnet and installs the actor.
func (s *actorStage) actor(name string, subnet int) {
	s.t.Helper()
	s.Create(name, subnet, real.Plenty)
	s.expect("install "+name, s.install(name, real.Install), "()")
}

func (s *actorStage) install(name string, mode real.Mode) string {
	s.t.Helper()
	return s.told(s.Install(name, mode, s.code(name), s.Args("()")))
}

// told is an answer with its reply in Candid text.
func (s *actorStage) told(a real.Answer) string {
	s.t.Helper()
	if a.Status != "replied" {
		return a.String()
	}
	return s.text(a.Reply)
}

func (s *actorStage) text(reply []byte) string {
	s.t.Helper()
	values, _, err := candid.Decode(reply)
	if err != nil {
		s.t.Fatalf("decode %x: %v", reply, err)
	}
	return candid.FormatArgs(values)
}

// call calls a method with Candid text and waits for the answer; $NAME stands for
// the id of an actor.
func (s *actorStage) call(name, method, args string) string {
	s.t.Helper()
	return s.told(s.Call(name, method, s.args(args)))
}

func (s *actorStage) args(text string) []byte {
	s.t.Helper()
	for name, id := range s.Names {
		text = strings.ReplaceAll(text, "$"+name, id.String())
	}
	return s.Args(text)
}

// submit hands a call in and gives its id.
func (s *actorStage) submit(name, method, args string) replica.RequestID {
	s.t.Helper()
	id, refused := s.Submit(name, method, s.args(args))
	if refused != "" {
		s.t.Fatalf("%s.%s: %s", name, method, refused)
	}
	return id
}

func (s *actorStage) query(name, method string) string {
	s.t.Helper()
	r := s.Query(name, method, s.Args("()"))
	if r.Reject != nil || r.Refusal != nil {
		s.t.Fatalf("%s.%s: %v %v", name, method, r.Reject, r.Refusal)
	}
	return s.text(r.Reply)
}

func (s *actorStage) expect(what, got, want string) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// rest runs rounds until nothing is left to do.
func (s *actorStage) rest() {
	s.t.Helper()
	for i := 0; s.Activity().HasDueWork; i++ {
		if i == 1000 {
			s.t.Fatal("the network does not come to rest")
		}
		s.Round()
	}
	if c := s.Census(); c.Contexts != 0 || c.Futures != 0 || c.Waiting != 0 || c.Parked != 0 {
		s.t.Errorf("something is left: %+v", c)
	}
}

// A one-way function of Motoko replies before its body runs.
func TestAOneWayFunctionOfMotokoHasTheCyclesOfItsCallAndWhatItLeavesIsRefunded(t *testing.T) {
	s := motokoStage(t, replica.Config{})
	s.actor("purse", 0)
	s.expect("give", s.call("purse", "give", `("$purse")`), "()")
	s.rest()
	var printed []string
	log := &s.Canister(s.ID("purse")).Logs
	for i := range log.Len() {
		printed = append(printed, string(log.At(i).Content))
	}
	s.expect("printed", strings.Join(printed, " "), "3_456 2_456")
	s.expect("count", s.query("purse", "count"), "(1_000 : nat)")
	if money := s.Introspect().AuditCycles(); money.Held().Add(money.Spent()) != money.Minted {
		t.Errorf("the books do not balance: %+v", money)
	}
}

func TestAMotokoActorKeepsItsStateOverAnUpgradeThatSaysSo(t *testing.T) {
	s := motokoStage(t, replica.Config{})
	s.actor("counter", 0)
	s.actor("ledger", 0)
	for i := range 3 {
		s.expect("inc", s.call("counter", "inc", "()"), fmt.Sprintf("(%d : nat)", i+1))
		s.expect("record", s.call("ledger", "record", fmt.Sprintf(`(%d : nat, "note %d")`, 100*i, i)), fmt.Sprintf("(%d : nat)", i+1))
	}
	s.expect("upgrade counter", s.install("counter", real.UpgradeKeep), "()")
	s.expect("upgrade ledger", s.install("ledger", real.UpgradeKeep), "()")
	s.expect("counter", s.query("counter", "get"), "(3 : nat)")
	s.expect("ledger", s.query("ledger", "total"), "(300 : nat)")
	// The labels are the hashes of from, note and amount.
	want := fmt.Sprintf(`(opt record { 1_136_829_802 = principal "%s"; 1_225_398_258 = "note 2"; 3_573_748_184 = 200 : nat })`, s.User)
	s.expect("entry", s.call("ledger", "entry", "(2 : nat)"), want)
	s.expect("inc", s.call("counter", "inc", "()"), "(4 : nat)")
}

func TestAMotokoActorHasA64BitMemoryAndKeepsItsHeap(t *testing.T) {
	s := motokoStage(t, replica.Config{})
	s.actor("counter", 0)
	module := s.Canister(s.ID("counter")).Module()
	if !module.Memory64() {
		t.Error("the memory is not a 64-bit one")
	}
	if section, ok := module.Section("enhanced-orthogonal-persistence"); !ok || section.Public {
		t.Errorf("the section of enhanced orthogonal persistence: %+v, %t", section, ok)
	}
}

func TestAnUpgradeOfAMotokoActorThatSaysNothingOfItsHeapIsRefused(t *testing.T) {
	s := motokoStage(t, replica.Config{})
	s.actor("counter", 0)
	s.call("counter", "inc", "()")
	version := s.Canister(s.ID("counter")).Version
	s.expect("upgrade", s.install("counter", real.Upgrade),
		"rejected 5 IC0504: Missing upgrade option: Enhanced orthogonal persistence requires the `wasm_memory_persistence` upgrade option.")
	if now := s.Canister(s.ID("counter")).Version; now != version {
		t.Errorf("the version went from %d to %d", version, now)
	}
	s.expect("counter", s.query("counter", "get"), "(1 : nat)")
	s.expect("upgrade", s.install("counter", real.UpgradeReplace), "()")
	s.expect("counter", s.query("counter", "get"), "(0 : nat)")
	s.call("counter", "inc", "()")
	s.expect("reinstall", s.install("counter", real.Reinstall), "()")
	s.expect("counter", s.query("counter", "get"), "(0 : nat)")
}

func TestAMotokoActorCallsAnotherInOneRound(t *testing.T) {
	s := motokoStage(t, replica.Config{})
	for _, name := range []string{"counter", "caller", "greeter", "relay"} {
		s.actor(name, 0)
	}
	height := s.View().Height
	s.expect("bump", s.call("caller", "bump", `("$counter")`), "(1 : nat)")
	s.expect("pass", s.call("relay", "pass", `("$greeter", "world")`), `("the greeter says: Hello, world!")`)
	if rounds := s.View().Height - height; rounds != 2 {
		t.Errorf("two calls took %d rounds", rounds)
	}
	s.expect("caller", s.query("caller", "seen"), "(1 : nat, 1 : nat)")
	s.expect("greeter", s.query("greeter", "count"), "(1 : nat)")
	s.expect("relay", s.query("relay", "count"), "(1 : nat)")
}

// helped is a reject of an actor that trapped, as its caller reads it.
func (s *actorStage) helped(name, trap, trace string) string {
	return "Error from Canister " + s.ID(name).String() + ": Canister called `ic0.trap` with message: '" + trap + "'" + trace +
		".\nConsider gracefully handling failures from this canister or altering the canister to handle exceptions. " +
		"See documentation: https://internetcomputer.org/docs/current/references/execution-errors#trapped-explicitly"
}

func TestAMotokoTrapAfterAnAwaitKeepsWhatWasDoneBeforeIt(t *testing.T) {
	s := motokoStage(t, replica.Config{})
	s.actor("counter", 0)
	s.actor("caller", 0)
	s.expect("a trap after an await", s.call("caller", "trapAfterAwait", `("$counter")`), "rejected 5 IC0503: "+s.helped("caller", "after the await",
		"\nCanister Backtrace:\nic_trap\n$k/15\n@anon-func-338.15\nfulfill\n$lambda\n@callback<(N)>\nunknown function at index 691\n"))
	s.expect("before and after", s.query("caller", "seen"), "(10 : nat, 0 : nat)")
	s.expect("the callee", s.query("counter", "get"), "(1 : nat)")
	s.expect("a trap at once", s.call("caller", "trapAtOnce", `()`),
		"rejected 5 IC0503: "+s.helped("caller", "at once", "\nCanister Backtrace:\nic_trap\n$lambda\ntrapAtOnce\n"))
	s.expect("before and after", s.query("caller", "seen"), "(10 : nat, 0 : nat)")
	s.rest()
}

func TestAMotokoActorCatchesWhatBecameOfItsCalls(t *testing.T) {
	s := motokoStage(t, replica.Config{})
	for _, name := range []string{"caller", "counter", "clock"} {
		s.actor(name, 0)
	}
	s.Create("empty", 0, real.Plenty)
	s.expect("stop", s.told(s.Manage("clock", "stop_canister", s.About("clock", ""))), "()")
	const documentation = " See documentation: https://internetcomputer.org/docs/current/references/execution-errors#"
	for _, test := range []struct{ callee, want string }{
		{"$caller", "IC0503: " + s.helped("caller", "at once", "")},
		{"$counter", "IC0536: Error from Canister $counter: Canister has no update method 'trapAtOnce'..\n" +
			"Check that the method being called is exported by the target canister." + documentation + "method-not-found"},
		{"$empty", "IC0537: Error from Canister $empty: Attempted to execute a message, but the canister contains no Wasm module..\n" +
			"Please install code to this canister before calling it." + documentation + "wasm-module-not-found"},
		{"$clock", "Canister $clock is stopped"},
		{"aaaaa-aa", "IC0536: Management canister has no method 'trapAtOnce'"},
	} {
		want := fmt.Sprintf("(%q)", test.want)
		for name, id := range s.Names {
			want = strings.ReplaceAll(want, "$"+name, id.String())
		}
		s.expect("of "+test.callee, s.call("caller", "catchReject", fmt.Sprintf("(%q)", test.callee)), want)
	}
	s.expect("before and after", s.query("caller", "seen"), "(0 : nat, 0 : nat)")
	s.rest()
}

// at moves time and gives one round.
func (s *actorStage) at(ns uint64) {
	s.Apply(replica.AdvanceTo(ns))
	s.Round()
}

func TestAMotokoTimerThatRecursFiresAsOftenAsTimeSays(t *testing.T) {
	const hour, weeks = 3600 * second, 4
	s := motokoStage(t, replica.Config{})
	s.actor("clock", 0)
	s.call("clock", "start", fmt.Sprintf("(%d : nat64)", uint64(hour)))
	started := s.View().Time
	for _, step := range []struct {
		at   uint64 // since the start
		want int
	}{{hour - 1, 0}, {hour, 1}, {hour + 1, 1}, {2*hour - 1, 1}, {2 * hour, 2}, {2*hour + hour/2, 2}, {3 * hour, 3}} {
		s.at(started + step.at)
		s.expect(fmt.Sprintf("ticks after %d ns", step.at), s.query("clock", "count"), fmt.Sprintf("(%d : nat)", step.want))
	}
	for at := started + 4*hour; at <= started+weeks*7*24*hour; at += hour {
		s.at(at)
	}
	s.expect("ticks after four weeks", s.query("clock", "count"), fmt.Sprintf("(%d : nat)", weeks*7*24))
	// Motoko drops the ticks that a jump of the clock has passed over.
	s.at(started + 2*weeks*7*24*hour)
	s.Round()
	s.expect("ticks after a jump", s.query("clock", "count"), fmt.Sprintf("(%d : nat)", weeks*7*24+1))
	s.call("clock", "stop", "()")
	for range 3 {
		s.at(s.View().Time + 2*hour)
	}
	s.expect("ticks of a stopped clock", s.query("clock", "count"), fmt.Sprintf("(%d : nat)", weeks*7*24+1))
	s.rest()
}

func TestAMotokoActorBeatsOnceInEachRound(t *testing.T) {
	s := motokoStage(t, replica.Config{})
	s.actor("heart", 0)
	for i := range 10 {
		s.expect("heartbeats", s.query("heart", "count"), fmt.Sprintf("(%d : nat)", i))
		s.Round()
	}
	s.Manage("heart", "stop_canister", s.About("heart", ""))
	for range 5 {
		s.Round()
	}
	s.Manage("heart", "start_canister", s.About("heart", ""))
	// The stop comes before the heartbeat in its round, and so does the start.
	s.expect("heartbeats", s.query("heart", "count"), "(10 : nat)")
	s.Round()
	s.expect("heartbeats", s.query("heart", "count"), "(11 : nat)")
}

// abroad is a stage with the caller on one subnet and the counter on another, so that
// rounds pass between a call and its answer.
func abroad(t *testing.T) *actorStage {
	s := motokoStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Nodes: 13}, {Nodes: 13}}})
	s.actor("caller", 0)
	s.actor("counter", 1)
	return s
}

func TestAMotokoActorThatStopsAnswersTheCallsThatAreOpen(t *testing.T) {
	s := abroad(t)
	call := s.submit("caller", "bump", `("$counter")`)
	s.Round()
	stop, refused := s.SubmitManagement("caller", "stop_canister", s.About("caller", ""))
	s.Round()
	s.expect("the stop", refused+s.Answer(stop).Status, "processing")
	s.expect("the call", s.Answer(call).Status, "processing")
	s.expect("the call", s.told(s.Await(call)), "(1 : nat)")
	s.expect("the stop", s.told(s.Await(stop)), "()")
	s.expect("a stopped actor", s.call("caller", "trapAtOnce", "()"),
		"not accepted: CANISTER_ERROR (IC0508): Canister "+s.ID("caller").String()+" is stopped")
	s.expect("start", s.told(s.Manage("caller", "start_canister", s.About("caller", ""))), "()")
	s.expect("before and after", s.query("caller", "seen"), "(1 : nat, 1 : nat)")
	s.rest()
}

func TestAMotokoActorRefusesAnUpgradeWhileItsCallsAreOpen(t *testing.T) {
	s := abroad(t)
	call := s.submit("caller", "bump", `("$counter")`)
	s.Round()
	s.expect("the upgrade", s.install("caller", real.UpgradeKeep), "rejected 5 IC0503: "+s.helped("caller",
		"canister_pre_upgrade attempted with outstanding message callbacks (try stopping the canister before upgrade)",
		"\nCanister Backtrace:\nic_trap\npre_upgrade\n"))
	s.expect("the call", s.told(s.Await(call)), "(1 : nat)")
	s.expect("before and after", s.query("caller", "seen"), "(1 : nat, 1 : nat)")
	s.expect("the upgrade", s.install("caller", real.UpgradeKeep), "()")
	s.expect("before and after", s.query("caller", "seen"), "(1 : nat, 1 : nat)")
	s.expect("another call", s.call("caller", "bump", `("$counter")`), "(2 : nat)")
	s.rest()
}

func TestCallbacksOfAReinstalledMotokoActorFindNothingToContinue(t *testing.T) {
	s := abroad(t)
	call := s.submit("caller", "bump", `("$counter")`)
	s.Round()
	s.expect("reinstall", s.install("caller", real.Reinstall), "()")
	const trap = "RTS error: recall_continuation: Continuation table not allocated"
	answer := s.Await(call)
	if !strings.HasPrefix(answer.String(), "rejected 5 IC0503: Error from Canister "+s.ID("caller").String()+": Canister called `ic0.trap` with message: '"+trap) ||
		!strings.Contains(answer.Text, "\n\ncall_on_cleanup also failed:\n\nCanister called `ic0.trap` with message: '"+trap) {
		t.Errorf("the call: %s", answer)
	}
	s.expect("before and after", s.query("caller", "seen"), "(0 : nat, 0 : nat)")
	s.expect("the callee", s.query("counter", "get"), "(1 : nat)")
	s.expect("another call", s.call("caller", "bump", `("$counter")`), "(2 : nat)")
	s.rest()
}

func TestOpenCallsOfAnUninstalledMotokoActorAreRejected(t *testing.T) {
	s := abroad(t)
	call := s.submit("caller", "bump", `("$counter")`)
	s.Round()
	s.expect("uninstall", s.told(s.Manage("caller", "uninstall_code", s.About("caller", ""))), "()")
	s.expect("the call", s.Await(call).String(), "rejected 4 IC0406: Canister has been uninstalled.")
	s.expect("install", s.install("caller", real.Install), "()")
	s.rest()
	s.expect("before and after", s.query("caller", "seen"), "(0 : nat, 0 : nat)")
	s.expect("the callee", s.query("counter", "get"), "(1 : nat)")
}
