package main

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/internal/golden"
)

func TestABankThatChecksBeforeAnAwaitPaysTwiceAndOneThatDeductsDoesNot(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"The account had 100, and 200 were paid.", "The account had 100, and 100 were paid."} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the story does not say %q", line)
		}
	}
	golden.Compare(t, "testdata/story.txt", out.String())
}

// What the vault does not pay comes back: the call is held on its way and rejected in the
// place of the vault.
func TestTheCarefulBankGivesBackWhatTheVaultDoesNotPay(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	bank, vault := ic.Deploy("careful.wasm"), ic.Deploy("vault.wasm")
	if err := bank.Call(ctx, "open", vault.ID().String()); err != nil {
		t.Fatal(err)
	}
	if err := bank.Call(ctx, "deposit", 100); err != nil {
		t.Fatal(err)
	}
	held := ic.Hold(canisterd.Calls{Callee: vault})
	withdrawal, err := bank.Submit(ctx, "withdraw", 70)
	if err != nil {
		t.Fatal(err)
	}
	held.Wait()
	if balance, err := canisterd.Query[int](ctx, bank, "balance"); err != nil || balance != 30 {
		t.Errorf("meanwhile the balance is %d (%v), want 30", balance, err)
	}
	held.Reject("closed on Sundays")
	var answer canisterd.Text
	if err := withdrawal.Await(ctx, &answer); err != nil || answer != `(variant { refused = "the vault does not pay" })` {
		t.Errorf("the withdrawal is answered %s (%v)", answer, err)
	}
	if balance, err := canisterd.Query[int](ctx, bank, "balance"); err != nil || balance != 100 {
		t.Errorf("the balance is %d (%v), want 100", balance, err)
	}
}
