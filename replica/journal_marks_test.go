package replica_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// marked returns the marks of the rounds of a tape.
func (p *tape) marked(t *testing.T) (all []replica.Marks) {
	t.Helper()
	for _, record := range p.records {
		entry, err := replica.ReadJournalEntry(record)
		if err != nil {
			t.Fatal(err)
		}
		if entry.Round {
			all = append(all, entry.Marks)
		}
	}
	return all
}

func TestMessagesWhoseCodeFailsAreMarkedInTheJournal(t *testing.T) {
	s, config, p := recorded(t)
	s.Create("B", 0, real.Plenty)
	s.Install("B", real.Install, canistertest.Scriptable(), nil)
	before := len(p.marked(t))
	direct, _ := s.Submit("A", "run", compiled(t, s, `trap "out of luck"`))
	s.Await(direct)
	called, _ := s.Submit("A", "run", compiled(t, s, `call B.run(trap "behind") on-reply(reply arg) on-reject(trap "`+strings.Repeat("x", 300)+`")`))
	s.Await(called)
	var traps []replica.TrapMark
	for _, marks := range p.marked(t)[before:] {
		traps = append(traps, marks.Traps...)
	}
	a, b := s.ID("A"), s.ID("B")
	if len(traps) != 3 {
		t.Fatalf("the marks are %+v", traps)
	}
	for i, want := range []replica.TrapMark{
		{Canister: a, Method: "run", Request: direct, Text: "out of luck"}, {Canister: b, Method: "run", Request: called, Text: "behind"}, {Canister: a, Method: "run", Request: called, Text: "xxx"},
	} {
		got := traps[i]
		if got.Canister != want.Canister || got.Method != want.Method || got.Request != want.Request || got.Code != intercanister.CanisterCalledTrap ||
			!strings.Contains(got.Text, want.Text) {
			t.Errorf("mark %d is %+v, want %+v", i, got, want)
		}
	}
	if got := len(traps[2].Text); got != 200 {
		t.Errorf("%d bytes of a long text are marked, want 200", got)
	}
	n, err := replica.New(config)
	if err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, 0)
}

func TestARoundHas16MarksOfFailuresAtMost(t *testing.T) {
	s, _, p := recorded(t)
	for i := range 17 {
		name := fmt.Sprint("C", i)
		s.Create(name, 0, real.Plenty)
		s.Install(name, real.Install, canistertest.Scriptable(), nil)
	}
	before := len(p.marked(t))
	for i := range 17 {
		s.Submit(fmt.Sprint("C", i), "run", compiled(t, s, `trap "all"`))
	}
	s.Round()
	if marks := p.marked(t)[before:]; len(marks) != 1 || len(marks[0].Traps) != 16 || marks[0].Unmarked != 1 {
		t.Errorf("the marks of the round are %+v", marks)
	}
	s.Round()
	if marks := p.marked(t)[before:]; len(marks) != 2 || len(marks[1].Traps) != 0 || marks[1].Unmarked != 0 {
		t.Errorf("the marks of the next round are %+v", marks)
	}
}

// verified replays a tape, compares its roots, and returns their number.
func (p *tape) verified(t *testing.T, config replica.Config) (roots int, err error) {
	t.Helper()
	n, err := replica.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	for _, record := range p.records {
		did, err := n.Verify(record)
		if err != nil {
			return roots, err
		}
		roots += did.Roots
	}
	return roots, nil
}

func TestAReplayComparesTheRootsOfCertificates(t *testing.T) {
	s, config, p := recorded(t)
	plain := len(p.records[len(p.records)-1])
	s.Round()
	if roots, err := p.verified(t, config); err != nil || roots != 0 {
		t.Errorf("without a certificate, %d roots are compared: %v", roots, err)
	}
	certified := s.View().Subnets[0].Certified()
	root := certified.Root()
	certified.Signature()
	s.Round()
	last := p.records[len(p.records)-1]
	if len(last) > plain+12 {
		t.Errorf("a record with a root has %d bytes, and one without %d", len(last), plain)
	}
	if roots, err := p.verified(t, config); err != nil || roots != 1 {
		t.Errorf("with a certificate, %d roots are compared: %v", roots, err)
	}
	at := bytes.Index(last, root[:8])
	if at < 0 {
		t.Fatalf("the record %x does not have root %x", last, root)
	}
	last[at] ^= 1
	_, err := p.verified(t, config)
	if diverged := (*replica.DivergedError)(nil); !errors.As(err, &diverged) || !strings.Contains(diverged.What, "the certified root of subnet") || diverged.Height != s.View().Height-1 {
		t.Errorf("with another root: %v", err)
	}
	n, err := replica.New(config)
	if err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, 0) // does not compare roots
}

func TestTheRootsOfEachRoundAreMarkedIfItsTreesAreHashedBeforeTheNext(t *testing.T) {
	s, config, p := recorded(t)
	subnets := len(s.View().Subnets)
	for range 5 {
		s.View().HashTrees()
		s.Round()
	}
	if roots, err := p.verified(t, config); err != nil || roots != 5*subnets {
		t.Errorf("%d roots are compared of 5 rounds of %d subnets: %v", roots, subnets, err)
	}
}

// TestARootIsMarkedThoughItsCertificateComesAfterLaterRounds makes certificates from views that are some heights old: views
// of rounds, and of a certified time.
func TestARootIsMarkedThoughItsCertificateComesAfterLaterRounds(t *testing.T) {
	s, config, p := recorded(t)
	roots := 0
	expect := func(more int, what string) {
		t.Helper()
		s.Round()
		roots += more
		if got, err := p.verified(t, config); err != nil || got != roots {
			t.Errorf("%s, %d roots are compared, want %d: %v", what, got, roots, err)
		}
	}
	sign := func(v *replica.View) { v.Subnets[0].Certified().Signature() }
	view := s.View()
	for range 3 {
		s.Round()
	}
	sign(view)
	expect(1, "after three rounds")
	sign(view)
	expect(0, "if it was marked already")
	view = s.View()
	for range 4 {
		s.Round()
	}
	sign(view)
	expect(0, "after four rounds")
	view = s.View()
	for range 2 {
		s.Apply(replica.CertifyAt(s.View().Time + second))
		s.Apply(replica.CertifyAt(s.View().Time)) // it changes nothing
	}
	sign(view)
	sign(s.View())
	expect(2, "after two times that were certified")
	last := p.records[len(p.records)-1]
	first := view.Subnets[0].Certified().Root()
	at := bytes.Index(last, first[:8])
	if at < 0 {
		t.Fatalf("the record %x does not have root %x", last, first)
	}
	last[at] ^= 1
	_, err := p.verified(t, config)
	if diverged := (*replica.DivergedError)(nil); !errors.As(err, &diverged) || diverged.Height != view.Height {
		t.Errorf("with another root of round %d: %v", view.Height, err)
	}
}

func TestAMarkOfAUserIsARecordThatAReplaySkips(t *testing.T) {
	s, config, p := recorded(t)
	longest := strings.Repeat("m", 64)
	before := s.RootHash()
	s.Apply(replica.AdvanceTo(s.View().Time + second))
	busy := p.busy
	s.Mark(longest)
	if p.busy != busy+1 || s.RootHash() != before {
		t.Errorf("a mark leaves %d records that are not idle, and changes the state %v", p.busy-busy, s.RootHash() != before)
	}
	entry, err := replica.ReadJournalEntry(p.records[len(p.records)-1])
	if err != nil || entry.Mark != longest || entry.Round || entry.Input != nil {
		t.Errorf("the record of a mark has %+v: %v", entry, err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a longer mark is recorded")
			}
		}()
		fork := s.Network.Fork(replica.ForkConfig{Parts: replica.Parts{Journal: new(tape)}})
		defer fork.Close()
		fork.Mark(longest + "m")
	}()
	s.Call("A", "run", compiled(t, s, `set add(get, 1); reply get`))
	p.mark(t, s.Network)
	n, err := replica.New(config)
	if err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, 0)
	fork := s.Network.Fork(replica.ForkConfig{}) // without a journal
	defer fork.Close()
	fork.Mark("forgotten")
}
