package canisterd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// ending is a TB whose end its test decides.
type ending struct {
	recorder
	ends []func()
}

func (e *ending) Cleanup(end func()) { e.ends = append(e.ends, end) }

// end ends the test of a network and returns how it failed.
func (e *ending) end() string {
	for len(e.ends) > 0 {
		last := e.ends[len(e.ends)-1]
		e.ends = e.ends[:len(e.ends)-1]
		last()
	}
	return e.failure
}

// exact returns what calls of a method take, callbacks included, and how many there were.
func exact(t *testing.T, p *canisterd.Profile, c *canisterd.Canister, method string) uint64 {
	t.Helper()
	instructions, calls := p.InstructionsOf(c, method)
	if calls != 1 {
		t.Fatalf("%s ran %d times", method, calls)
	}
	return instructions
}

func TestABudgetIsExceededByOneInstruction(t *testing.T) {
	ctx, e := t.Context(), &ending{recorder: recorder{TB: t}}
	ic := canisterd.New(e)
	ic.DeployProject("examples/motoko")
	relay, greeter := ic.Canister("relay"), ic.Canister("greeter")
	pass := func(n *canisterd.IC) error {
		return n.Canister("relay").Call(ctx, "pass", greeter.ID().String(), "Ada", canisterd.Into(new(string)))
	}
	spent := ic.Fork() // the same call in a fork takes the same
	p, err := spent.Profile(ctx, func() error { return pass(spent) })
	if err != nil {
		t.Fatal(err)
	}
	passed, greeted := exact(t, p, relay, "pass"), exact(t, p, greeter, "greet")
	ic.SetBudget(relay, "pass", passed-1)
	ic.SetBudget(greeter, "greet", greeted)
	if err := pass(ic); err != nil {
		t.Fatal(err)
	}
	failure := e.end()
	if !strings.Contains(failure, "relay.pass: a call took ") || !strings.Contains(failure, ", 1 more than its budget of ") || strings.Contains(failure, "greet") {
		t.Errorf("pass took %d instructions, one more than its budget, and greet %d; the test fails with %q", passed, greeted, failure)
	}
}

func TestTheBudgetsOfAProjectHoldForQueriesAndInForks(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{ // in any order
		"bank.wasm": string(wat.MustAssemble(`(module (import "ic0" "msg_reply" (func $reply))
			(func (export "canister_query look") call $reply) (func (export "canister_update pay") call $reply))`)),
		"canisterd.yaml": "canisters: {bank: {wasm: bank.wasm}}\nbudgets:\n  bank.look: 1 instructions\n  bank.pay: 2\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, e := t.Context(), &ending{recorder: recorder{TB: t}}
	ic := canisterd.New(e)
	ic.DeployProject(folder)
	bank := ic.Canister("bank")
	if err := bank.Query(ctx, "look", canisterd.Bytes(nil), canisterd.Into(new(canisterd.Bytes))); err != nil {
		t.Fatal(err)
	}
	fork := ic.Fork()
	if err := fork.Canister("bank").Call(ctx, "pay", canisterd.Bytes(nil), canisterd.Into(new(canisterd.Bytes))); err != nil {
		t.Fatal(err)
	}
	failure := e.end()
	if !strings.Contains(failure, "bank.look: a call took") || !strings.Contains(failure, "bank.pay: a call took") || !strings.Contains(failure, "budgets are in canisterd.yaml") {
		t.Errorf("the test fails with %q", failure)
	}
}
