package replica_test

import (
	"runtime"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// withAnswers is a network of puppets that knows the answers to a number of updates. Readers have its view.
func withAnswers(t testing.TB, updates int) *replicatest.Stage {
	s := replicatest.NewStage(t, replica.Config{})
	s.Create(1, 1e18)
	for n := range updates {
		if _, refused := s.Submit(0, "run", "reply x"); refused != "" {
			t.Fatal(refused)
		}
		if n%500 == 499 {
			s.Round()
		}
	}
	s.Round()
	return s
}

// forkAndUpdate forks a network and executes an update in the fork, which it closes.
func forkAndUpdate(t testing.TB, s *replicatest.Stage) {
	f := *s
	f.Puppets = s.Puppets.Fork()
	f.Network = s.Network.Fork(replica.ForkConfig{}.Override(state.Overrides{Executor: f.Puppets}))
	defer f.Close()
	if _, refused := f.Submit(0, "run", "reply y"); refused != "" {
		t.Fatal(refused)
	}
	f.Round()
}

// A fork shares deadlines, records and changes of the certified tree with its source, also when it changes them.
func TestAnUpdateInAForkCopiesLittleOfManyAnswers(t *testing.T) {
	s := withAnswers(t, 10_000)
	forkAndUpdate(t, s)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const forks = 20
	for range forks {
		forkAndUpdate(t, s)
	}
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / forks; bytes > 100<<10 {
		t.Errorf("a fork and its first update allocate %d bytes, want at most 100 KiB", bytes)
	}
}

func TestWhatMessagesTakeIsCharged(t *testing.T) {
	const updates = 20_000
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	s := withAnswers(t, updates)
	taken, sum := heap()-before, s.Network.MessageBytes()
	if charged := sum.Waiting + sum.Answers + sum.Unstaged + sum.Records; charged < taken/2 || charged > 2*taken {
		t.Errorf("%d messages take %d bytes, and %d are charged: %+v", updates, taken, charged, sum)
	}
	fork := s.Network.Fork(replica.ForkConfig{}.Override(state.Overrides{Executor: s.Puppets.Fork()}))
	defer fork.Close()
	if records := fork.MessageBytes().Records; records != 0 {
		t.Errorf("a fork that shares all records is charged %d bytes for them", records)
	}
}

// BenchmarkRatioForkAndUpdateWith40000Answers is a fork with one update; the floor is the same for a network with few
// answers. The limit leaves room for the pages that the update copies, which are full there, and for the longer way in
// the tree: 1.4.
func BenchmarkRatioForkAndUpdateWith40000Answers(b *testing.B) {
	many, few := withAnswers(b, 40_000), withAnswers(b, 10)
	work := func(s *replicatest.Stage) ratio.Work {
		return func(n int) {
			for range n {
				forkAndUpdate(b, s)
			}
		}
	}
	ratio.Compare(b, 3, work(many), work(few))
}
