//go:build clients

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
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
		{"canister call nonsense inc", "is not a canister id"},
		{"canister install " + id + " " + filepath.Join("..", "..", "README.md"), "Wasm module is not valid"},
		{"--url http://127.0.0.1:1 status", "canisterd start"},
	} {
		_, err := d.try(strings.Fields(c.args)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("canisterd %s: got %v, want an error with %q", c.args, err, c.want)
		}
	}
}

func TestACommandWhoseReaderGoesAwayEndsWithoutAWord(t *testing.T) {
	d := start(t)
	d.command(t, "canister", "create")
	cmd := exec.Command(d.binary, "--url", d.url, "events", "--from-beginning")
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReaderSize(out, 16).ReadByte(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	d.command(t, "canister", "create") // which is an event without a reader
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || errOut.Len() != 0 {
		t.Errorf("it ended with %v and said %q", err, errOut.String())
	}
}

func TestAnInterruptedCommandTakesItsInstanceWithIt(t *testing.T) {
	d := start(t)
	cmd := exec.Command(d.binary, "--url", d.url, "exec", "--", "sh", "-c", "echo begun; exec sleep 600")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "begun\n" {
		t.Fatalf("%q (%v)", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 143 {
		t.Errorf("it ended with %v, want the exit code of a command that was terminated", err)
	}
	if all := d.command(t, "instance", "list"); strings.Count(all, "\n") != 1 {
		t.Errorf("instances are left behind:\n%s", all)
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
