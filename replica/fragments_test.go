package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestRealCanistersGiveTheirTracesInFragments(t *testing.T) {
	tracesWith(t, canister.FragmentsAlways)
}

func TestRealCanistersGiveTheirTracesWhenTheirCompilationEndsAtRandomMessages(t *testing.T) {
	tracesWith(t, canister.FragmentsAtRandom)
}

// tracesWith runs the scripts with modules in fragments.
func tracesWith(t *testing.T, use canister.Fragments) {
	t.Helper()
	canistertest.UseFragments(t, use, 37)
	real.ScriptsBetween(t, "testdata/real", func(testing.TB) replicatest.Between {
		return func(_ testing.TB, n *replica.Network, _ replica.Config) *replica.Network { return n }
	}, slowScripts...)
}
