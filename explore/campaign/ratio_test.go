package campaign_test

import (
	"math/rand/v2"
	"testing"

	"github.com/canisterd/canisterd/daemon/bench/ratio"
	"github.com/canisterd/canisterd/explore/campaign"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/search"
)

// BenchmarkRatioExploreSchedules explores 200 drawn orders of three withdrawals (9 messages) and checks one invariant in
// each, in one worker; the floor is the messages alone, delivered in drawn orders on forks of a network.
func BenchmarkRatioExploreSchedules(b *testing.B) {
	c := theft(b, "careful", 3)
	strategy := search.Random()
	c.Only, c.Workers, c.Faults, c.NoBuiltin = &strategy, 1, 0, true
	c.Runs = 200
	explored := ratio.Each(func() {
		if _, err := campaign.Run(c); err != nil {
			b.Fatal(err)
		}
	})
	l, err := harness.New(&c.Setup, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	number := uint64(0)
	delivered := ratio.Each(func() {
		for range c.Runs {
			number++
			r := l.Begin(nil)
			search.Drive(r, strategy.Begin(rand.New(rand.NewPCG(1, number)), nil), 1000)
			r.Close()
		}
	})
	ratio.Compare(b, 2.5, explored, delivered)
}
