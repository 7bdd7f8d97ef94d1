package campaign_test

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"github.com/canisterd/canisterd/daemon/bench/ratio"
	"github.com/canisterd/canisterd/explore/campaign"
	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/explore/search"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/sched"
)

// schedules is how many schedules one campaign of the benchmark explores.
const schedules = 200

// BenchmarkRatioExploreSchedules explores drawn orders of 8 messages among three canisters in Motoko, two banks and their
// vault: two withdrawals, each a message to its bank, one to the vault and the answer, and two deposits. One worker checks
// one invariant in each. The floor is the messages alone: the same network is forked, and steps deliver the messages in
// drawn orders.
func BenchmarkRatioExploreSchedules(b *testing.B) {
	s := banks(b, 1, map[string]string{"bank": "careful", "branch": "careful"})
	c := safe(b, s, "vault paidOut <= 200")
	for _, bank := range []string{"bank", "branch"} {
		c.Setup.Operations = append(c.Setup.Operations, operation(b, s, bank, "withdraw"), operation(b, s, bank, "deposit"))
	}
	strategy := search.Random()
	c.Only, c.Workers, c.Faults, c.NoBuiltin = &strategy, 1, 0, true
	c.Runs = schedules
	sample := ratio.Take(b, ratio.Each(func() {
		if _, err := campaign.Run(c); err != nil {
			b.Fatal(err)
		}
	}), messagesAlone(b, &c.Setup, 8))
	measured, floor := sample.Quartile()
	ratio.Report(b, 2, measured, floor)
	b.ReportMetric(schedules*1e9/measured, "schedules/s")
}

// messagesAlone delivers the messages of the operations on forks of the base, count of them on each.
func messagesAlone(b *testing.B, setup *harness.Setup, count int) ratio.Work {
	b.Helper()
	runner := new(replica.Coroutines)
	b.Cleanup(runner.Close)
	base := setup.Base.Fork(replica.ForkConfig{Parts: replica.Parts{Runner: runner}, Volatile: true})
	b.Cleanup(base.Close)
	for i := range setup.Operations {
		in := setup.Operations[i].Message
		in.ID, in.Expiry = sha256.Sum256([]byte{byte(i)}), base.Activity().Clock+replica.MaxIngressTTL
		if result := base.Apply(&in); result.Refusal != nil || result.Reject != nil {
			b.Fatal(result)
		}
	}
	chance := rand.New(rand.NewPCG(1, 1))
	return ratio.Each(func() {
		for range schedules {
			n, delivered := base.Fork(replica.ForkConfig{Parts: replica.Parts{Runner: runner}}), 0
			for n.Step(sched.Func(func(moves []sched.Move) int {
				delivered++
				return chance.IntN(len(moves))
			})) {
			}
			n.Close()
			if delivered != count {
				b.Fatalf("%d messages were delivered, not %d", delivered, count)
			}
		}
	})
}
