package canister_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestTheTextOfATrapIsCutInTheLogAndInTheReject(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(`(module (import "ic0" "trap" (func $trap (param i32 i32)))
		(memory 1) (func (export "canister_update u")
			(memory.fill (i32.const 0) (i32.const 0x78) (i32.const 40000)) (call $trap (i32.const 0) (i32.const 40000))))`), nil)
	c.Settings.LogMemoryLimit = 1_000_000
	out := p.Update(c, "u", nil)
	if out.Failure == nil || out.Failure.Error != intercanister.CanisterCalledTrap {
		t.Fatal(out.Failure)
	}
	if got, want := string(c.Logs.At(c.Logs.Len()-1).Content), "[TRAP]: "+strings.Repeat("x", 32<<10); got != want {
		t.Errorf("the log has %d bytes, want %d", len(got), len(want))
	}
	if text := out.Failure.Text; len(text) > intercanister.MaxRejectTextBytes || !strings.Contains(text, "xxx...xxx") {
		t.Errorf("the reject has %d bytes", len(text))
	}
	c.Settings.LogMemoryLimit = 4096
	if out = p.Update(c, "u", nil); out.Logs != 1 {
		t.Errorf("%d records are logged", out.Logs)
	}
	if got := len(c.Logs.At(c.Logs.Len() - 1).Content); got != 4096-40 {
		t.Errorf("a log of 4096 bytes has a record of %d", got)
	}
}
