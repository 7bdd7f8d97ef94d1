package main_test

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd"
)

func TestBankWithdrawReplies(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	bank := ic.Deploy("bank.wasm")
	vault := ic.Deploy("vault.wasm")

	if err := bank.Call(ctx, "open", canisterd.Text(fmt.Sprintf(`("%s")`, vault.ID()))); err != nil {
		t.Fatal(err)
	}
	if err := bank.As(vault.ID()).Call(ctx, "deposit", canisterd.Text("(100 : nat)")); err != nil {
		t.Fatal(err)
	}
	var reply canisterd.Text
	if err := bank.As(vault.ID()).Call(ctx, "withdraw", canisterd.Text("(60 : nat)"), canisterd.Into(&reply)); err != nil {
		t.Fatal(err)
	}
	if want := canisterd.Text("(variant { paid = 40 : nat })"); reply != want {
		t.Errorf("bank.withdraw replies %s, want %s", reply, want)
	}
}
