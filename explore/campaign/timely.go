package campaign

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/explore/harness"
)

// alone are the faults that the messages of a run without faults may have, in its order or in an equivalent one. Only
// whether something happens when time passes behind a message is not the same in equivalent orders.
func (c *Config) alone(steps []*harness.Step, due bool) (all []harness.Fault) {
	all = c.sites(steps)
	if c.Kinds == nil || slices.Contains(c.Kinds, harness.PassTime) {
		for _, at := range timely(steps, due) {
			all = append(all, harness.Fault{At: at, Kind: harness.PassTime})
		}
	}
	return all
}

// timely are the messages of a run with no timer or deadline ahead after them in this order, but perhaps in an equivalent
// one: an independent message that comes later here may come earlier there and set a timer, or one that comes earlier here
// and stops a timer may come later there. Due says that a timer or a deadline is ahead when the run begins.
func timely(steps []*harness.Step, due bool) (all []string) {
	ahead := func(s *harness.Step) bool { return s.Due || s.Waited > 0 }
	if !due && !slices.ContainsFunc(steps, ahead) { // as mostly
		return nil
	}
	begin := 0 // of the messages at the present time
	for i, s := range steps {
		if s.Waited > 0 {
			begin, due = i, true
		}
		if s.Due {
			continue
		}
		later := followers(steps, i)
		may := slices.ContainsFunc(steps[i+1:], func(t *harness.Step) bool { return t.Due && !later[t.Move] })
		for u := begin; u < i && !may; u++ {
			before := u == begin && due || u > begin && steps[u-1].Due
			may = before && !followers(steps[:i+1], u)[s.Move]
		}
		if may {
			all = append(all, s.Move)
		}
	}
	return all
}

// followers are the later messages of a run that come after one in all equivalent orders.
func followers(steps []*harness.Step, at int) map[string]bool {
	all, canisters, calls := make(map[string]bool), make(map[principal.Principal]bool), make(map[string]bool)
	for i, s := range steps[at:] {
		call := harness.CallOf(s.Move)
		switch {
		case i == 0, canisters[s.Canister], call != "" && calls[call]:
		case s.Waited > 0: // all has come that was to come
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
