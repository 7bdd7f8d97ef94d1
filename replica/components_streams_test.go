package replica_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
)

// pipes makes a network with a component that has streams, and the canister that it calls, on two subnets.
func pipes(t *testing.T, config replica.Config) *real.Stage {
	t.Helper()
	s := componentStage(t, config, "pipes.wasm", "pipes", "bank")
	if a := s.Call("pipes", "open", s.Args(fmt.Sprintf("(principal %q)", s.ID("bank")))); a.Status != "replied" {
		t.Fatal(a)
	}
	return s
}

// begin submits a call of pipes.
func begin(t *testing.T, s *real.Stage, method, args string) replica.RequestID {
	t.Helper()
	id, refused := s.Submit("pipes", method, s.Args(args))
	if refused != "" {
		t.Fatal(refused)
	}
	return id
}

// piped is the result of pipe, whose calls are the next ones of the bank after some.
func piped(before, calls uint64) (sum uint64) {
	for n := before + 1; n <= before+calls; n++ {
		for i := range uint64(3) {
			sum = sum*31 + 10*n + i
		}
	}
	return sum
}

// reply64 reads a reply of pipe.
func reply64(t *testing.T, a real.Answer) uint64 {
	t.Helper()
	if a.Status != "replied" || len(a.Reply) != 15 {
		t.Fatal(a)
	}
	return binary.LittleEndian.Uint64(a.Reply[7:])
}

// TestStreamsOfComponentsGoOnInForksAndImports copies the network after every round of a call that passes numbers through a stream.
// Each copy goes on in the middle of the stream.
func TestStreamsOfComponentsGoOnInForksAndImports(t *testing.T) {
	s := pipes(t, replica.Config{Subnets: apart})
	id := begin(t, s, "pipe", "(4 : nat32)")
	rounds := 0
	for ; !s.Answer(id).Over(); rounds++ {
		forks := []*real.Stage{s.Fork(replica.ForkConfig{}), s.Fork(replica.ForkConfig{})}
		for i, x := range append(forks, imported(t, s)) {
			settle(t, x)
			if got := reply64(t, x.Answer(id)); got != piped(0, 4) {
				t.Errorf("after %d rounds, copy %d says %d, want %d", rounds, i, got, piped(0, 4))
			}
		}
		if a, b := stateHash(t, forks[0].Network), stateHash(t, forks[1].Network); a != b {
			t.Errorf("after %d rounds, the state hashes of two forks are %x and %x", rounds, a, b)
		}
		s.Round()
	}
	if got := reply64(t, s.Answer(id)); got != piped(0, 4) {
		t.Errorf("the network says %d, want %d", got, piped(0, 4))
	}
	const perCall = 2 // to the other subnet and back
	if rounds < 4*perCall {
		t.Errorf("it took %d rounds: no copy was made in the middle of the stream", rounds)
	}
}

func TestAJournalWithStreamsOfComponentsReplaysToTheSameState(t *testing.T) {
	var calls []replica.RequestID
	replaysAsRecorded(t, pipes, func(s *real.Stage, n int) {
		switch n {
		case 0:
			calls = []replica.RequestID{begin(t, s, "pipe", "(3 : nat32)"), begin(t, s, "work", "(true)")}
		default:
			calls = append(calls, begin(t, s, "pay", fmt.Sprintf("(%d : nat32)", n)))
		}
	}, func(s *real.Stage) {
		for i, id := range calls {
			if a := s.Answer(id); a.Status != "replied" {
				t.Errorf("call %d: %s", i, a)
			}
		}
		if r := s.Query("pipes", "done", s.Args("()")); len(r.Reply) != 11 || binary.LittleEndian.Uint32(r.Reply[7:]) != 1+2+3+4 {
			t.Errorf("done are %x, want 10", r.Reply)
		}
	})
}

func TestAnEventFromAnotherTaskIsDeliveredWhenAnOwnCallResponds(t *testing.T) {
	s := pipes(t, replica.Config{Subnets: apart})
	expect := begin(t, s, "expect", "(true)")
	s.Round()
	fulfil := begin(t, s, "fulfil", "(77 : nat32)")
	if a := s.Await(fulfil); a.Status != "replied" || s.Answer(expect).Over() {
		t.Errorf("fulfil: %s; expect, whose call has no response yet: %s", a, s.Answer(expect))
	}
	if a := s.Await(expect); string(a.Reply) != "DIDL\x00\x01\x79\x4d\x00\x00\x00" {
		t.Errorf("expect: %s, want 77", a)
	}
}

// holdResponse holds the next response of the bank.
func holdResponse(t *testing.T, s *real.Stage) {
	t.Helper()
	bank := s.ID("bank")
	match := replica.Match{Callee: &bank, Kind: replica.KindResponse, Times: 1}
	if r := s.Apply(&replica.AddRule{Rule: replica.Rule{Match: match, Action: replica.Action{Kind: replica.ActHold}}}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
}

// TestWhatReplacesTheMemoryEndsStreams upgrades the canister, reinstalls it, or loads a snapshot in the middle of a stream, while its
// second call waits for a response. Of the snapshots, the one that was taken since that call was made knows it.
func TestWhatReplacesTheMemoryEndsStreams(t *testing.T) {
	const calls, ended = 6, "which ended its task"
	replace := func(s *real.Stage, mode real.Mode) real.Answer {
		return s.Install("pipes", mode, componentBinary(t, "pipes.wasm"), nil)
	}
	load := func(s *real.Stage, number byte) real.Answer {
		return s.Manage("pipes", "load_canister_snapshot", s.About("pipes", "snapshot_id = "+blob(snapshotID(s.ID("pipes"), number))))
	}
	for _, test := range []struct {
		name string
		do   func(*real.Stage) real.Answer
		want string // of the answer to pipe
	}{
		{"an upgrade", func(s *real.Stage) real.Answer { return replace(s, real.Upgrade) }, ended},
		{"a reinstallation", func(s *real.Stage) real.Answer { return replace(s, real.Reinstall) }, ended},
		{"an old snapshot", func(s *real.Stage) real.Answer { return load(s, 0) }, ended},
		{"a snapshot taken after the second call", func(s *real.Stage) real.Answer { return load(s, 1) }, ""},
	} {
		s := pipes(t, replica.Config{Subnets: apart})
		id := begin(t, s, "pipe", fmt.Sprintf("(%d : nat32)", calls))
		for rule := range uint64(2) {
			holdResponse(t, s)
			if rule > 0 {
				s.Apply(replica.RemoveRule{ID: rule, Release: true})
			}
			settle(t, s)
			if a := s.Manage("pipes", "take_canister_snapshot", s.About("pipes", "")); a.Status != "replied" {
				t.Fatal(a)
			}
		}
		if a := test.do(s); a.Status != "replied" || s.Answer(id).Over() {
			t.Fatalf("%s: %s; pipe: %s", test.name, a, s.Answer(id))
		}
		s.Apply(replica.RemoveRule{ID: 2, Release: true})
		switch a := s.Await(id); {
		case test.want == "":
			if got := reply64(t, a); got != piped(0, calls) {
				t.Errorf("%s: pipe returned %d, want %d", test.name, got, piped(0, calls))
			}
		case !strings.Contains(a.Text, test.want):
			t.Errorf("%s: %s, want a text with %q", test.name, a, test.want)
		}
		if a := s.Call("pipes", "open", s.Args(fmt.Sprintf("(principal %q)", s.ID("bank")))); a.Status != "replied" {
			t.Fatal(a)
		}
		ticks := s.Call("bank", "tick", s.Args("()"))
		before := uint64(binary.LittleEndian.Uint32(ticks.Reply[7:]))
		if got := reply64(t, s.Call("pipes", "pipe", s.Args("(2 : nat32)"))); got != piped(before, 2) {
			t.Errorf("%s: the next stream gives %d, want %d", test.name, got, piped(before, 2))
		}
	}
}
