//go:build clients

package e2e

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	agent "github.com/aviate-labs/agent-go"
	"github.com/aviate-labs/agent-go/candid/idl"
	"github.com/aviate-labs/agent-go/identity"
	"github.com/aviate-labs/agent-go/principal"
)

// Both layouts of a network: certificates with a delegation, and without.
func TestTheJavaScriptAgentVerifiesEverything(t *testing.T) {
	for _, subnets := range []string{"nns,application", "application"} {
		t.Run(subnets, func(t *testing.T) { runJavaScript(t, subnets, "agent.test.mjs", 6) })
	}
}

// runJavaScript runs a file of tests for the JavaScript agent, all of which must
// run and pass.
func runJavaScript(t *testing.T, subnets, file string, tests int, environment ...string) {
	t.Helper()
	d := start(t, "--subnet", subnets)
	cmd := exec.Command("node", "--test", "--test-reporter=spec", file)
	cmd.Dir = "js"
	cmd.Env = append(append(os.Environ(), environment...), "CANISTERD_URL="+d.url, "CANISTERD_EFFECTIVE_ID="+d.first)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the agent's tests: %v\n%s", err, out)
	}
	if !bytes.Contains(out, fmt.Appendf(nil, "pass %d\n", tests)) {
		t.Errorf("not all of the agent's tests ran:\n%s", out)
	}
}

// goAgent is an agent-go agent with all its checks on.
func goAgent(t *testing.T, d *daemon, id identity.Identity) *agent.Agent {
	t.Helper()
	host, err := url.Parse(d.url)
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Identity:     id,
		ClientConfig: []agent.ClientOption{agent.WithHostURL(host)},
		FetchRootKey: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type created struct {
	CanisterID principal.Principal `ic:"canister_id"`
}

type createArg struct {
	Amount *idl.Nat `ic:"amount"`
}

type installMode struct {
	Install *idl.Null `ic:"install,variant"`
}

type installArg struct {
	Mode       installMode         `ic:"mode"`
	CanisterID principal.Principal `ic:"canister_id"`
	Module     []byte              `ic:"wasm_module"`
	Arg        []byte              `ic:"arg"`
}

func deploy(t *testing.T, d *daemon, a *agent.Agent, name string) (principal.Principal, []byte) {
	t.Helper()
	management := principal.MustDecode("aaaaa-aa")
	effective := principal.MustDecode(d.first)
	var made created
	if err := a.CallWithEffectiveCanisterID(management, effective, "provisional_create_canister_with_cycles", []any{createArg{}}, []any{&made}); err != nil {
		t.Fatalf("creating: %v", err)
	}
	module, err := os.ReadFile(fixture(name))
	if err != nil {
		t.Fatal(err)
	}
	arg := installArg{installMode{&idl.Null{}}, made.CanisterID, module, []byte("DIDL\x00\x00")}
	if err := a.CallWithEffectiveCanisterID(management, made.CanisterID, "install_code", []any{arg}, nil); err != nil {
		t.Fatalf("installing %s: %v", name, err)
	}
	return made.CanisterID, module
}

func TestTheGoAgentVerifiesEverything(t *testing.T) {
	d := start(t)
	key, err := identity.NewRandomEd25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	a := goAgent(t, d, key)
	counter, module := deploy(t, d, a, "counter")
	var n idl.Nat
	if err := a.Call(counter, "add", []any{idl.NewNat(uint(42))}, []any{&n}); err != nil || n.String() != "42" {
		t.Errorf("add(42) = %s (%v)", n, err)
	}
	if err := a.Query(counter, "get", nil, []any{&n}); err != nil || n.String() != "42" {
		t.Errorf("get() = %s (%v)", n, err)
	}
	hash := sha256.Sum256(module)
	if got, err := a.GetCanisterModuleHash(counter); err != nil || !bytes.Equal(got, hash[:]) {
		t.Errorf("module hash %x (%v), want %x", got, err, hash)
	}
	if got, err := a.GetCanisterControllers(counter); err != nil || len(got) != 1 || got[0].String() != a.Sender().String() {
		t.Errorf("controllers %v (%v), want %s", got, err, a.Sender())
	}
	if got, err := a.GetCanisterMetadata(counter, "candid:service"); err != nil || !strings.Contains(string(got), "inc") {
		t.Errorf("candid:service %q (%v)", got, err)
	}
	if _, err := a.GetTime(counter); err != nil {
		t.Errorf("the time: %v", err)
	}
}

func TestTheGoAgentSeesCallsBetweenCanistersAndTheirTraps(t *testing.T) {
	d := start(t)
	key, err := identity.NewRandomSecp256k1Identity()
	if err != nil {
		t.Fatal(err)
	}
	a := goAgent(t, d, key)
	counter, _ := deploy(t, d, a, "counter")
	caller, _ := deploy(t, d, a, "caller")
	var n idl.Nat
	if err := a.Call(caller, "bump", []any{counter.String()}, []any{&n}); err != nil || n.String() != "1" {
		t.Errorf("bump = %s (%v)", n, err)
	}
	if err := a.Call(caller, "trapAfterAwait", []any{counter.String()}, nil); err == nil || !strings.Contains(err.Error(), "after the await") {
		t.Errorf("trapAfterAwait: %v", err)
	}
	var before, after idl.Nat
	if err := a.Query(caller, "seen", nil, []any{&before, &after}); err != nil || before.String() != "11" || after.String() != "1" {
		t.Errorf("seen = %s, %s (%v), want 11, 1", before, after, err)
	}
}

func TestTheTestOfThePageForJavaScriptPasses(t *testing.T) {
	d := start(t)
	cmd := exec.Command(d.binary, "--url", d.url, "exec", "--deploy", "../../../examples/motoko", "--", "node", "--test", "--test-reporter=spec", "greeter.test.mjs")
	cmd.Dir = "js"
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("pass 2\n")) {
		t.Errorf("the test: %v\n%s", err, out)
	}
}
