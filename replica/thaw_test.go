package replica_test

import (
	"strings"
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

func TestAnArgumentOf366BytesThawsAFrozenCanisterAndALongerOneDoesNot(t *testing.T) {
	s := real.NewStage(t, replica.Config{})
	s.Create("P", 0, 1_000_000_000_000)
	setting := func(seconds string, padding int) []byte {
		return s.About("P", "settings = record { freezing_threshold = opt ("+seconds+" : nat) }; padding = \""+strings.Repeat("x", padding)+"\"")
	}
	if got := s.Manage("P", "update_settings", setting("1_000_000_000_000", 0)); got.Status != "replied" {
		t.Fatalf("freezing it: %v", got)
	}
	padding := 200 + 366 - len(setting("2_592_000", 200))
	for _, c := range []struct {
		padding, bytes int
		want           string
	}{{padding + 1, 367, "not taken"}, {padding, 366, "replied"}} {
		arg := setting("2_592_000", c.padding)
		if got := s.Manage("P", "update_settings", arg); len(arg) != c.bytes || got.Status != c.want {
			t.Errorf("an argument of %d bytes: %v, want one of %d to be %s", len(arg), got, c.bytes, c.want)
		}
	}
}
