package replica_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// apart has two subnets: a call between them takes several rounds.
var apart = []replica.SubnetConfig{{Nodes: 13}, {Nodes: 13}}

// componentStage makes a network with a component as two canisters on two subnets.
func componentStage(t *testing.T, config replica.Config, file string, names ...string) *real.Stage {
	t.Helper()
	s := real.NewStage(t, config)
	for subnet, name := range names {
		s.Create(name, subnet, real.Plenty)
		if refused := s.Apply(replica.SetFeatures{Canister: s.ID(name), Features: canister.FeatureComponents}).Refusal; refused != nil {
			t.Fatal(refused)
		}
		if a := s.Install(name, real.Install, componentBinary(t, file), nil); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	return s
}

func componentBinary(t *testing.T, file string) []byte {
	t.Helper()
	binary, err := os.ReadFile("../canister/internal/components/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// tills makes a network with a till and its bank, which are components, on two subnets.
func tills(t *testing.T, config replica.Config) *real.Stage {
	t.Helper()
	s := componentStage(t, config, "till.wasm", "till", "bank")
	arg, err := candid.Marshal(s.ID("bank"), true)
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Call("till", "open", arg); a.Status != "replied" {
		t.Fatal(a)
	}
	return s
}

// amount is an argument of take, and balance reads a reply of balance.
func amount(n uint64) []byte {
	return binary.LittleEndian.AppendUint64([]byte("DIDL\x00\x01\x78"), n)
}

func balance(t testing.TB, s *real.Stage) uint64 {
	t.Helper()
	r := s.Query("bank", "balance", []byte("DIDL\x00\x00"))
	if r.Reject != nil || len(r.Reply) != 15 {
		t.Fatalf("the bank replies %x, %v", r.Reply, r.Reject)
	}
	return binary.LittleEndian.Uint64(r.Reply[7:])
}

// TestTasksOfComponentsGoOnInForksAndImportsWhileTheyWait copies the network after every round of two calls that wait.
func TestTasksOfComponentsGoOnInForksAndImportsWhileTheyWait(t *testing.T) {
	s := tills(t, replica.Config{Subnets: apart})
	for n := range uint64(2) {
		if _, refused := s.Submit("till", "take", amount(n+3)); refused != "" {
			t.Fatal(refused)
		}
	}
	rounds := 0
	for ; balance(t, s) < 7; rounds++ {
		for i, x := range []*real.Stage{s.Fork(replica.ForkConfig{}), imported(t, s)} {
			settle(t, x)
			if got := balance(t, x); got != 7 {
				t.Errorf("after %d rounds, the bank in copy %d has %d, want 7", rounds, i, got)
			}
		}
		s.Round()
	}
	if rounds < 3 {
		t.Errorf("it took %d rounds: the calls did not wait", rounds)
	}
}

func TestAJournalWithComponentsReplaysToTheSameState(t *testing.T) {
	replaysAsRecorded(t, tills, func(s *real.Stage, n int) {
		if _, refused := s.Submit("till", "take", amount(uint64(n))); refused != "" {
			t.Fatal(refused)
		}
	}, func(s *real.Stage) {
		if got := balance(t, s); got != 10 {
			t.Errorf("the bank has %d, want 10", got)
		}
	})
}

// replaysAsRecorded records five rounds of calls, which go on after them, and replays the records: all of them, and those since an
// export in the middle.
func replaysAsRecorded(t *testing.T, stage func(*testing.T, replica.Config) *real.Stage, submit func(s *real.Stage, n int), check func(*real.Stage)) {
	t.Helper()
	p := new(tape)
	config := replica.Config{Engine: canistertest.NewEngine(t), Journal: p, Start: replicatest.Start, Subnets: apart}
	s := stage(t, config)
	p.mark(t, s.Network)
	for n := range 5 {
		submit(s, n)
		s.Round()
		p.mark(t, s.Network)
		if n == 2 {
			p.keep(t, s.Network)
		}
	}
	settle(t, s)
	p.mark(t, s.Network)
	check(s)
	config.Journal = nil
	n, err := replica.New(config)
	if err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, 0)
	if n, err = replica.Import(&p.checkpoint, config); err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, p.from)
}

// callOf matches messages of calls of the bank by the till.
func callOf(s *real.Stage, kind replica.MessageKind, action replica.Action) *replica.AddRule {
	till, bank := s.ID("till"), s.ID("bank")
	return &replica.AddRule{Rule: replica.Rule{Match: replica.Match{Kind: kind, Caller: &till, Callee: &bank, Times: 1}, Action: action}}
}

// TestATaskLearnsWhatTheNetworkDidToItsCall intercepts a bounded-wait call of a task, which ends with what the network says.
func TestATaskLearnsWhatTheNetworkDidToItsCall(t *testing.T) {
	s := tills(t, replica.Config{Subnets: apart})
	arg, err := candid.Marshal(uint64(5), uint32(20))
	if err != nil {
		t.Fatal(err)
	}
	refused := intercanister.Rejectf(intercanister.CanisterRejectedMessage, "closed")
	for name, test := range map[string]struct {
		kind      replica.MessageKind
		action    replica.Action
		says      string
		deposited uint64
	}{
		"the request is dropped":       {replica.KindRequest, replica.Action{Kind: replica.ActDrop}, "6: Call deadline has expired.", 0},
		"the response is dropped":      {replica.KindResponse, replica.Action{Kind: replica.ActDrop}, "6: Call deadline has expired.", 5},
		"the outcome is unknown":       {replica.KindRequest, replica.Action{Kind: replica.ActUnknown}, "6: Response was dropped.", 0},
		"the response becomes unknown": {replica.KindResponse, replica.Action{Kind: replica.ActUnknown}, "6: Response was dropped.", 5},
		"the response comes too late":  {replica.KindResponse, replica.Action{Kind: replica.ActDelay, Delay: hour}, "6: Call deadline has expired.", 5},
		"the request is rejected":      {replica.KindRequest, replica.Action{Kind: replica.ActReject, Reject: refused}, "closed", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.Fork(replica.ForkConfig{})
			s.Apply(callOf(s, test.kind, test.action))
			id, refused := s.Submit("till", "take_within", arg)
			if refused != "" {
				t.Fatal(refused)
			}
			settle(t, s)
			for place, s := range map[string]*real.Stage{"here": s, "in an imported copy": imported(t, s)} { // in the middle of the call
				s.Apply(replica.AdvanceTo(s.View().Time + hour))
				if a := s.Await(id); a.Status != "replied" || !strings.Contains(string(a.Reply), test.says) {
					t.Errorf("%s, the task answers %q, want %q", place, a, test.says)
				}
				settle(t, s)
				if got := balance(t, s); got != test.deposited {
					t.Errorf("%s, the bank has %d, want %d", place, got, test.deposited)
				}
				if a := s.Call("till", "take", amount(3)); a.Status != "replied" || balance(t, s) != test.deposited+3 {
					t.Errorf("%s, the next task answers %q, and the bank has %d", place, a, balance(t, s))
				}
			}
		})
	}
}

// TestOnlyTheResponseToAGuaranteedCallWakesItsTask holds a call whose response the network must not lose.
func TestOnlyTheResponseToAGuaranteedCallWakesItsTask(t *testing.T) {
	s := tills(t, replica.Config{Subnets: apart})
	for _, action := range []replica.ActionKind{replica.ActDrop, replica.ActHold} {
		s.Apply(callOf(s, replica.KindRequest, replica.Action{Kind: action}))
	}
	id, refused := s.Submit("till", "take", amount(4))
	if refused != "" {
		t.Fatal(refused)
	}
	settle(t, s)
	held := s.Introspect().Held(0, 0, 2)
	if len(held) != 1 || s.Answer(id).Over() {
		t.Fatalf("%d calls are held, and the task answers %q", len(held), s.Answer(id))
	}
	if r := s.Apply(replica.DropHeld{ID: held[0].ID}); r.Refusal == nil || r.Refusal.Kind != refusal.Conflict {
		t.Errorf("the call was dropped: %+v", r)
	}
	s.Apply(replica.ReleaseHeld{ID: held[0].ID})
	if a := s.Await(id); a.Status != "replied" || balance(t, s) != 4 {
		t.Errorf("the task answers %q, and the bank has %d", a, balance(t, s))
	}
}
