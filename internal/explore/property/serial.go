package property

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

// Serializable finds runs of concurrent operations whose answers and observed state no serial order of the operations
// gives. These are suspicions: a service may promise less.
type Serializable struct {
	atRest
	Observe []harness.Query
	serial  map[string]bool
}

// Name returns "serializable".
func (*Serializable) Name() string { return "serializable" }

// Learn records what a serial run shows.
func (p *Serializable) Learn(r *harness.Run, serial bool) {
	if !serial {
		return
	}
	if p.serial == nil {
		p.serial = make(map[string]bool)
	}
	p.serial[p.shown(r)] = true
}

// shown returns what users see of a run.
func (p *Serializable) shown(r *harness.Run) string {
	var all strings.Builder
	for _, a := range r.Answers() {
		fmt.Fprintln(&all, a)
	}
	for i := range p.Observe {
		reply, err := r.Query(&p.Observe[i])
		fmt.Fprintf(&all, "%x %v\n", reply, err)
	}
	return all.String()
}

// AtRest compares a run without faults with the serial ones.
func (p *Serializable) AtRest(r *harness.Run) []Violation {
	if p.serial == nil || len(r.Plan()) > 0 || p.serial[p.shown(r)] {
		return nil
	}
	first := &r.Setup().Operations[0].Message
	return []Violation{{
		Property: p.Name(), Canister: first.Receiver, Method: first.Method, Suspicion: true,
		Text: "the answers and the observed state are not those of any serial order of the operations",
	}}
}
