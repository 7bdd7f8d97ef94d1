package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/daemon"
)

func TestCanistersInGoCallSleepTrapAndAreUpgraded(t *testing.T) {
	folder := t.TempDir()
	if err := build(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := tell(t.Context(), folder, &out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"The caller adds 5 three times: [5 10 15]\n", "It slept 1h0m0s; the total is 25.\n",
		"\nmain.divide\n", "  panic: runtime error: integer divide by zero\n", "After an upgrade the total is 25\n",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the story does not say %q:\n%s", line, out.String())
		}
	}
	if testing.Short() {
		return // two more modules are compiled
	}
	t.Run("without the feature", func(t *testing.T) { withoutFeature(t, folder) })
}

// withoutFeature runs the canisters as they are for mainnet.
func withoutFeature(t *testing.T, folder string) {
	ctx, ic := t.Context(), canisterd.New(t)
	deploy := func(name string) (*canisterd.Canister, string) {
		module, err := os.ReadFile(filepath.Join(folder, name+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		if module, err = daemon.Polyfill(module); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, name+"-ic.wasm")
		if err := os.WriteFile(path, module, 0o600); err != nil {
			t.Fatal(err)
		}
		return ic.Deploy(path), path
	}
	counter, path := deploy("counter")
	caller, _ := deploy("caller")
	totals, err := canisterd.Call[[]uint64](ctx, caller, "addThrice", counter.ID(), uint64(5))
	if err != nil || len(totals) != 3 || totals[2] != 15 {
		t.Fatal(totals, err)
	}
	for method, want := range map[string]string{"addLater": "runtime.netpoll", "fail": "main.divide"} {
		if err := counter.Call(ctx, method, uint64(1)); err == nil || !strings.Contains(logged(ctx, t, counter)+err.Error(), want) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if err := counter.Upgrade(ctx, path); err != nil {
		t.Fatal(err)
	}
	if total, err := canisterd.Query[uint64](ctx, counter, "total"); err != nil || total != 15 {
		t.Error(total, err)
	}
}

func logged(ctx context.Context, t *testing.T, c *canisterd.Canister) string {
	t.Helper()
	lines, err := c.Logs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
