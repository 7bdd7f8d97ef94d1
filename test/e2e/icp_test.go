//go:build clients && linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// icpProject is a project with two canisters, and what a user of icp-cli does in it.
type icpProject struct {
	tool, folder string
	env          []string
}

// newICPProject is a project in a folder of its own. Its home has one identity, alice.
func newICPProject(t *testing.T, networks string, env ...string) *icpProject {
	t.Helper()
	home := t.TempDir()
	tool, err := filepath.Abs("icp/node_modules/@icp-sdk/icp-cli-linux-x64/bin/icp")
	if err != nil {
		t.Fatal(err)
	}
	p := &icpProject{tool: tool, folder: t.TempDir(), env: append(os.Environ(), "HOME="+home, "ICP_HOME="+home, "DO_NOT_TRACK=1")}
	p.env = append(p.env, env...)
	module, err := os.ReadFile("../canistertest/fixtures/counter.wasm")
	if err != nil {
		t.Fatal(err)
	}
	const canisters = "canisters:\n  - name: counter\n    build:\n      steps:\n        - type: pre-built\n          path: counter.wasm\n" +
		"  - name: printer\n    build:\n      steps:\n        - type: pre-built\n          path: printer.wasm\n"
	files := map[string][]byte{"counter.wasm": module, "printer.wasm": wat.MustAssemble(printer), "icp.yaml": []byte(canisters + networks)}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(p.folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.run(t, "identity new alice --storage plaintext")
	p.run(t, "identity default alice")
	p.expect(t, "identity list", "* alice")
	return p
}

// run runs a command of icp-cli, and gives what it prints.
func (p *icpProject) run(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.Command(p.tool, strings.Fields(command)...)
	cmd.Dir, cmd.Env = p.folder, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("icp %s: %v\n%s", command, err, out)
	}
	return string(out)
}

// expect runs a command of icp-cli that must print a text.
func (p *icpProject) expect(t *testing.T, command, want string) {
	t.Helper()
	if out := p.run(t, command); !strings.Contains(out, want) {
		t.Errorf("icp %s prints %q, want %q", command, out, want)
	}
}

// step is a command as users type it, and a text that it must print.
type step struct{ command, want string }

// play runs commands one after the other; flags choose the environment.
func (p *icpProject) play(t *testing.T, flags string, steps []step) {
	t.Helper()
	for _, s := range steps {
		p.expect(t, s.command+flags, s.want)
	}
}

// beforeSnapshot is what users do with canisters, cycles and tokens.
var beforeSnapshot = []step{
	{"deploy", "Deployed canisters"},
	{"canister list", "counter\nprinter"},
	{"canister status", "Canister Name: printer"},
	{"canister status counter", "Status: Running"},
	{"canister metadata counter candid:service", "inc: () -> (nat);"},
	{"canister call counter inc ()", "(1 : nat)"},
	{"canister call printer print ()", ""},
	{"canister logs printer", "printed"},
	{"deploy counter --mode upgrade", "Deployed canisters"},
	{"canister call counter inc ()", "(2 : nat)"}, // which Motoko keeps
	{"canister settings update counter --freezing-threshold 3000000", ""},
	{"canister settings show counter", "Freezing threshold: 3_000_000"},
	{"canister top-up counter --amount 1T", "Topped up canister counter with 1_000_000_000_000 cycles"},
	{"cycles mint --icp 2", "Minted 7_039_900_000_000 cycles"},
	{"cycles transfer 1T 2vxsx-fae", "Transferred 1_000_000_000_000 cycles"},
	{"cycles balance", "cycles"},
	{"token transfer 5 2vxsx-fae", "Transferred 5.00000000 ICP"},
	{"token approve 3 2vxsx-fae", ""},
	{"token allowance 2vxsx-fae", "3.00000000 ICP"},
	{"token balance", "ICP"},
	{"canister stop counter", ""},
	{"canister snapshot create counter", "Created snapshot"},
	{"canister snapshot list counter", "Snapshots for canister counter"},
	{"canister start counter", ""},
	{"canister call counter inc ()", "(3 : nat)"},
}

// afterSnapshot goes back to a snapshot.
func afterSnapshot(id string) []step {
	return []step{
		{"canister stop counter", ""},
		{"canister status counter", "Status: Stopped"},
		{"canister snapshot restore counter " + id, ""},
		{"canister start counter", ""},
		{"canister call counter inc ()", "(3 : nat)"}, // again
		{"canister snapshot delete counter " + id, ""},
	}
}

// snapshot is the id of the only snapshot of the counter.
func (p *icpProject) snapshot(t *testing.T, flags string) string {
	t.Helper()
	listed := p.run(t, "canister snapshot list counter"+flags)
	found := regexp.MustCompile(`\b[0-9a-f]{32,}\b`).FindString(listed)
	if found == "" {
		t.Fatalf("no snapshot is listed: %s", listed)
	}
	return found
}

func TestTheManagedNetworkOfICPCLIWorksUnmodified(t *testing.T) {
	p := newICPProject(t, "networks:\n  - name: local\n    mode: managed\n    gateway:\n      port: 0\n", paste(t, "icp-cli", "")...)
	p.expect(t, "network start -d", "Network started")
	defer p.expect(t, "network stop", "Network stopped")
	p.play(t, "", []step{
		{"network ping local", `"replica_health_status": "healthy"`},
		{"network status", "Root Key: 3081"},
		{"token balance", "Balance: 1000000.00000000 ICP"},
		{"cycles balance", "1_000_000_000_000_000 cycles"},
	})
	p.play(t, "", beforeSnapshot)
	p.play(t, "", afterSnapshot(p.snapshot(t, "")))
	proxy := regexp.MustCompile(`"proxy_canister_principal": "([^"]+)"`).FindStringSubmatch(p.run(t, "network status --json"))
	if proxy == nil {
		t.Fatal("the network has no proxy canister")
	}
	p.expect(t, "canister call counter inc () --proxy "+proxy[1], "(4 : nat)")
}

// The daemon is killed between the two halves, and goes on from its folder at the same address.
func TestICPCLIFindsItsCanistersInADaemonThatWasKilledAndStartedAgain(t *testing.T) {
	durable := []string{"--system-canisters", "all", "--state-dir", filepath.Join(t.TempDir(), "state")}
	d := start(t, durable...)
	p := newICPProject(t, "networks:\n  - name: sim\n    mode: connected\n    url: "+d.url+"\n    root-key: fetch\nenvironments:\n  - name: sim\n    network: sim\n")
	const sim = " -e sim"
	alice := strings.TrimSpace(p.run(t, "identity principal"))
	p.play(t, sim, []step{
		{"network status", "Root Key: 3081"},
		{"token transfer 100 " + alice + " --identity anonymous", "Transferred 100.00000000 ICP"},
		{"cycles mint --icp 10", "Minted"},
	})
	p.play(t, sim, beforeSnapshot)
	tokens, cycles, snapshot := p.run(t, "token balance"+sim), p.run(t, "cycles balance"+sim), p.snapshot(t, sim)
	if err := d.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = d.cmd.Wait() // by the signal
	start(t, append(durable, "--listen", strings.TrimPrefix(d.url, "http://"))...)
	p.play(t, sim, []step{
		{"token balance", tokens},
		{"cycles balance", cycles},
		{"canister settings show counter", "Freezing threshold: 3_000_000"},
		{"canister logs printer", "printed"},
		{"canister call counter inc ()", "(4 : nat)"},
	})
	p.play(t, sim, afterSnapshot(snapshot))
}
