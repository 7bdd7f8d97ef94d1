package harness_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/explore/harness"
)

// turn is a call to B, and the same again where its answer comes, until the register is 0: two messages each time. It
// is the 102 bytes at the beginning of the heap.
const turn = `if less(get, 1) {reply "done"}; ` +
	`if get {set subtract(get, 1); call-new B, "run", heap-read(0, 102), {}; call-data {reply}; drop perform}`

func TestACallBeforeTheRunsDeliversTenThousandMessages(t *testing.T) {
	for turns, want := range map[int]string{4900: "", 5100: "A.run, before the operations: it is not answered"} {
		_, setup := scripted(t, "", fmt.Sprintf("set %d; heap-write 0, {%s}; %s", turns, turn, turn))
		_, done, err := harness.Prepare(setup.Base, setup.Operations)
		if err == nil {
			done()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("of %d messages: %v, want %q", 2*turns+1, err, want)
		}
	}
}
