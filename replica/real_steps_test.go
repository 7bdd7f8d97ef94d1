package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestAMessageThatExpiresBeforeItRunsLeavesNothingToDo(t *testing.T) {
	for name, pass := range map[string]roundRunner{"rounds": round, "steps": steps(replica.FIFO{})} {
		s := real.NewStage(t, replica.Config{})
		s.Create("A", 0, real.Plenty)
		s.Install("A", real.Install, canistertest.Scriptable(), nil)
		id, refused := s.Submit("A", "run", canistertest.Script().ReplyText("x").Bytes())
		if refused != "" {
			t.Fatal(refused)
		}
		s.Apply(replica.AdvanceTo(s.View().Time + replica.MaxIngressTTL + second))
		pass(s.Network)
		expect(t, name, s.Answer(id).String(), "rejected 2 IC0202")
		if s.Activity().HasDueWork {
			t.Errorf("%s: something is left to do", name)
		}
		if second, refused := s.Submit("A", "run", canistertest.Script().ReplyText("y").Bytes()); refused != "" {
			t.Errorf("%s: %s", name, refused)
		} else if pass(s.Network); s.Answer(second).String() != "replied: y" {
			t.Errorf("%s: the next message: %s", name, s.Answer(second))
		}
	}
}

func TestAMessageDoesNotSeeWhatOthersOfItsBatchHaveDone(t *testing.T) {
	liquid := make(map[string]string)
	for name, pass := range map[string]roundRunner{"rounds": round, "steps": steps(replica.FIFO{})} {
		s := real.NewStage(t, replica.Config{})
		for _, canister := range []string{"A", "B"} {
			s.Create(canister, 0, real.Plenty)
			s.Install(canister, real.Install, canistertest.Scriptable(), nil)
		}
		program := func(text string) []byte {
			p, err := canistertest.Parse(text, s.Names)
			if err != nil {
				t.Fatal(err)
			}
			return p.Bytes()
		}
		// The request of A takes memory of B, which its freezing limit counts.
		s.Submit("A", "run", program(`call B.run(reply "x")`))
		id, _ := s.Submit("B", "run", program("reply liquid"))
		pass(s.Network)
		liquid[name] = s.Answer(id).String()
	}
	if liquid["rounds"] != liquid["steps"] {
		t.Errorf("in rounds B has %q, in steps %q", liquid["rounds"], liquid["steps"])
	}
}
