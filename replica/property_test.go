package replica_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
	"github.com/canisterd/canisterd/replica/replicatest"
)

const actors = 5

// programs draws a random program of at most this depth of calls.
func programs(t *rapid.T, depth int) string {
	var words []string
	for range rapid.IntRange(0, 3).Draw(t, "words") {
		kind := rapid.IntRange(0, 7).Draw(t, "word")
		switch {
		case kind == 0:
			words = append(words, "count")
		case kind == 1:
			words = append(words, fmt.Sprintf("spend %d", rapid.IntRange(1, 400_000).Draw(t, "instructions")))
		case kind == 2:
			words = append(words, fmt.Sprintf("accept %d", rapid.IntRange(0, 900).Draw(t, "accepted")))
		case kind == 3:
			words = append(words, fmt.Sprintf("burn %d", rapid.IntRange(0, 900).Draw(t, "burned")))
		case depth > 0:
			words = append(words, calls(t, depth-1))
		}
	}
	end := rapid.SampledFrom([]string{"reply a", "reply b", "reject c", "trap d", "", "echo"}).Draw(t, "end")
	return strings.Join(append(words, end), " ")
}

func calls(t *rapid.T, depth int) string {
	call := fmt.Sprintf("call %d", rapid.IntRange(0, actors).Draw(t, "callee")) // the last one does not exist
	if rapid.IntRange(0, 9).Draw(t, "manages") == 0 {
		call = rapid.SampledFrom([]string{"deposit", "create", "stop", "start", "uninstall"}).Draw(t, "method")
		call = fmt.Sprintf("manage %s cycles 800 (%d)", call, rapid.IntRange(0, actors).Draw(t, "about"))
		return call + fmt.Sprintf(" then (%s) else (%s)", programs(t, 0), programs(t, 0))
	}
	if rapid.Bool().Draw(t, "pays") {
		call += fmt.Sprintf(" cycles %d", rapid.IntRange(1, 1000).Draw(t, "cycles"))
	}
	if rapid.IntRange(0, 3).Draw(t, "bounded") == 0 {
		call += " within 100"
	}
	call += fmt.Sprintf(" (%s) then (%s) else (%s)", programs(t, depth), programs(t, depth), programs(t, 0))
	if rapid.IntRange(0, 2).Draw(t, "cleans") == 0 {
		call += " finally (count)"
	}
	return call
}

// action is one thing a user does in a run.
type action struct {
	n               int
	method, program string
	rounds          int // that pass before the next
	advance         uint64
}

func actions(t *rapid.T) []action {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) action {
		a := action{n: rapid.IntRange(0, actors-1).Draw(t, "receiver"), method: "run", rounds: rapid.IntRange(0, 2).Draw(t, "rounds")}
		switch rapid.IntRange(0, 9).Draw(t, "action") {
		case 0:
			a.method = rapid.SampledFrom([]string{"stop", "start", "uninstall", "install"}).Draw(t, "method")
			a.program = fmt.Sprint(a.n)
		case 1:
			a.advance = rapid.Uint64Range(1, 200).Draw(t, "seconds") * second
			fallthrough
		default:
			a.program = programs(t, 3)
		}
		return a
	}), 1, 12).Draw(t, "actions")
}

func config(t *rapid.T) replica.Config {
	c := replica.Config{SliceInstructions: 100_000}
	if rapid.Bool().Draw(t, "limited") {
		c.RoundMessages, c.RoundInstructions = 3, 300_000
	}
	return c
}

// runProgram does the actions; pass is how a round happens. It gives the state at the
// end and what was seen on the way.
func runProgram(t testing.TB, c replica.Config, actions []action, pass func(*replica.Network)) ([32]byte, string, *replicatest.Stage) {
	return runOn(t, c, actions, func(s *replicatest.Stage) { pass(s.Network) })
}

// runOn is runProgram; pass may put another network on the stage.
func runOn(t testing.TB, c replica.Config, actions []action, pass func(*replicatest.Stage)) ([32]byte, string, *replicatest.Stage) {
	var log strings.Builder
	c.Events = eventLog{&log}
	s := replicatest.NewStage(t, c)
	s.Create(actors, plenty)
	pass(s)
	for _, a := range actions {
		_, refused := s.Submit(a.n, a.method, a.program)
		log.WriteString(refused + "\n")
		if a.advance > 0 {
			s.Apply(replica.AdvanceTo(s.View().Time + a.advance))
		}
		for range a.rounds {
			pass(s)
		}
	}
	for i := 0; s.Activity().HasDueWork; i++ {
		if i > 5000 {
			t.Fatal("the run does not end")
		}
		pass(s)
	}
	return s.RootHash(), log.String(), s
}

// eventLog records every event, without the order within a batch.
type eventLog struct{ to *strings.Builder }

func (l eventLog) Event(e *replica.Event) {
	fmt.Fprintf(l.to, "%d %s %v %v %d %d %s %v\n", e.Height, e.Kind, e.Canister, e.Peer, e.Context, e.Call, e.Method, e.Reject)
}

func round(n *replica.Network) { n.Round() }

// steps makes a whole round in steps.
func steps(oracle replica.Oracle) func(*replica.Network) {
	return func(n *replica.Network) {
		height := n.View().Height
		for n.View().Height == height {
			n.Step(oracle)
		}
	}
}

func TestTheSameInputsGiveTheSameStateAndEvents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, a := config(rt), actions(rt)
		_, seen, one := runProgram(t, c, a, round)
		_, again, two := runProgram(t, c, a, round)
		if stateHash(t, one.Network) != stateHash(t, two.Network) || seen != again {
			rt.Fatalf("two runs of %+v differ", a)
		}
	})
}

func TestTheStepDriverWithFIFODoesWhatTheRoundDriverDoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, a := config(rt), actions(rt)
		one, seen, _ := runProgram(t, c, a, round)
		two, again, _ := runProgram(t, c, a, steps(replica.FIFO{}))
		if one != two {
			lines, other := strings.Split(seen, "\n"), strings.Split(again, "\n")
			for i := range min(len(lines), len(other)) {
				if lines[i] != other[i] {
					from := max(0, i-6)
					rt.Fatalf("%+v\nround:\n%s\nsteps:\n%s", a, strings.Join(lines[from:min(i+6, len(lines))], "\n"), strings.Join(other[from:min(i+6, len(other))], "\n"))
				}
			}
			rt.Fatalf("rounds and steps of %+v differ", a)
		}
	})
}

// partly makes some steps and lets a round do the rest.
func partly(count func() int) func(*replica.Network) {
	return func(n *replica.Network) {
		height := n.View().Height
		for range count() {
			if n.Step(replica.FIFO{}); n.View().Height != height {
				return
			}
		}
		n.Round()
	}
}

func TestARoundGoesOnWhereStepsHaveLeftIt(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, a := config(rt), actions(rt)
		one, seen, _ := runProgram(t, c, a, round)
		two, again, _ := runProgram(t, c, a, partly(func() int { return rapid.IntRange(0, 6).Draw(rt, "steps") }))
		if one != two {
			rt.Fatalf("rounds:\n%s\nsteps and rounds of %+v:\n%s", seen, a, again)
		}
	})
}

func TestUnderAnyScheduleNothingIsLeftAndNoCyclesAppear(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, a := config(rt), actions(rt)
		c.Subnets = []replica.SubnetConfig{{Kind: replica.System}} // nothing costs anything
		oracle := replica.OracleFunc(func(moves []replica.Move) int { return rapid.IntRange(0, len(moves)-1).Draw(rt, "move") })
		_, _, s := runProgram(t, c, a, steps(oracle))
		for range actors { // a canister that stops itself waits for itself until that times out
			s.Apply(replica.AdvanceTo(s.View().Time + 301*second))
			for pass := true; pass || s.Activity().HasDueWork; pass = false {
				s.Round()
			}
		}
		census := s.Census()
		if census.Contexts != 0 || census.Futures != 0 || census.Waiting != 0 || census.Parked != 0 {
			rt.Fatalf("left after %+v: %+v", a, census)
		}
		if count := s.Introspect().AuditCycles(); !balanced(&count) || count.Held() != count.Balances {
			rt.Fatalf("the books of %+v do not balance: %+v", a, count)
		}
	})
}

// balanced reports whether all cycles that came out of nothing are still there, or
// went where cycles may go.
func balanced(t *introspect.CyclesAudit) bool { return t.Held().Add(t.Spent()) == t.Minted }

func TestEveryCycleIsAccountedForAtEveryMoment(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, a := config(rt), actions(rt)
		oracle := replica.OracleFunc(func(moves []replica.Move) int { return rapid.IntRange(0, len(moves)-1).Draw(rt, "move") })
		runProgram(t, c, a, func(n *replica.Network) {
			for height := n.View().Height; n.View().Height == height; {
				n.Step(oracle)
				if count := n.Introspect().AuditCycles(); !balanced(&count) {
					rt.Fatalf("the books of %+v do not balance: held %s, spent %s, minted %s: %+v", a, count.Held(), count.Spent(), count.Minted, count)
				}
			}
		})
	})
}
