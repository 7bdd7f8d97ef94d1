package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/replica/replicatest/real"
)

func TestRealCanistersGiveTheTracesTheyExpect(t *testing.T) {
	real.Scripts(t, "testdata/real", *rewrite)
}
