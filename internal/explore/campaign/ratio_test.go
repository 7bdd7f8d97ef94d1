package campaign_test

import (
	"crypto/sha256"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/search"
	"github.com/canisterd/canisterd/internal/explore/workqueue"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/campaigntest"
	"github.com/canisterd/canisterd/test/canistertest"
)

const (
	// schedules is how many schedules one campaign of the benchmarks explores, messages how many each of them delivers.
	schedules = 1000
	messages  = 8
	// orders is the number of all orders of these messages.
	orders = 1120
)

// threeCanisters is the exploration of 8 messages among three canisters in Motoko, two banks and their vault: two
// withdrawals, each a message to its bank, one to the vault and the answer, and two deposits. One worker checks one
// invariant in each run.
func threeCanisters(b *testing.B) *campaign.Config {
	b.Helper()
	network := replica.Config{Engine: canistertest.SharedEngine(b)}
	s := campaigntest.Banks(b, network, map[string]string{"bank": "careful", "branch": "careful"})
	c := campaigntest.NewConfig(b, s, "vault paidOut <= 200")
	for _, bank := range []string{"bank", "branch"} {
		for _, method := range []string{"withdraw", "deposit"} {
			c.Setup.Operations = append(c.Setup.Operations, campaigntest.Operation(s, bank, method))
		}
	}
	strategy := search.Random()
	c.Only, c.Runs, c.Workers, c.Faults, c.NoBuiltin = &strategy, schedules, 1, 0, true
	return c
}

// BenchmarkRatioExploreSchedules explores drawn orders. Runs that begin with the same messages share them. The floor is
// the messages alone: for each schedule, the same network is forked, and steps deliver all messages in a drawn order. Quiet
// runs measure 0.49 to 0.52, and 0.51 to 0.55 if GOMAXPROCS is 1, where the collector takes the time of the schedules.
func BenchmarkRatioExploreSchedules(b *testing.B) {
	c := threeCanisters(b)
	compare(b, 0.55, schedules, ratio.Each(func() {
		if _, err := campaign.Run(c); err != nil {
			b.Fatal(err)
		}
	}), messagesAlone(b, &c.Setup, schedules))
}

// BenchmarkRatioExploreOrders runs every order once, without regard to which of them are equivalent.
func BenchmarkRatioExploreOrders(b *testing.B) {
	c := threeCanisters(b)
	l := newHarness(b, c)
	all := search.Classes{Commute: func(_, _ *search.Move) bool { return false }, Visit: func(at search.Tree) bool {
		return len(c.Properties[0].AtRest(at.(*harness.Run))) == 0
	}}
	compare(b, 1.25, orders, ratio.Each(func() {
		if done := all.Explore(l.Begin(nil), search.Subtree{}); done.Classes != orders || !done.Finished {
			b.Fatalf("%d orders were run, all: %t", done.Classes, done.Finished)
		}
	}), messagesAlone(b, &c.Setup, orders))
}

// BenchmarkRatioExploreAlone makes runs in drawn orders that share nothing.
func BenchmarkRatioExploreAlone(b *testing.B) {
	c := threeCanisters(b)
	l := newHarness(b, c)
	chance := rand.New(rand.NewPCG(1, 1))
	picker := search.PickerFunc(func(moves []search.Move) int { return chance.IntN(len(moves)) })
	compare(b, 2, schedules, ratio.Each(func() {
		for range schedules {
			r := l.Begin(nil)
			if !search.Drive(r, picker, messages) || len(c.Properties[0].AtRest(r)) > 0 {
				b.Fatal("a run does not come to rest, or the invariant does not hold")
			}
			r.Close()
		}
	}), messagesAlone(b, &c.Setup, schedules))
}

func newHarness(b *testing.B, c *campaign.Config) *harness.Harness {
	b.Helper()
	l, err := harness.New(&c.Setup, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(l.Close)
	return l
}

// compare measures a number of schedules against their messages alone, both in a process that collects garbage as seldom as
// that of a worker.
func compare(b *testing.B, limit float64, count int, explored, alone ratio.Work) {
	b.Helper()
	workqueue.Dedicate(runtime.GOMAXPROCS(0))
	taken := ratio.Take(b, explored, alone)
	ratio.CompareTaken(b, limit, taken)
	measured, _ := taken.Quartile()
	b.ReportMetric(float64(count)*1e9/measured, "schedules/s")
}

// messagesAlone delivers the messages of the operations on forks of the base, one fork for each of a number of schedules.
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
		for range count {
			n, delivered := base.Fork(replica.ForkConfig{Parts: replica.Parts{Runner: runner}}), 0
			for n.Step(replica.OracleFunc(func(moves []replica.Move) int {
				delivered++
				return chance.IntN(len(moves))
			})) {
			}
			n.Close()
			if delivered != messages {
				b.Fatalf("%d messages were delivered, not %d", delivered, messages)
			}
		}
	})
}
