//go:build clients

package e2e

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTheCommandLineCreatesInstallsCallsUpgradesAndLooks(t *testing.T) {
	d := start(t)
	id := d.command(t, "canister", "create")
	d.command(t, "canister", "install", id, fixture("ledger"))
	if got := d.command(t, "canister", "call", id, "record", `(7, "seven")`); got != "(1 : nat)" {
		t.Errorf("record printed %s", got)
	}
	if got := d.command(t, "canister", "query", id, "entry", "0"); !strings.Contains(got, "note") || !strings.Contains(got, `"seven"`) {
		t.Errorf("the reply is not printed with the names of candid:service: %s", got)
	}
	d.command(t, "canister", "install", "--mode", "upgrade", id, fixture("ledger"))
	if got := d.command(t, "canister", "query", id, "total"); got != "(7 : nat)" {
		t.Errorf("after the upgrade total printed %s", got)
	}
	var status struct {
		Status     string `json:"status"`
		ModuleHash string `json:"module_hash"`
	}
	if err := json.Unmarshal([]byte(d.command(t, "canister", "status", "--json", id)), &status); err != nil || status.Status != "running" || len(status.ModuleHash) != 64 {
		t.Errorf("status says %+v (%v)", status, err)
	}
}

func TestErrorsOfTheCommandLineSayWhatToDo(t *testing.T) {
	d := start(t)
	id := d.command(t, "canister", "create")
	for _, c := range []struct{ args, want string }{
		{"canister call " + id + " inc", "IC0537"},
		{"canister call nonsense inc", "is not the id of a canister"},
		{"canister install " + id + " " + filepath.Join("..", "README.md"), "Wasm module is not valid"},
		{"--url http://127.0.0.1:1 status", "canisterd start"},
	} {
		_, err := d.try(strings.Fields(c.args)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("canisterd %s: got %v, want an error with %q", c.args, err, c.want)
		}
	}
}

func TestStopEndsTheDaemonThatListensThere(t *testing.T) {
	d := start(t)
	d.command(t, "stop")
	if _, err := d.try("status"); err == nil {
		t.Error("the daemon still answers")
	}
}

// The templates of azle are Rust canisters of 3.0 and 6.5 MB: they travel in
// chunks and must install and answer.
func TestTheTemplatesOfAzleInstallAndAnswer(t *testing.T) {
	d := start(t)
	for _, name := range []string{"stable", "experimental"} {
		id := d.command(t, "canister", "create")
		d.command(t, "canister", "install", id, filepath.Join("js", "node_modules", "azle", "dist", "canister_templates", name+".wasm"))
		got := d.command(t, "canister", "query", id, "_azle_heap_allocation")
		if !regexp.MustCompile(`^\(.*[0-9].*\)$`).MatchString(got) {
			t.Errorf("%s answers %s", name, got)
		}
	}
}
