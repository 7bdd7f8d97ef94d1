package canister_test

import (
	"strings"
	"testing"

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
