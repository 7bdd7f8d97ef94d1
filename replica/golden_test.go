package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

func TestScriptsGiveTheTracesTheyExpect(t *testing.T) { replicatest.Scripts(t, "testdata") }

func TestRealCanistersGiveTheTracesTheyExpect(t *testing.T) { real.Scripts(t, "testdata/real") }
