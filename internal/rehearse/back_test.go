package rehearse_test

import (
	"fmt"
	"strings"
	"testing"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// The old module was read from a snapshot of a fork, which such a canister cannot take.
func TestTheWayBackIsTriedForACanisterWithAllItsSnapshots(t *testing.T) {
	s := started(t)
	p := s.plan(t, "snapshots")
	old, next := echoing(t, "old"), echoing(t, "new")
	s.install(t, p.Instance, p.Canister, old, "")
	described, err := s.Canisters.GetCanister(t.Context(), &controlv1.GetCanisterRequest{Instance: p.Instance, CanisterId: p.Canister})
	if err != nil {
		t.Fatal(err)
	}
	const most = 10
	for i := range most + 1 {
		got, err := s.Calls.Update(t.Context(), &controlv1.UpdateRequest{Instance: p.Instance, Call: &controlv1.Call{
			CanisterId: "aaaaa-aa", EffectiveCanisterId: p.Canister, Method: "take_canister_snapshot",
			Sender:   described.GetCanister().GetSettings().GetControllers().GetPrincipals()[0],
			Argument: &controlv1.Value{Form: &controlv1.Value_Text{Text: fmt.Sprintf(`(record { canister_id = principal %q })`, p.Canister)}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if reject := got.GetOutcome().GetReject(); (reject != nil) != (i == most) {
			t.Fatalf("snapshot %d: %v", i, reject)
		}
	}
	p.Module = next
	verdict := run(t, p)
	if said := text(verdict); !strings.Contains(said, "passed way back") {
		t.Errorf("the way back is not tried:\n%s", said)
	}
}

// echoing is a module with a query of a name.
func echoing(t *testing.T, name string) []byte {
	t.Helper()
	module, err := wat.Assemble(fmt.Sprintf(`(module (import "ic0" "msg_reply" (func $reply)) (func (export "canister_query %s") (call $reply)))`, name))
	if err != nil {
		t.Fatal(err)
	}
	return module
}
