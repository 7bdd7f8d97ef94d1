package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// keptCounter is a daemon with a state directory and manual pacing, a project with a counter, and commands to the
// daemon whose exit code and output are expected.
func keptCounter(t *testing.T) (d *daemon.Daemon, expect func(code int, want string, args ...string)) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("counter.wasm", canistertest.Fixture("counter"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("canisterd.yaml", []byte("canisters:\n  counter: {wasm: counter.wasm}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return startKept(t, keptState)
}

// keptState is the state directory of keptCounter, in the folder of the test.
const keptState = "state"

// startKept starts a daemon with a state directory; expect runs commands against it.
func startKept(t *testing.T, dir string) (d *daemon.Daemon, expect func(code int, want string, args ...string)) {
	t.Helper()
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), StateDir: dir, Pacing: daemon.Manual})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d, func(code int, want string, args ...string) {
		t.Helper()
		if got, text := runOn(t, d, args...); got != code || !strings.Contains(text, want) {
			t.Errorf("canisterd %s: exit code %d, want %d and %q:\n%s", strings.Join(args, " "), got, code, want, text)
		}
	}
}

// runOn runs a command against a daemon, and returns its exit code with all that it prints.
func runOn(t *testing.T, d *daemon.Daemon, args ...string) (code int, text string) {
	t.Helper()
	var out, errOut bytes.Buffer
	code = run(t.Context(), append([]string{"--url", d.URL()}, args...), &out, &errOut)
	return code, out.String() + errOut.String()
}

func TestTheRoundThatChangedAnAnswerIsFoundInTheHistory(t *testing.T) {
	d, expect := keptCounter(t)
	expect(exitOK, "installed", "deploy")
	last := d.Driver().View().Height
	round := func(n uint64) string { return fmt.Sprint(n) }
	expect(exitOK, "(1 : nat)", "canister", "call", "counter", "inc")
	expect(exitOK, "install_code", "instance", "history")
	expect(exitOK, `"kind":"ingress"`, "instance", "history", "--json")
	expect(exitReject, "IC0503", "canister", "call", "counter", "inc", "--hex", "00") // is not Candid: the code traps
	expect(exitOK, "trap", "instance", "history")
	expect(exitOK, `"error_code":"IC0503","text":"Error from Canister`, "instance", "history", "--json")
	expect(exitOK, "round   "+round(last+1), "instance", "bisect", "counter", "inc", "--update", "--is", "(2 : nat)")
	expect(exitOK, `"before":"(1 : nat)","after":"(2 : nat)"`, "instance", "bisect", "counter", "inc", "--update", "--from", round(last), "--json")
	expect(exitFailed, "not (9 : nat): use a --to with that answer", "instance", "bisect", "counter", "inc", "--update", "--is", "(9 : nat)")
	expect(exitFailed, "use a --to at which the canister and the method exist", "instance", "bisect", "counter", "inc", "--update", "--from", "0", "--to", "1")
	expect(exitOK, "(2 : nat)", "canister", "call", "counter", "inc")
	expect(exitFailed, "already", "instance", "bisect", "counter", "inc", "--update", "--from", round(last+1), "--is", "(2 : nat)")
	expect(exitFailed, "nothing to search", "instance", "bisect", "counter", "inc", "--from", "2", "--to", "2")
	expect(exitOK, "pacing manual", "instance", "fork", "then", "--at", round(last))
	expect(exitOK, "(1 : nat)", "-i", "then", "canister", "call", "counter", "inc")
	expect(exitFailed, "expected a round, such as 42", "instance", "fork", "--at", "yesterday")
	expect(exitFailed, "it has no marks (canisterd instance mark creates one)", "instance", "fork", "--at", "mark:two")
	marked := d.Driver().View().Height
	expect(exitOK, "two: marked after round "+round(marked), "instance", "mark", "two")
	expect(exitFailed, "did you mean two?; its marks: two", "instance", "fork", "--at", "mark:tow")
	expect(exitOK, "(3 : nat)", "canister", "call", "counter", "inc")
	expect(exitOK, "mark two", "instance", "history")
	expect(exitOK, "pacing manual", "instance", "fork", "marked", "--at", "mark:two")
	expect(exitOK, "(3 : nat)", "-i", "marked", "canister", "call", "counter", "inc")
	expect(exitOK, "round   "+round(marked+1), "instance", "bisect", "counter", "inc", "--update", "--from", "mark:two", "--is", "(4 : nat)")
	expect(exitFailed, `invalid --to "mark:three": the history has no such mark; its marks: two`, "instance", "bisect", "counter", "inc", "--to", "mark:three")
	expect(exitFailed, `invalid --from "mark:tow": the history has no such mark; did you mean two?; its marks: two`, "instance", "bisect", "counter", "inc", "--from", "mark:tow")
	expect(exitFailed, `invalid --from "noon": expected a round`, "instance", "bisect", "counter", "inc", "--from", "noon")
	expect(exitFailed, `has no state at a mark "three"`, "instance", "fork", "--at", "mark:three")
	expect(exitOK, "2030", "time", "2030-01-01T00:00:00Z")
	expect(exitOK, "2030-01-01T00:00:00", "instance", "fork", "--at", "2030-01-01T00:00:00Z")
	expect(exitFailed, "has no state at 2040-01-01T00:00:00Z: its journal goes from round 0 ", "instance", "fork", "--at", "2040-01-01T00:00:00Z")
}

// TestAForkBeforeAMessageTakesTheIdsThatTheHistoryPrints forks after a restart, when no event of the message is left.
func TestAForkBeforeAMessageTakesTheIdsThatTheHistoryPrints(t *testing.T) {
	d, expect := keptCounter(t)
	expect(exitOK, "installed", "deploy")
	expect(exitOK, "(1 : nat)", "canister", "call", "counter", "inc")
	ids := regexp.MustCompile(`[0-9a-f]{16}`)
	submitted := 0
	for range 1000 { // one id in 43 begins with eight decimal digits
		submitted++
		code, text := runOn(t, d, "canister", "submit", "counter", "inc")
		if code != exitOK {
			t.Fatalf("a message is not accepted: %s", text)
		}
		if strings.Trim(ids.FindString(text)[:shortRequestDigits], "0123456789") == "" {
			break
		}
	}
	_, listed := runOn(t, d, "instance", "history")
	all := ids.FindAllString(listed, -1)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	_, expect = startKept(t, keptState)
	last := all[len(all)-1]
	for i, at := range []string{last, last[:shortRequestDigits], "0x" + strings.ToUpper(last)} {
		name := fmt.Sprintf("then%d", i)
		expect(exitOK, "pacing manual", "instance", "fork", name, "--at", at)
		expect(exitOK, fmt.Sprintf("(%d : nat)", submitted+1), "-i", name, "canister", "call", "counter", "inc")
	}
	expect(exitFailed, "before a message whose id begins with ffffffffffffffff", "instance", "fork", "--at", "ffffffffffffffff")
	expect(exitFailed, "after round 12345678: its journal goes from round 0", "instance", "fork", "--at", "12345678")
}

func TestTheRoundThatChangedAFieldOrAnExpressionIsFoundInTheHistory(t *testing.T) {
	d, expect := keptCounter(t)
	height := func() uint64 { return d.Driver().View().Height }
	expect(exitOK, "installed", "deploy")
	expect(exitOK, "marked", "instance", "mark", "deployed")
	expect(exitOK, "(1 : nat)", "canister", "call", "counter", "inc")
	counted := height()
	expect(exitOK, "stopped", "canister", "stop", "counter")
	expect(exitOK, fmt.Sprintf("round   %d ", counted), "instance", "bisect", "counter get >= 1", "--from", "mark:deployed", "--to", fmt.Sprint(counted))
	expect(exitOK, "before  false (0 >= 1)\nafter   true (1 >= 1)\nmark    deployed\ninput   ingress", "instance", "bisect", "counter get >= 1", "--from", "mark:deployed", "--to", fmt.Sprint(counted))
	expect(exitOK, "before  running\nafter   stop", "instance", "bisect", "counter.status", "--from", "mark:deployed")
	expect(exitOK, "after   stopped\ninput   ", "instance", "bisect", "counter.status", "--from", "mark:deployed", "--is", "stopped")
	expect(exitOK, "after   true (stopped == stopped)", "instance", "bisect", "counter.status == stopped")
	expect(exitFailed, "the answer is false (", "instance", "bisect", "counter.controllers == vec {}")
	expect(exitFailed, "the answer is true (", "instance", "bisect", "counter.cycles > 1.5", "--from", "mark:deployed")
	expect(exitFailed, "cannot be compared", "instance", "bisect", "counter.status < 7", "--from", "mark:deployed")
	for expression, want := range map[string]string{
		"counter.color":        "invalid field \"color\": expected one of canister_id, ",
		"unknown.cycles > 1":   "unknown",
		"7 < counter.cycles":   "expected CANISTER.FIELD or CANISTER QUERY first",
		"counter.cycles < a b": "is neither a field nor a query of a canister, nor a value",
		"counter.cycles <":     "is neither a field nor a query of a canister, nor a value",
	} {
		expect(exitFailed, want, "instance", "bisect", expression)
	}
	expect(exitFailed, "--update, --hex, --argument-file and --candid need a call", "instance", "bisect", "counter.cycles", "--update")
}

// TestABisectionBeginsWhereThereIsAnAnswer searches the history of a canister that counts, is upgraded, and counts
// again.
func TestABisectionBeginsWhereThereIsAnAnswer(t *testing.T) {
	d, expect := keptCounter(t)
	expect(exitOK, "installed", "deploy")
	installed := fmt.Sprint(d.Driver().View().Height)
	expect(exitOK, "(1 : nat)", "canister", "call", "counter", "inc")
	counted := d.Driver().View().Height
	expect(exitOK, "runs module", "canister", "install", "counter", "counter.wasm", "--mode", "upgrade")
	expect(exitOK, "(2 : nat)", "canister", "call", "counter", "inc")
	found := fmt.Sprintf("round   %d ", counted)
	to := fmt.Sprint(counted)
	expect(exitOK, found, "instance", "bisect", "counter", "get", "--to", to)
	expect(exitOK, "before  (0 : nat)\nafter   (1 : nat)\ninput   ingress", "instance", "bisect", "counter", "get", "--to", to)
	expect(exitOK, found, "instance", "bisect", "counter", "get", "--from", "0", "--to", to)
	expect(exitOK, found, "instance", "bisect", "counter get >= 1")
	expect(exitOK, "before  false (0 >= 1)\nafter   true (1 >= 1)", "instance", "bisect", "counter get >= 1")
	expect(exitFailed, "it does not change", "instance", "bisect", "counter.cycles < 99_000_000")
	expect(exitFailed, "it does not change", "instance", "bisect", "counter.module_hash")
	expect(exitFailed, "it does not change", "instance", "bisect", "counter", "get", "--to", installed)
	for _, asked := range [][]string{{"counter", "nosuch"}, {"counter nosuch > 1"}, {"counter.module_hash", "--to", "1"}, {"counter", "get", "--to", "1"}} {
		expect(exitFailed, "use a --to at which the canister and the method exist", append([]string{"instance", "bisect"}, asked...)...)
	}
	expect(exitFailed, "the answer is none (no canister ", "instance", "bisect", "counter.cycles", "--to", "1")
	expect(exitFailed, "canisterd canister list", "instance", "bisect", "counter.cycles", "--to", "1")
	expect(exitFailed, "none after round", "instance", "bisect", "counter.module_hash", "--from", "2", "--to", "3")
}

func TestABisectionTellsOfAChangeThatWasUndone(t *testing.T) {
	d, expect := keptCounter(t)
	expect(exitOK, "installed", "deploy")
	expect(exitOK, "marked", "instance", "mark", "deployed")
	expect(exitOK, "stopped", "canister", "stop", "counter")
	stopped := d.Driver().View().Height
	expect(exitOK, "marked", "instance", "mark", "stopped")
	expect(exitOK, "counter: runs", "canister", "start", "counter")
	started := d.Driver().View().Height
	expect(exitOK, "(1 : nat)", "canister", "call", "counter", "inc")
	_, told := runOn(t, d, "instance", "bisect", "counter.status", "--from", "mark:deployed")
	offered := regexp.MustCompile(`it changed and changed back; --to ([0-9]+) finds the first change, --from ([0-9]+) the change back`).FindStringSubmatch(told)
	if offered == nil {
		t.Fatalf("of a canister that was stopped and started it says: %s", told)
	}
	expect(exitOK, fmt.Sprintf("round   %d ", stopped), "instance", "bisect", "counter.status", "--from", "mark:deployed", "--to", offered[1])
	expect(exitOK, fmt.Sprintf("round   %d ", started), "instance", "bisect", "counter.status", "--from", offered[2])
	expect(exitFailed, "it changed and changed back; --to ", "instance", "bisect", "counter.status == running", "--from", "mark:deployed", "--is", "false")
	expect(exitOK, "after   true (1 >= 1)", "instance", "bisect", "each message: counter get >= 1")
	expect(exitOK, "before  rejected (IC0508)\nafter   (0 : nat)", "instance", "bisect", "counter get", "--update", "--from", "mark:stopped")
}

func TestEachFieldOfACanisterHasAValue(t *testing.T) {
	c := &controlv1.Canister{Status: controlv1.CanisterStatus_CANISTER_STATUS_STOPPED, Cycles: "340282366920938463463374607431768211455", MemoryBytes: 7, Heartbeat: true}
	for _, name := range statusFields() {
		got, want := valueText(fieldOf(c, name)), map[string]string{
			"status": "stopped", "cycles": c.GetCycles(), "memory_bytes": "7", "heartbeat": "true", "controllers": "vec {}", "methods": "vec {}",
			"idle_cycles_burned_per_day": "0", "version": "0", "heap_bytes": "0", "stable_bytes": "0",
		}[name]
		if got != want {
			t.Errorf("field %s is %q, want %q", name, got, want)
		}
	}
}

func TestABisectionNamesTheTrapsOfItsRound(t *testing.T) {
	b := &bisectResult{Round: 5, Before: "(1 : nat)", After: "(2 : nat)"}
	b.addInputs(&controlv1.GetHistoryResponse{Inputs: []*controlv1.AcceptedInput{
		{Height: 3, Kind: "trap", CanisterId: "aaaaa-aa", Method: "early", ErrorCode: "IC0503", Text: "not this one"},
		{Height: 4, Kind: "mark", Text: "here"},
		{Height: 4, Kind: "trap", CanisterId: "aaaaa-aa", Method: "withdraw", ErrorCode: "IC0503", Text: "no money"},
	}})
	if text := b.text(func(id string) string { return id }); !strings.HasSuffix(text, "\nmark    here\ntrap    withdraw of aaaaa-aa: IC0503: no money") || strings.Contains(text, "early") {
		t.Errorf("it says %s", text)
	}
}
