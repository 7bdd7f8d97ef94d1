package replica_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// meddling is something a tester does to messages on their way: what is drawn does not
// depend on what happens, so that two runs of a program are meddled with alike.
type meddling struct {
	kind   int
	which  int // of the held messages, rules or futures there are
	rule   replica.Rule
	answer replica.Settlement
}

func (m meddling) String() string {
	return fmt.Sprintf("%d %d %+v %+v", m.kind, m.which, m.rule, m.answer)
}

const (
	addsRule = iota
	removesRule
	releases
	drops
	settles
	settlesCall
	fires
	meddlings
)

func meddles(t *rapid.T) meddling {
	m := meddling{kind: rapid.IntRange(0, meddlings-1).Draw(t, "meddling"), which: rapid.IntRange(0, 20).Draw(t, "which")}
	switch rapid.IntRange(0, 2).Draw(t, "answer") {
	case 0:
		m.answer.Reply = []byte("m")
	case 1:
		m.answer.Reject = &intercanister.Reject{Code: intercanister.RejectCode(rapid.IntRange(1, 5).Draw(t, "code")), Text: "m"}
	default:
		m.answer.Unknown = true
	}
	if m.kind != addsRule && rapid.IntRange(0, 2).Draw(t, "rules") > 0 {
		return m
	}
	m.kind = addsRule
	match := &m.rule.Match
	match.Kind = replica.MessageKind(rapid.IntRange(1, 3).Draw(t, "kind"))
	match.Skip, match.Times = rapid.Uint64Range(0, 2).Draw(t, "skip"), rapid.Uint64Range(0, 3).Draw(t, "times")
	if rapid.Bool().Draw(t, "managing") {
		match.Method = rapid.SampledFrom([]string{"run", "*", "d*t", "create"}).Draw(t, "method")
	}
	m.rule.Action = replica.Action{
		Kind: replica.ActionKind(rapid.IntRange(1, 7).Draw(t, "action")), Delay: rapid.Uint64Range(0, 100).Draw(t, "delay") * second,
	}
	switch m.rule.Action.Kind {
	case replica.ActReply:
		m.rule.Action.Reply = []byte("r")
	case replica.ActReject:
		m.rule.Action.Reject = &intercanister.Reject{Code: intercanister.SysTransient, Text: "r"}
	}
	return m
}

// meddle does it, and tells the result.
func (m *meddling) meddle(s *replica.Network, canister principal.Principal) string {
	held := s.Introspect().Held(0, 0, introspect.MaxListed)
	id := uint64(0)
	if len(held) > 0 {
		id = held[m.which%len(held)].ID
	}
	switch m.kind {
	case addsRule:
		return outcomeOf(s.Apply(&replica.AddRule{Rule: m.rule}))
	case removesRule:
		return outcomeOf(s.Apply(replica.RemoveRule{ID: uint64(m.which), Release: m.which%2 == 0}))
	case releases:
		return outcomeOf(s.Apply(replica.ReleaseHeld{ID: id}))
	case drops:
		return outcomeOf(s.Apply(replica.DropHeld{ID: id}))
	case settles:
		return outcomeOf(s.Apply(&replica.SettleHeld{ID: id, Answer: m.answer}))
	case fires:
		return outcomeOf(s.Apply(replica.FireTimer{Canister: canister}))
	}
	futures, _ := s.Introspect().Futures(introspect.Page{})
	if len(futures) == 0 {
		return ""
	}
	f := futures[m.which%len(futures)]
	return outcomeOf(s.Apply(&replica.SettleCall{Subnet: f.Subnet, Call: f.Call, Answer: m.answer}))
}

func outcomeOf(r replica.Result) string {
	if r.Refusal != nil {
		return r.Refusal.Text
	}
	return fmt.Sprint(r.Rule)
}

// meddled does actions, with meddling before each round; before is called before every step or round. In the end all
// held messages are released.
func meddled(t testing.TB, c replica.Config, all []action, doing []meddling, pass func(*replicatest.Stage)) (string, *replicatest.Stage) {
	var log strings.Builder
	c.Events = eventLog{&log}
	s := replicatest.NewStage(t, c)
	s.Create(actors, plenty)
	for i := range max(len(all), len(doing)) {
		if i < len(doing) {
			log.WriteString(doing[i].meddle(s.Network, s.ID(doing[i].which)) + "\n")
		}
		if i < len(all) {
			_, refused := s.Submit(all[i].n, all[i].method, all[i].program)
			log.WriteString(refused + "\n")
			if all[i].advance > 0 {
				s.Apply(replica.AdvanceTo(s.View().Time + all[i].advance))
			}
		}
		pass(s)
		fmt.Fprintf(&log, "%x\n", s.RootHash())
	}
	for _, r := range s.Rules() {
		s.Apply(replica.RemoveRule{ID: r.ID})
	}
	for held := s.Introspect().Held(0, 0, 1); len(held) > 0; held = s.Introspect().Held(0, 0, 1) {
		log.WriteString(outcomeOf(s.Apply(replica.ReleaseHeld{ID: held[0].ID})) + "\n")
	}
	for i := 0; s.Activity().HasDueWork; i++ {
		if i > 5000 {
			t.Fatal("the run does not end")
		}
		pass(s)
	}
	fmt.Fprintf(&log, "%x\n", s.RootHash())
	return log.String(), s
}

// meddlers draws what a tester does.
func meddlers(t *rapid.T) []meddling {
	return rapid.SliceOfN(rapid.Custom(meddles), 1, 14).Draw(t, "meddling")
}

func byRounds(s *replicatest.Stage) { s.Round() }

func differs(t *rapid.T, what, one, two string) {
	a, b := strings.Split(one, "\n"), strings.Split(two, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			from := max(0, i-6)
			t.Fatalf("%s:\n%s\nother:\n%s", what, strings.Join(a[from:min(i+6, len(a))], "\n"), strings.Join(b[from:min(i+6, len(b))], "\n"))
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%s: one is longer", what)
	}
}

func TestMeddlingIsTheSameEachTimeInStepsAndInAFork(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, a, m := config(rt), actions(rt), meddlers(rt)
		one, s1 := meddled(t, c, a, m, byRounds)
		two, s2 := meddled(t, c, a, m, byRounds)
		differs(rt, "again", one, two)
		if stateHash(t, s1.Network) != stateHash(t, s2.Network) {
			rt.Fatal("the state is another one the second time")
		}
		three, s3 := meddled(t, c, a, m, func(s *replicatest.Stage) { stepping(s, func() {}) })
		differs(rt, "in steps", one, three)
		four, s4 := meddled(t, c, a, m, func(s *replicatest.Stage) {
			stepping(s, func() {
				if forkNow(rt) {
					old := *s
					*s = *s.Fork(listening(s.Listener()))
					old.Close()
				}
			})
		})
		differs(rt, "in forks", one, four)
		if stateHash(t, s3.Network) != stateHash(t, s4.Network) {
			rt.Fatal("the state is another one in forks")
		}
	})
}

func TestAfterAnyFaultInjectionAllCyclesAreAccountedForAndNothingIsLeft(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, a, m := config(rt), actions(rt), meddlers(rt)
		c.Subnets = []replica.SubnetConfig{{Kind: replica.System}} // nothing costs anything
		oracle := replica.OracleFunc(func(moves []replica.Move) int { return rapid.IntRange(0, len(moves)-1).Draw(rt, "move") })
		_, s := meddled(t, c, a, m, func(s *replicatest.Stage) {
			for height := s.View().Height; s.View().Height == height; {
				s.Step(oracle)
				if count := s.Introspect().AuditCycles(); !balanced(&count) {
					rt.Fatalf("the books do not balance: %+v", count)
				}
				checkLists(rt, s)
			}
		})
		for range actors {
			s.Apply(replica.AdvanceTo(s.View().Time + 301*second))
			for pass := true; pass || s.Activity().HasDueWork; pass = false {
				s.Round()
			}
		}
		census := s.Census()
		if census.Contexts != 0 || census.Futures != 0 || census.Waiting != 0 || census.Parked != 0 || census.Held != 0 {
			rt.Fatalf("left: %+v", census)
		}
		if count := s.Introspect().AuditCycles(); count.Held() != count.Balances {
			rt.Fatalf("left: %+v", count)
		}
		for _, open := range s.Open(0) {
			if open.Slots != 0 || open.Owed != 0 {
				rt.Fatalf("slots are left: %+v", open)
			}
		}
	})
}

// checkLists reads every list and checks that every call that waits is somewhere.
func checkLists(t *rapid.T, s *replicatest.Stage) {
	futures, _ := s.Introspect().Futures(introspect.Page{})
	for _, f := range futures {
		if f.Waits.Reason == introspect.WaitNever && f.Deadline == 0 {
			t.Fatalf("a call with guaranteed response is nowhere: %+v", f)
		}
	}
	contexts, _ := s.Introspect().Contexts(introspect.Page{})
	messages, _ := s.Introspect().Messages(introspect.Page{})
	timers, _ := s.Introspect().Timers(introspect.Page{})
	if census := s.Census(); len(contexts) != census.Contexts || len(futures) != census.Futures || len(timers) == 0 && census.Ingress > census.Contexts || len(messages) < census.Waiting {
		t.Fatalf("%d contexts, %d futures, %d messages, %d timers are listed of %+v", len(contexts), len(futures), len(messages), len(timers), census)
	}
}
