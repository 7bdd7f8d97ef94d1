//go:build clients

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// icpProject is a project with one canister, and what a user of icp-cli does in it.
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
	module, err := os.ReadFile("../canister/canistertest/fixtures/counter.wasm")
	if err != nil {
		t.Fatal(err)
	}
	const canisters = "canisters:\n  - name: counter\n    build:\n      steps:\n        - type: pre-built\n          path: counter.wasm\n" +
		"  - name: second\n    build:\n      steps:\n        - type: pre-built\n          path: counter.wasm\n"
	for name, content := range map[string][]byte{"counter.wasm": module, "icp.yaml": []byte(canisters + networks)} {
		if err := os.WriteFile(filepath.Join(p.folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.run(t, "identity new alice --storage plaintext")
	p.run(t, "identity default alice")
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

// use does what users do with canisters and tokens. flags choose the environment.
func (p *icpProject) use(t *testing.T, flags string) {
	t.Helper()
	p.expect(t, "deploy"+flags, "Deployed canisters")
	p.expect(t, "canister status counter"+flags, "Status: Running")
	p.expect(t, "canister call counter inc ()"+flags, "(1")
	p.expect(t, "deploy counter --mode upgrade"+flags, "Deployed canisters")
	p.expect(t, "canister settings show counter"+flags, "Freezing threshold")
	p.run(t, "canister logs counter"+flags)
	p.expect(t, "token transfer 5 2vxsx-fae"+flags, "Transferred 5.00000000 ICP")
	p.expect(t, "cycles mint --icp 2"+flags, "Minted 7_039_900_000_000 cycles")
	p.expect(t, "canister top-up counter --amount 1T"+flags, "Topped up")
	p.run(t, "canister stop counter"+flags)
	p.expect(t, "canister snapshot create counter"+flags, "Created snapshot")
	p.run(t, "canister start counter"+flags)
}

func TestTheManagedNetworkOfICPCLIWorksUnmodified(t *testing.T) {
	launcher := pocketIC(t, "canisterd-launcher")
	p := newICPProject(t, "networks:\n  - name: local\n    mode: managed\n    gateway:\n      port: 0\n", "ICP_CLI_NETWORK_LAUNCHER_PATH="+launcher)
	p.expect(t, "network start -d", "Network started")
	defer p.run(t, "network stop")
	p.expect(t, "network status", "Root Key: 3081")
	p.expect(t, "token balance", "1000000.00000000 ICP")
	p.expect(t, "cycles balance", "1_000_000_000_000_000 cycles")
	p.use(t, "")
}

func TestICPCLIWorksWithADaemonItIsConnectedTo(t *testing.T) {
	d := start(t, "--system-canisters", "all")
	p := newICPProject(t, "networks:\n  - name: sim\n    mode: connected\n    url: "+d.url+"\n    root-key: fetch\nenvironments:\n  - name: sim\n    network: sim\n")
	p.run(t, "token transfer 100 "+strings.TrimSpace(p.run(t, "identity principal"))+" --identity anonymous -e sim")
	p.expect(t, "cycles mint --icp 10 -e sim", "Minted")
	p.use(t, " -e sim")
}
