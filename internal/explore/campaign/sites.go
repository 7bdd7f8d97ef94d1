package campaign

import (
	"cmp"
	"slices"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// sites returns the faults that the messages of a run can have.
func (c *Config) sites(steps []*harness.Step) (all []harness.Fault) {
	for _, s := range steps {
		possible := c.Setup.Possible(s)
		if s.Kind == replica.MoveRequest && c.Untrusted != nil && c.Untrusted(s.Canister) {
			possible = append(possible, harness.Fault{At: s.Move, Kind: harness.Silent})
		}
		for _, f := range possible {
			if c.Kinds == nil || slices.Contains(c.Kinds, f.Kind) {
				all = append(all, f)
			}
		}
	}
	return all
}

// siteSet is a set of at most maxSites faults in the order of their addition.
type siteSet struct {
	list []harness.Fault
	seen map[harness.Fault]bool
	more bool // the set is full, and faults were left out
}

func (s *siteSet) add(faults []harness.Fault) {
	if s.seen == nil {
		s.seen = make(map[harness.Fault]bool)
	}
	for _, f := range faults {
		switch {
		case s.seen[f]:
		case len(s.list) == maxSites:
			s.more = true
		default:
			s.seen[f] = true
			s.list = append(s.list, f)
		}
	}
}

// kinds returns the kinds of the faults, sorted by name.
func (s *siteSet) kinds() (all []harness.FaultKind) {
	for i := range s.list {
		if kind := s.list[i].Kind; !slices.Contains(all, kind) {
			all = append(all, kind)
		}
	}
	slices.SortFunc(all, func(a, b harness.FaultKind) int { return cmp.Compare(a.String(), b.String()) })
	return all
}
