package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func TestTheRoundThatChangedAnAnswerIsFoundInTheHistory(t *testing.T) {
	t.Chdir(t.TempDir())
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), StateDir: filepath.Join(t.TempDir(), "state"), Pacing: daemon.Manual})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := os.WriteFile("counter.wasm", canistertest.Fixture("counter"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("canisterd.yaml", []byte("canisters:\n  counter: {wasm: counter.wasm}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect := func(code int, want string, args ...string) {
		t.Helper()
		var out, errOut bytes.Buffer
		if got := run(t.Context(), append([]string{"--url", d.URL()}, args...), &out, &errOut); got != code || !strings.Contains(out.String()+errOut.String(), want) {
			t.Errorf("canisterd %s: exit code %d, want %d and %q:\n%s%s", strings.Join(args, " "), got, code, want, &out, &errOut)
		}
	}
	expect(exitOK, "installed", "deploy")
	last := d.Node().View().Height
	round := func(n uint64) string { return fmt.Sprint(n) }
	expect(exitOK, "(1 : nat)", "canister", "call", "counter", "inc")
	expect(exitOK, "install_code", "instance", "history")
	expect(exitOK, `"kind":"ingress"`, "instance", "history", "--json")
	expect(exitReject, "IC0503", "canister", "call", "counter", "inc", "--hex", "00") // is not Candid: the code traps
	expect(exitOK, "trap", "instance", "history")
	expect(exitOK, `"error_code":"IC0503","text":"Error from Canister`, "instance", "history", "--json")
	expect(exitOK, "round   "+round(last+1), "instance", "bisect", "counter", "inc", "--update", "--is", "(2 : nat)")
	expect(exitOK, `"before":"(1 : nat)","after":"(2 : nat)"`, "instance", "bisect", "counter", "inc", "--update", "--from", round(last), "--json")
	expect(exitFailed, "and not (9 : nat)", "instance", "bisect", "counter", "inc", "--update", "--is", "(9 : nat)")
	expect(exitFailed, "it does not become another one", "instance", "bisect", "counter", "inc", "--update", "--from", "0", "--to", "1")
	expect(exitOK, "(2 : nat)", "canister", "call", "counter", "inc")
	expect(exitFailed, "already", "instance", "bisect", "counter", "inc", "--update", "--from", round(last+1), "--is", "(2 : nat)")
	expect(exitFailed, "nothing to search", "instance", "bisect", "counter", "inc", "--from", "2", "--to", "2")
	expect(exitOK, "pacing manual", "instance", "fork", "then", "--at", round(last))
	expect(exitOK, "(1 : nat)", "-i", "then", "canister", "call", "counter", "inc")
	expect(exitFailed, "expected a round, such as 42", "instance", "fork", "--at", "yesterday")
	expect(exitOK, "2030", "time", "2030-01-01T00:00:00Z")
	expect(exitOK, "2030-01-01T00:00:00", "instance", "fork", "--at", "2040-01-01T00:00:00Z")
}

func TestABisectionNamesTheTrapsOfItsRound(t *testing.T) {
	b := &bisected{Round: 5, Before: "(1 : nat)", After: "(2 : nat)"}
	b.explain(&controlv1.GetHistoryResponse{Inputs: []*controlv1.AcceptedInput{
		{Height: 3, Kind: "trap", CanisterId: "aaaaa-aa", Method: "early", ErrorCode: "IC0503", Text: "not this one"},
		{Height: 4, Kind: "trap", CanisterId: "aaaaa-aa", Method: "withdraw", ErrorCode: "IC0503", Text: "no money"},
	}})
	if text := b.text(); !strings.HasSuffix(text, "\ntrap    withdraw of aaaaa-aa: IC0503: no money") || strings.Contains(text, "early") {
		t.Errorf("it says %s", text)
	}
}
