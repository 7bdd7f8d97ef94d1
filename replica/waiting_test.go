package replica_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// Best-effort calls give their slots back when they expire, also those to the
// management canister that wait until a canister is idle: more may wait than a queue
// has room for.
func TestMoreCallsMayWaitForABusyCanisterThanAQueueHolds(t *testing.T) {
	s := replicatest.NewStage(t, replica.Config{SliceInstructions: 1_000_000})
	s.Create(2, plenty)
	long := submit(t, s, 1, "run", "spend 20000000 reply long")
	flood := strings.Repeat("manage uninstall cycles 9 within 1 (1) then (count) else (count) ", 500)
	var floods []replica.RequestID
	for range 3 {
		floods = append(floods, submit(t, s, 0, "run", flood+"reply made"))
		s.Round()
		s.Apply(replica.AdvanceTo(s.View().Time + 3*second))
		s.Round()
	}
	for s.Activity().HasDueWork {
		s.Round()
	}
	expect(t, "the long message", s.Answer(long), "replied: long")
	for i, id := range floods {
		expect(t, fmt.Sprintf("flood %d", i), s.Answer(id), "replied: made")
	}
	if n := replicatest.Count(s.Canister(s.ID(0))); n != 1500 {
		t.Errorf("%d callbacks ran, want 1500", n)
	}
	if s.Canister(s.ID(1)).Installed == 0 {
		t.Error("a call that had expired was executed")
	}
	if count := s.Introspect().AuditCycles(); !balanced(&count) || !count.Attached.IsZero() {
		t.Errorf("the books do not balance: %+v", count)
	}
}
