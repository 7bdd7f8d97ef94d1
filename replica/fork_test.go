package replica_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// forkNow draws whether a network is forked now.
func forkNow(t *rapid.T) bool { return rapid.IntRange(0, 5).Draw(t, "fork") == 0 }

// listening is a fork with a listener for its events.
func listening(sink replica.EventSink) replica.ForkConfig {
	return replica.ForkConfig{Parts: replica.Parts{Events: sink}}
}

// stepping makes a round in steps, with something before each of them.
func stepping[S interface {
	View() *replica.View
	Step(replica.Oracle) bool
}](s S, before func(),
) {
	for height := s.View().Height; s.View().Height == height; {
		before()
		s.Step(replica.FIFO{})
	}
}

func TestAForkGoesOnAsItsSourceWouldHave(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, a := config(rt), actions(rt)
		want, seen, _ := runProgram(t, c, a, round)
		for _, driver := range []string{"rounds", "steps"} {
			swap := func(s *replicatest.Stage) {
				if forkNow(rt) {
					old := *s
					*s = *s.Fork(listening(s.Listener()))
					old.Close()
				}
			}
			got, again, _ := runOn(t, c, a, func(s *replicatest.Stage) {
				if driver == "rounds" {
					swap(s)
					s.Round()
					return
				}
				stepping(s, func() { swap(s) })
			})
			if got != want || again != seen {
				rt.Fatalf("in %s a fork does otherwise than its source: %+v\n%s\nfork:\n%s", driver, a, seen, again)
			}
		}
	})
}

func TestSourceAndForkDoNotNoticeEachOther(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, a := config(rt), actions(rt)
		want, seen, _ := runProgram(t, c, a, round)
		var others []*replicatest.Stage
		got, again, _ := runOn(t, c, a, func(s *replicatest.Stage) {
			if forkNow(rt) && len(others) < 4 {
				sink := s.Listener()
				f := s.Fork(replica.ForkConfig{})
				if rapid.Bool().Draw(rt, "source") {
					*s, *f = *f, *s
				}
				f.Listen(nil)
				s.Listen(sink)
				others = append(others, f)
			}
			for i, other := range others {
				switch rapid.IntRange(0, 3).Draw(rt, "other") {
				case 0:
					other.Submit(i, "run", programs(rt, 2))
				case 1:
					other.Round()
				case 2:
					other.Step(replica.FIFO{})
				}
			}
			for i, other := range others {
				if rapid.IntRange(0, 9).Draw(rt, "close") == 0 {
					other.Close()
					others = append(others[:i], others[i+1:]...)
					break
				}
			}
			s.Round()
		})
		if got != want || again != seen {
			rt.Fatalf("a network notices its forks: %+v\n%s\nforked:\n%s", a, seen, again)
		}
	})
}

func TestAScenarioOfRealCanistersGoesOnInAForkAsInItsSource(t *testing.T) {
	few(t)
	th := newHarness(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		want := th.run(d, nil, round)
		saw := new(seen)
		swap := func(s *real.Stage) {
			if forkNow(rt) {
				old := *s
				*s = *s.Fork(listening(saw))
				old.Close()
			}
		}
		identical(rt, d, "rounds", want, th.runOn(d, nil, saw, func(s *real.Stage) {
			swap(s)
			s.Round()
		}))
		*saw = seen{}
		same(rt, d, "steps", want, th.runOn(d, nil, saw, func(s *real.Stage) { stepping(s, func() { swap(s) }) }))
	})
}

func TestRealCanistersDoNotNoticeTheirForks(t *testing.T) {
	few(t)
	th := newHarness(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		want := th.run(d, nil, round)
		saw := new(seen)
		var others []*real.Stage
		got := th.runOn(d, nil, saw, func(s *real.Stage) {
			if forkNow(rt) && len(others) < 4 {
				f := s.Fork(replica.ForkConfig{})
				if rapid.Bool().Draw(rt, "source") {
					*s, *f = *f, *s
				}
				f.Listen(nil)
				s.Listen(saw)
				others = append(others, f)
			}
			for _, other := range others {
				switch rapid.IntRange(0, 3).Draw(rt, "other") {
				case 0:
					name := rapid.SampledFrom(canisterNames).Draw(rt, "name")
					parsed, err := canistertest.Parse(program(rt, 1), other.Names)
					if err != nil {
						panic(err)
					}
					other.Submit(name, "run", parsed.Bytes())
				case 1:
					other.Round()
				case 2:
					other.Step(replica.FIFO{})
				}
			}
			s.Round()
		})
		for _, i := range rapid.Permutation(others).Draw(rt, "order") {
			i.Close()
		}
		identical(rt, d, "with forks", want, got)
	})
}
