package canisterd_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/internal/golden"
)

// pprofHead has the lines of pprof that depend on where the program was built.
var pprofHead = regexp.MustCompile(`(?m)^(Build ID|Time): .*\n`)

func TestGoToolPprofShowsCanistersOfEveryLanguage(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	counter := ic.Deploy("test/canistertest/fixtures/counter.wasm")
	bank := ic.Deploy("test/canistertest/fixtures/bank.wasm", canisterd.Init(canisterd.Bytes(binary.LittleEndian.AppendUint64(nil, 500))))
	kernels := ic.Deploy("test/canistertest/fixtures/kernels.wasm")
	raw := func(c *canisterd.Canister, method string, arg []byte) func() error {
		return func() error {
			return c.Call(ctx, method, canisterd.Bytes(arg), canisterd.Into(new(canisterd.Bytes)))
		}
	}
	for _, c := range []struct {
		language string
		do       func() error
	}{
		{"motoko", func() error { return counter.Call(ctx, "add", 1_000_000) }},
		{"rust", raw(bank, "credit", binary.LittleEndian.AppendUint64(nil, 7))},
		{"c", raw(kernels, "primes", binary.LittleEndian.AppendUint64(nil, 1000))},
	} {
		p, err := ic.Profile(ctx, c.do)
		if err != nil {
			t.Fatalf("%s: %v", c.language, err)
		}
		golden.Compare(t, filepath.Join("testdata", "pprof_"+c.language+".golden"), topOf(t, p))
	}
}

func TestGoToolPprofShowsWhereFunctionsBegin(t *testing.T) {
	ic := canisterd.New(t)
	panics := ic.Deploy("test/canistertest/fixtures/panics.wasm")
	p, err := ic.Profile(t.Context(), func() error {
		return panics.Call(t.Context(), "withdraw", canisterd.Bytes("ab"), canisterd.Into(new(canisterd.Bytes)))
	})
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "pprof_lines.golden"), topOf(t, p, "-lines"))
}

// topOf returns what go tool pprof -top prints of a profile.
func topOf(t *testing.T, p *canisterd.Profile, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile.pprof")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WritePprof(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", append(append([]string{"tool", "pprof", "-top", "-nodecount", "12"}, flags...), path)...).Output()
	if err != nil {
		t.Fatalf("go tool pprof -top: %v", err)
	}
	return pprofHead.ReplaceAllString(string(out), "")
}
