package replica_test

import (
	"flag"
	"testing"

	"github.com/canisterd/canisterd/replica/replicatest"
)

var rewrite = flag.Bool("rewrite", false, "write what the scripts in testdata say now")

func TestScriptsGiveTheTracesTheyExpect(t *testing.T) { replicatest.Scripts(t, "testdata", *rewrite) }
