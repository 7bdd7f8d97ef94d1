package harness_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/explore/harness"
)

func TestACallBeforeTheRunsDeliversTenThousandMessages(t *testing.T) {
	for turns, want := range map[int]string{4900: "", 5100: "A.run, before the operations: it is not answered"} {
		_, setup := scripted(t, "", canistertest.Turns(turns))
		_, done, err := harness.Prepare(setup.Base, setup.Operations)
		if err == nil {
			done()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("of %d messages: %v, want %q", 2*turns+1, err, want)
		}
	}
}
