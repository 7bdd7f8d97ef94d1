package canisterd_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
)

func TestARejectHasTheFileAndTheLineOfEachFunction(t *testing.T) {
	ic := canisterd.New(t)
	panics := ic.Deploy("test/canistertest/fixtures/panics.wasm")
	var reply canisterd.Bytes
	err := panics.Call(t.Context(), "withdraw", canisterd.Bytes("four"), canisterd.Into(&reply))
	var reject *canisterd.Reject
	if !errors.As(err, &reject) || len(reject.Backtrace) != 6 {
		t.Fatalf("it fails with %v", err)
	}
	for i, want := range []canisterd.Frame{
		{Function: "rust_begin_unwind", File: "panics.rs", Line: 48},
		{Function: "core::panicking::panic_fmt", File: "/rustc/library/core/src/panicking.rs", Line: 142},
		{Function: "panics::panics::account::Account::check", File: "panics/account.rs", Line: 15},
		{Function: "panics::panics::account::Account::withdraw", File: "panics/account.rs", Line: 8},
		{Function: "canister_update withdraw", File: "panics.rs", Line: 23},
		{Function: "withdraw"},
	} {
		if want.Canister = panics.ID(); reject.Backtrace[i] != want {
			t.Errorf("frame %d is %+v, want %+v", i, reject.Backtrace[i], want)
		}
	}
	if strings.Contains(reject.Message, ".rs") || !strings.Contains(err.Error(), "Account::check in "+panics.ID().String()+" (panics/account.rs:15)\n") {
		t.Errorf("the message is %q, the error %q", reject.Message, err)
	}
	err = panics.Query(t.Context(), "peek", canisterd.Bytes(nil), canisterd.Into(&reply))
	if !errors.As(err, &reject) || len(reject.Backtrace) != 3 || reject.Backtrace[1].File != "panics.rs" || reject.Backtrace[1].Line != 30 {
		t.Errorf("the query fails with %v", err)
	}
}
