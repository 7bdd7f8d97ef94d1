package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

func TestAFrozenCanisterIsThawedByALowerFreezingThreshold(t *testing.T) {
	s := real.NewStage(t, replica.Config{})
	s.Create("P", 0, 1_000_000_000_000)
	set := func(seconds string) real.Answer {
		return s.Manage("P", "update_settings", s.About("P", "settings = record { freezing_threshold = opt ("+seconds+" : nat) }"))
	}
	if got := set("1_000_000_000_000"); got.Status != "replied" {
		t.Fatalf("freezing it: %v", got)
	}
	before := s.Canister(s.ID("P")).Balance
	if got := set("2_592_000"); got.Status != "replied" {
		t.Fatalf("a short update_settings of a frozen canister: %v", got)
	}
	after := s.Canister(s.ID("P")).Balance
	if fee := before.Sub(after); fee.IsZero() {
		t.Error("the message that thawed it was not paid for")
	}
}
