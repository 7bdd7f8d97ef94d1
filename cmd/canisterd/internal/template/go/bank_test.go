package bank_test

import (
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/explore"
)

// withdrawal is what the bank replies: one field is set.
type withdrawal struct {
	Paid    *uint64 `ic:"paid,variant,nat"`
	Refused *string `ic:"refused,variant"`
}

func TestWhatIsDepositedCanBeWithdrawnOnce(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	ic.DeployProject(".")
	bank, vault := ic.Canister("bank"), ic.Canister("vault")

	if err := bank.Call(ctx, "deposit", 100); err != nil {
		t.Fatal(err)
	}
	first, err := canisterd.Call[withdrawal](ctx, bank, "withdraw", 60)
	if err != nil || first.Paid == nil || *first.Paid != 40 {
		t.Errorf("the first withdrawal: %+v (%v)", first, err)
	}
	second, err := canisterd.Call[withdrawal](ctx, bank, "withdraw", 60)
	if err != nil || second.Refused == nil || *second.Refused != "not enough money" {
		t.Errorf("the second withdrawal: %+v (%v)", second, err)
	}
	if paid, err := canisterd.Query[uint64](ctx, vault, "paidOut"); err != nil || paid != 60 {
		t.Errorf("the vault has paid %d (%v)", paid, err)
	}
}

// Two withdrawals at once, in every order of their messages and with every fault.
func TestNoOrderOfMessagesPaysTwice(t *testing.T) {
	ic := canisterd.New(t)
	ic.DeployProject(".")
	bank := ic.Canister("bank")
	if err := bank.Call(t.Context(), "deposit", 100); err != nil {
		t.Fatal(err)
	}
	explore.Run(t, ic.Network,
		explore.Op(bank, "withdraw", 100),
		explore.Op(bank, "withdraw", 100),
		explore.Invariant("vault paidOut <= 100"),
	)
}
