package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/golden"
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
	t.Run("in go tool pprof", func(t *testing.T) { inPprof(t, folder) })
	if testing.Short() {
		return // two more modules are compiled
	}
	t.Run("without the feature", func(t *testing.T) { withoutFeature(t, folder) })
}

// ownFunction is a function of the canister's packages in a line of pprof. The runtime's functions, and all counts, depend
// on the version of Go.
var ownFunction = regexp.MustCompile(`% +((?:main|github\.com/canisterd/canisterd/examples/gocanister/ic)\.\S+)`)

// inPprof compares the functions of a canister that go tool pprof shows.
func inPprof(t *testing.T, folder string) {
	ctx, ic := t.Context(), canisterd.New(t)
	counter := ic.Deploy(filepath.Join(folder, "counter.wasm"), canisterd.Features("wasi"))
	p, err := ic.Profile(ctx, func() error { return counter.Call(ctx, "add", uint64(5)) })
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "go.pprof")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.WritePprof(file), file.Close()); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-nodecount", "100000", "-nodefraction", "0", path).Output()
	if err != nil {
		t.Fatalf("go tool pprof -top: %v", err)
	}
	var own []string
	for _, found := range ownFunction.FindAllStringSubmatch(string(out), -1) {
		own = append(own, found[1])
	}
	slices.Sort(own)
	golden.Compare(t, "testdata/pprof.golden", strings.Join(own, "\n")+"\n")
	if total := fmt.Sprintf(" of %d total", p.Instructions()); !strings.Contains(string(out), total) || p.Instructions() != p.Charged() {
		t.Errorf("pprof does not say %q; the call is charged %d instructions:\n%.300s", total, p.Charged(), out)
	}
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
