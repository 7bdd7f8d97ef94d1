package campaign

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// singleFaults returns the faults that the messages of a run without faults can have, in its order or an equivalent
// one. Only PassTime needs the distinction: whether a timer or a deadline is pending after a message differs between
// equivalent orders.
func (c *Config) singleFaults(steps []*harness.Step, due bool) (all []harness.Fault) {
	all = c.sites(steps)
	if c.Kinds == nil || slices.Contains(c.Kinds, harness.PassTime) {
		for _, at := range dueElsewhere(steps, due) {
			all = append(all, harness.Fault{At: at, Kind: harness.PassTime})
		}
	}
	return all
}

// dueElsewhere returns the messages after which no timer or deadline is pending in this order, but one may be in an
// equivalent order: an independent later message may come earlier there and set a timer, or an independent earlier
// message that stops a timer may come later. Due says that a timer or a deadline is pending when the run begins.
func dueElsewhere(steps []*harness.Step, due bool) (all []string) {
	pending := func(s *harness.Step) bool { return s.Due || s.Waited > 0 }
	if !due && !slices.ContainsFunc(steps, pending) { // most runs
		return nil
	}
	begin := 0 // first message since time last passed
	for i, s := range steps {
		if s.Waited > 0 {
			begin, due = i, true
		}
		if s.Due {
			continue
		}
		later := happenAfter(steps, i)
		may := slices.ContainsFunc(steps[i+1:], func(t *harness.Step) bool { return t.Due && !later[t.Move] })
		for u := begin; u < i && !may; u++ {
			before := u == begin && due || u > begin && steps[u-1].Due
			may = before && !happenAfter(steps[:i+1], u)[s.Move]
		}
		if may {
			all = append(all, s.Move)
		}
	}
	return all
}

// happenAfter returns a message and the later messages of a run that come after it in all equivalent orders.
func happenAfter(steps []*harness.Step, at int) map[string]bool {
	all, canisters, calls := make(map[string]bool), make(map[principal.Principal]bool), make(map[string]bool)
	for i, s := range steps[at:] {
		call := harness.CallOf(s.Move)
		switch {
		case i == 0, canisters[s.Canister], call != "" && calls[call]:
		case s.Waited > 0: // time passes only when no message is left, so all earlier messages come before
			for _, later := range steps[at+i:] {
				all[later.Move] = true
			}
			return all
		default:
			continue
		}
		all[s.Move], canisters[s.Canister], calls[call] = true, true, true
		for _, made := range s.Calls {
			calls[made.Name] = true
		}
	}
	return all
}
