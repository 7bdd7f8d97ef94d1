package introspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

func TestTimersOfSeveralSubnetsComeInOneOrderOnPagesOfEachSize(t *testing.T) {
	n := new(Network)
	var want []string
	for subnet := range 3 {
		s := new(state.State)
		for i := range 20 {
			at, owner := uint64(i*7%5), principal.Canister(uint64(i%2))
			s.Deadlines.Add(timers.Deadline{At: at, Kind: timers.GlobalTimer, Subject: owner, Number: uint64(i)})
			want = append(want, fmt.Sprintf("%d of subnet %d: %02d of %s", at, subnet, i, owner))
		}
		s.ID = principal.Canister(uint64(100 + subnet))
		n.Add("", s)
	}
	slices.Sort(want)
	text := func(d PendingTimer) string {
		subnet := slices.IndexFunc(n.Subnets, func(s *Subnet) bool { return s.ID == d.Subnet })
		return fmt.Sprintf("%d of subnet %d: %02d of %s", d.Due, subnet, d.Number, d.Canister)
	}
	odd := principal.Canister(1)
	for _, of := range []*principal.Principal{nil, &odd} {
		wanted := slices.DeleteFunc(slices.Clone(want), func(line string) bool { return of != nil && !strings.HasSuffix(line, of.String()) })
		for limit := 1; limit <= len(want)+1; limit++ {
			var got []string
			page := Page{Limit: limit, Canister: of}
			for next := new(Cursor); next != nil; {
				page.After = *next
				var some []PendingTimer
				some, next = n.Timers(page)
				if len(some) > limit || next != nil && len(some) < limit {
					t.Fatalf("a page of %d has %d timers", limit, len(some))
				}
				for _, d := range some {
					got = append(got, text(d))
				}
			}
			if !slices.Equal(got, wanted) {
				t.Fatalf("pages of %d:\n%q\nwant\n%q", limit, got, wanted)
			}
		}
	}
}
