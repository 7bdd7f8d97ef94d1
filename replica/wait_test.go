package replica_test

import (
	"encoding/binary"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

const hour = 3_600_000_000_000

// napper replies the time that it sees after it has waited for an hour, twice.
const napper = `(module (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
(import "ic0" "time" (func $time (result i64)))
(import "ic0" "msg_reply_data_append" (func $append (param i32 i32))) (import "ic0" "msg_reply" (func $reply))
(memory 1)
(func $nap (i64.store (i32.const 24) (i64.const 3600000000000))
  (i32.store (i32.const 100) (call $poll (i32.const 0) (i32.const 200) (i32.const 1) (i32.const 300))))
(func (export "canister_update_nap") (call $nap) (call $nap)
  (i64.store (i32.const 400) (call $time)) (call $append (i32.const 400) (i32.const 8)) (call $append (i32.const 100) (i32.const 4)) (call $reply))
(func (export "canister_update_hi") (call $reply))
(func (export "canister_query_nap_query") (call $nap) (call $append (i32.const 100) (i32.const 4)) (call $reply)))`

func nappers(t testing.TB, names ...string) *real.Stage {
	t.Helper()
	return nappersIn(t, replica.Config{}, names...)
}

func nappersIn(t testing.TB, config replica.Config, names ...string) *real.Stage {
	t.Helper()
	module, err := wat.Assemble(napper)
	if err != nil {
		t.Fatal(err)
	}
	s := real.NewStage(t, config)
	for _, name := range names {
		s.Create(name, 0, real.Plenty)
		if refused := s.Apply(replica.SetFeatures{Canister: s.ID(name), Features: canister.FeatureWASI}).Refusal; refused != nil {
			t.Fatal(refused)
		}
		if a := s.Install(name, real.Install, module, nil); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	return s
}

// settle runs rounds until nothing presses.
func settle(t testing.TB, s *real.Stage) {
	t.Helper()
	for round := 0; round == 0 || s.Activity().HasRunnableWork; round++ {
		if round > 100 {
			t.Fatal("the network does not settle")
		}
		s.Round()
	}
}

func TestAMessageThatWaitsGoesOnWhenItsTimeHasCome(t *testing.T) {
	s := nappers(t, "A")
	id, refused := s.Submit("A", "nap", nil)
	if refused != "" {
		t.Fatal(refused)
	}
	settle(t, s)
	begun := s.Activity().Time
	due, ok := s.NextOf(replica.GlobalTimers)
	if !ok || due > begun+hour {
		t.Fatalf("the next timer is %d ns ahead: %v", due-begun, ok)
	}
	stages := []*real.Stage{s, s.Fork(replica.ForkConfig{}), imported(t, s)}
	for _, at := range []uint64{due - 1, due, due + hour + 5} {
		for _, x := range stages {
			x.Apply(replica.AdvanceTo(at))
			settle(t, x)
		}
		stages = append(stages, stages[0].Fork(replica.ForkConfig{}), imported(t, stages[0]))
	}
	for i, x := range stages {
		settle(t, x)
		a := x.Answer(id)
		if len(a.Reply) != 12 || binary.LittleEndian.Uint64(a.Reply) != due+hour+5 || a.Reply[8] != 0 {
			t.Errorf("network %d: %x %v", i, a.Reply, a)
		}
		if x.Activity().Height == s.Activity().Height && stateHash(t, x.Network) != stateHash(t, s.Network) {
			t.Errorf("network %d has another state", i)
		}
	}
}

func TestAJournalWithAMessageThatWaitsIsReplayedToTheSameStates(t *testing.T) {
	p := new(tape)
	config := replica.Config{Engine: canistertest.NewEngine(t), Journal: p, Start: replicatest.Start, Subnets: []replica.SubnetConfig{{Nodes: 13}}}
	s := nappersIn(t, config, "A")
	if _, refused := s.Submit("A", "nap", nil); refused != "" {
		t.Fatal(refused)
	}
	settle(t, s)
	p.mark(t, s.Network)
	p.keep(t, s.Network)
	for range 2 {
		s.Apply(replica.AdvanceTo(s.Activity().Time + hour))
		settle(t, s)
		p.mark(t, s.Network)
	}
	if _, waits := s.NextOf(replica.GlobalTimers); waits {
		t.Error("the message still waits")
	}
	config.Journal = nil
	for _, from := range []int{0, p.from} {
		n, err := replica.New(config)
		if from > 0 {
			n, err = replica.Import(&p.checkpoint, config)
		}
		if err != nil {
			t.Fatal(err)
		}
		p.replay(t, n, from)
	}
}
