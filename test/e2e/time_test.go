//go:build clients

package e2e

import (
	"testing"

	agent "github.com/aviate-labs/agent-go"
	"github.com/aviate-labs/agent-go/candid/idl"
	"github.com/aviate-labs/agent-go/identity"
)

func TestTheJavaScriptAgentGoesOnAfterTimeWasMoved(t *testing.T) {
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	for _, subnets := range []string{"nns,application", "application"} {
		t.Run(subnets, func(t *testing.T) { runJavaScript(t, subnets, "time.test.mjs", 3, "CANISTERD="+binary) })
	}
}

func TestTheGoAgentGoesOnAfterTimeWasMoved(t *testing.T) {
	d := start(t)
	key, err := identity.NewRandomEd25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	a := goAgent(t, d, key)
	counter, _ := deploy(t, d, a, "counter")
	clock, _ := deploy(t, d, a, "clock")
	var n idl.Nat
	if err := a.Call(clock, "start", []any{uint64(3_600_000_000_000)}, nil); err != nil {
		t.Fatal(err)
	}
	d.command(t, "instance", "snapshot", "today")
	works := func(when, counts, ticks string) {
		t.Helper()
		for _, agent := range []*agent.Agent{a, goAgent(t, d, key)} {
			if err := agent.Call(counter, "inc", nil, []any{&n}); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
		if n.String() != counts {
			t.Errorf("%s: the counter is at %s, want %s", when, n, counts)
		}
		if err := a.Query(clock, "count", nil, []any{&n}); err != nil || n.String() != ticks {
			t.Errorf("%s: the timer has fired %s times (%v), want %s", when, n, err, ticks)
		}
		if _, err := a.GetCanisterModuleHash(counter); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	works("today", "2", "0")
	d.command(t, "time", "+7d")
	works("a week later", "4", "168")
	d.command(t, "time", "+7d")
	works("two weeks later", "6", "336")
	d.command(t, "instance", "restore", "today")
	works("today again", "2", "0")
}
