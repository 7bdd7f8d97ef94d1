package main

import (
	"context"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

var rewrite = flag.Bool("rewrite", false, "write what the story says now")

// stopwatch is what executions took, which differs from run to run.
var stopwatch = regexp.MustCompile(` +\d[\d.]* (ns|µs|ms|s)\b`)

func TestABankThatChecksBeforeAnAwaitPaysTwiceAndOneThatDeductsDoesNot(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), "", &out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"The account had 100, and 200 were paid.", "The account had 100, and 100 were paid."} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the story does not say %q", line)
		}
	}
	const file = "testdata/story.txt"
	got := stopwatch.ReplaceAllString(out.String(), "")
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the story is\n%s\nwant\n%s", got, want)
	}
}

// What the vault does not pay comes back: the call is held on its way and rejected in the
// place of the vault.
func TestTheCarefulBankGivesBackWhatTheVaultDoesNotPay(t *testing.T) {
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", Pacing: daemon.Manual})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	client, err := remote.Dial(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s := &story{daemon: client, instance: "default", out: new(strings.Builder)}
	ctx := t.Context()
	if err := s.begin(ctx, careful); err != nil {
		t.Fatal(err)
	}
	_, err = client.Flights.AddRule(ctx, &controlv1.AddRuleRequest{Rule: &controlv1.Rule{
		Match: &controlv1.Match{Callee: s.vault}, Action: &controlv1.Rule_Hold{Hold: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.submit(ctx, "[70]")
	if err != nil {
		t.Fatal(err)
	}
	held, err := client.Flights.AwaitHeld(ctx, &controlv1.AwaitHeldRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if got := balance(ctx, t, s); got != "[30]" {
		t.Errorf("meanwhile the balance is %s, want [30]", got)
	}
	reject := &controlv1.Reject{Code: controlv1.RejectCode_REJECT_CODE_CANISTER_REJECT, Text: "closed on Sundays"}
	_, err = client.Flights.Settle(ctx, &controlv1.SettleRequest{
		Which:  &controlv1.SettleRequest_HeldId{HeldId: held.GetHeld().GetHeldId()},
		Answer: &controlv1.Answer{Answer: &controlv1.Answer_Reject{Reject: reject}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Clock.RunUntil(ctx, &controlv1.RunUntilRequest{Condition: &controlv1.RunUntilRequest_RequestId{RequestId: id}}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.await(ctx, id); err != nil || got != `[{"refused":"the vault does not pay"}]` {
		t.Errorf("the withdrawal is answered %s, %v", got, err)
	}
	if got := balance(ctx, t, s); got != "[100]" {
		t.Errorf("the balance is %s, want [100]", got)
	}
}

func balance(ctx context.Context, t *testing.T, s *story) string {
	t.Helper()
	got, err := s.call(ctx, s.bank, "balance", "[]")
	if err != nil {
		t.Fatal(err)
	}
	return got
}
