package campaign_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

func TestTheMatrixHasEachFaultOfAnAwaitAndItsHoles(t *testing.T) {
	const program = `call B.run(reply "x") on-reply(reply "ok") on-reject(reply "no")`
	kinds := []harness.FaultKind{
		harness.RejectTransient, harness.RejectDestination, harness.RejectError, harness.RejectCanister, harness.TrapCallback, harness.TrapCleanup,
		harness.NoCalls, harness.Silent, harness.Stop,
	}
	c := scripted(t, program)
	inOrder(c, 1) // no run has a fault
	r := run(t, c)
	if len(r.Awaits) != 1 || r.Awaits[0].Runs != 2 || len(r.Awaits[0].Tried) != len(kinds) {
		t.Fatalf("the awaits are %+v", r.Awaits)
	}
	for _, kind := range kinds {
		if runs, possible := r.Awaits[0].Tried[kind]; !possible || runs != 0 {
			t.Errorf("%s: possible %t, %d runs", kind, possible, runs)
		}
	}
	c = scripted(t, program)
	c.Setup.Operations = c.Setup.Operations[:1]
	r = run(t, c)
	if a := r.Awaits[0]; !strings.HasSuffix(a.Caller, ".run") || len(a.Tried) != len(kinds) {
		t.Errorf("the await is %+v", a)
	}
	for _, kind := range kinds {
		if r.Awaits[0].Tried[kind] == 0 {
			t.Errorf("no run has %s", kind)
		}
	}
}
