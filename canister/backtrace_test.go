package canister_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestABacktraceHasTheReadableNamesOfRustFunctions(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(`(module
		(func $_RNvXNtCsh537bOAIRKx_3lib6ledgerINtB2_7AccountmENtB2_3Pay3payB4_ unreachable)
		(func $_ZN4bank4open17h0123456789abcdefE (call $_RNvXNtCsh537bOAIRKx_3lib6ledgerINtB2_7AccountmENtB2_3Pay3payB4_))
		(func $_RNCNvCsh537bOAIRKx_3lib3runs0_0B3_ (call $_ZN4bank4open17h0123456789abcdefE))
		(func $update (export "canister_update u") (call $_RNCNvCsh537bOAIRKx_3lib3runs0_0B3_)))`), nil)
	out := p.Update(c, "u", nil)
	const want = "<lib::ledger::Account<u32> as lib::ledger::Pay>::pay\nbank::open\nlib::run::{closure#2}\nupdate"
	if out.Failure == nil || !strings.HasPrefix(out.Backtrace, want) {
		t.Errorf("failure %v, backtrace:\n%s", out.Failure, out.Backtrace)
	}
	log := &c.Logs
	if log.Len() != 1 || !strings.Contains(string(log.At(0).Content), want) {
		t.Errorf("the log does not have the backtrace: %+v", log)
	}
}

// where are the functions of a backtrace with their source lines.
func where(out *canister.Outcome) []string {
	all := strings.Split(out.Backtrace, "\n")
	for i := range all {
		if out.Lines != nil {
			all[i] += " " + out.Lines[i].String()
		}
	}
	return all
}

func TestAPanicOfRustHasTheFileAndTheLineOfEachFrame(t *testing.T) {
	engines := map[string]canister.EngineConfig{"plain": {}, "coverage": {Coverage: canister.NewCoverage()}}
	for name, config := range engines { // in any order
		config.CacheDir = canistertest.CacheDir(t)
		engine, err := canister.NewEngine(config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = engine.Close() })
		p := canistertest.NewPlace(t)
		p.Engine = engine
		c := p.Canister(p.Module(canistertest.Fixture("panics")), nil)
		for _, profiled := range []bool{false, true} {
			p.Subnet.Profiled = func(principal.Principal) bool { return profiled }
			withdrawn, peeked, shared := p.Update(c, "withdraw", []byte("four")), p.Query(c, "peek", nil), p.Query(c, "share", nil)
			for _, x := range []struct {
				out  *canister.Outcome
				want []string
			}{
				{&withdrawn, []string{
					"rust_begin_unwind panics.rs:48", "core::panicking::panic_fmt /rustc/library/core/src/panicking.rs:142",
					"panics::panics::account::Account::check panics/account.rs:15", "panics::panics::account::Account::withdraw panics/account.rs:8",
					"canister_update withdraw panics.rs:23",
				}},
				{&peeked, []string{"panics::panics::account::peek /rustc/library/core/src/ptr/mod.rs:1504", "canister_query peek panics.rs:30"}},
				{&shared, []string{
					"rust_begin_unwind panics.rs:48", "core::panicking::panic_fmt /rustc/library/core/src/panicking.rs:142",
					"core::panicking::panic /rustc/library/core/src/panicking.rs:48", "panics::panics::account::share panics/account.rs:28",
					"canister_query share panics.rs:39",
				}},
			} {
				if got := where(x.out); !slices.Equal(got, x.want) {
					t.Errorf("%s, profiled %t: the backtrace is %q, want %q", name, profiled, got, x.want)
				}
			}
		}
	}
}

// bytesMap is a source map of a module in which each byte of the code has a line of its own: its offset, from 1.
func bytesMap(module []byte) []byte {
	return []byte(`{"version":3,"sources":["counter.mo"],"mappings":"` + "AAAA" + strings.Repeat(",CACA", len(module)-1) + `"}`)
}

func TestATrapOfMotokoHasTheLinesOfItsSourceMap(t *testing.T) {
	p := canistertest.NewPlace(t)
	engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: t.TempDir()}) // which keeps the map
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	p.Engine = engine
	module := canistertest.Fixture("counter")
	present := p.Canister(p.Module(module), nil)
	before := p.Update(present, "add", []byte("DIDL\x00\x00"))
	if before.Failure == nil || before.Backtrace == "" || before.Lines != nil {
		t.Fatalf("without a map it fails with %v at %v", before.Failure, before.Lines)
	}
	if err := p.Engine.AddDebugInfo(module, canister.DebugInfo{SourceMap: bytesMap(module)}); err != nil {
		t.Fatal(err)
	}
	after := p.Update(p.Canister(p.Module(module), nil), "add", []byte("DIDL\x00\x00"))
	if after.Backtrace != before.Backtrace || after.Failure.Text == "" {
		t.Errorf("the backtrace is %q, without a map %q", after.Backtrace, before.Backtrace)
	}
	if again := p.Update(present, "add", []byte("DIDL\x00\x00")); !slices.Equal(again.Lines, after.Lines) || again.Instructions != before.Instructions {
		t.Errorf("a canister that had the module has the lines %v, want %v", again.Lines, after.Lines)
	}
	functions := strings.Split(after.Backtrace, "\n")
	if len(after.Lines) != len(functions) || functions[len(functions)-1] != "add" {
		t.Fatalf("the frames are %q at %v", functions, after.Lines)
	}
	const call, callIndirect, unreachable = 0x10, 0x11, 0x00
	for i, line := range after.Lines {
		if line.File != "counter.mo" || line.Number < 1 {
			t.Fatalf("%s is at %v", functions[i], line)
		}
		if op := module[line.Number-1]; op != call && op != callIndirect && (op != unreachable || i > 0) {
			t.Errorf("%s is at byte %d of the module, an operator %#x", functions[i], line.Number-1, op)
		}
	}
	if add := after.Lines[len(functions)-1].Number - 1; add < 7017 || add >= 7215 { // where its body is
		t.Errorf("add is at byte %d of the module", add)
	}
	if err := p.Engine.AddDebugInfo(module, canister.DebugInfo{SourceMap: []byte("{}")}); err == nil {
		t.Error("a damaged map is kept")
	}
}
