package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// A query that has hold of a canister's state goes on with it when the canister
// moves; a composite query that lacks another's begins again where they are now.
func TestQueriesGoOnWhileTheirCanisterMoves(t *testing.T) {
	s := real.NewStage(t, replica.Config{Subnets: make([]replica.SubnetConfig, 2)})
	for _, name := range []string{"A", "B"} {
		s.Create(name, 0, real.Plenty)
		if a := s.Install(name, real.Install, canistertest.Scriptable(), script().Int(7).Set().Bytes()); a.Status != "replied" {
			t.Fatal(a)
		}
		if a := s.Manage(name, "stop_canister", s.About(name, "")); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	start := func(name string) {
		if a := s.Manage(name, "start_canister", s.About(name, "")); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	move := func(name string, position int) {
		if r := s.Apply(replica.MigrateCanister{Canister: s.ID(name), Subnet: s.View().Subnets[position].ID}); r.Refusal != nil {
			t.Fatal(r.Refusal)
		}
	}
	stop := func(name string) {
		if a := s.Manage(name, "stop_canister", s.About(name, "")); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	start("A")
	start("B")
	id := s.ID("A")
	plain := s.PrepareQuery(&replica.Query{Sender: s.User, Receiver: id, Effective: id, Method: "query", Arg: script().Get().ReplyInt().Bytes()})
	nested := canistertest.Call{Callee: s.ID("B"), Method: "query", Program: script().Subnet().ReplyTop(), OnReply: script().Arg().ReplyTop()}
	composed := s.PrepareQuery(&replica.Query{Sender: s.User, Receiver: id, Effective: id, Method: "ask", Arg: script().Call(nested).Bytes()})
	for _, name := range []string{"A", "B"} {
		stop(name)
		move(name, 1)
		start(name)
	}
	if got := plain.Run(); len(got.Reply) != 8 || got.Reply[0] != 7 {
		t.Errorf("the plain query: %x, %v", got.Reply, got.Reject)
	}
	if got := composed.Run(); string(got.Reply) != string(s.View().Subnets[1].ID.Bytes()) || got.Subnet != s.View().Subnets[1].ID {
		t.Errorf("the composite query: %x of %s, %v", got.Reply, got.Subnet, got.Reject)
	}
}
