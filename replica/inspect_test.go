package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// What is prepared runs beside the network; where nothing is, Apply decides at once.
func TestAnInspectionIsPreparedForWhatACanisterMayAccept(t *testing.T) {
	s := real.NewStage(t, replica.Config{})
	for _, name := range []string{"A", "B", "frozen", "stopped", "empty"} {
		s.Create(name, 0, real.Plenty)
		if name != "empty" {
			s.Install(name, real.Install, canistertest.Scriptable(), nil)
		}
	}
	s.Manage("frozen", "update_settings", s.About("frozen", "settings = record { freezing_threshold = opt (1_000_000_000_000_000 : nat) }"))
	s.Manage("stopped", "stop_canister", s.About("stopped", ""))
	for _, c := range []struct {
		receiver, effective string
		prepared            bool
	}{{"A", "A", true}, {"A", "B", false}, {"frozen", "frozen", false}, {"stopped", "stopped", false}, {"empty", "empty", false}} {
		inspection := s.Inspect(s.Ingress(s.ID(c.receiver), s.ID(c.effective), "run", nil))
		if (inspection != nil) != c.prepared {
			t.Errorf("a message to %s about %s has an inspection: %t", c.receiver, c.effective, !c.prepared)
		}
		if inspection != nil {
			inspection.Discard()
		}
	}
}
