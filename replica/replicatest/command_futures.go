package replicatest

import (
	"fmt"

	"github.com/canisterd/canisterd/replica/introspect"
)

// futures lists the registered futures with what they wait for.
func (p *performer) futures(words []string) {
	paged(p, words, p.stage.Introspect().Futures, func(f *introspect.OpenFuture) string {
		line := fmt.Sprintf("%s %s of %s to %s", p.calls([]introspect.CallRef{f.CallRef}), f.Method, p.name(f.Caller), p.name(f.Callee))
		if f.Deadline != 0 {
			line += ", deadline " + since(f.Deadline)
		}
		if !f.Attached.IsZero() {
			line += fmt.Sprintf(", %s cycles", f.Attached)
		}
		if f.Circular {
			line += ", circular"
		}
		if f.Deadlocked {
			line += ", deadlocked"
		}
		return line + ", " + p.waits(&f.Waits)
	})
}
