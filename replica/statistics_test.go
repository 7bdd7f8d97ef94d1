package replica_test

import (
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
)

func TestExecutionsAreCountedByKindAndOutcome(t *testing.T) {
	s := stage(t, 2)
	before := s.Statistics().Subnets[0]
	for _, program := range []string{"reply x", "trap boom", "call 1 (reply inner) then (echo)"} {
		s.Run(0, program)
	}
	expect(t, "stopping", s.Call(1, "stop", "1"), "replied")
	after := s.Statistics().Subnets[0]
	for kind, want := range map[replica.ExecutionKind]replica.ExecutionCounts{
		replica.IngressExecution:    {Done: 2, Trapped: 1},
		replica.RequestExecution:    {Done: 1},
		replica.ResponseExecution:   {Done: 1},
		replica.ManagementExecution: {Done: 1},
		replica.TaskExecution:       {},
	} {
		got := after.Executed[kind]
		got.Done -= before.Executed[kind].Done
		if got != want {
			t.Errorf("%s messages are counted as %+v, want %+v", kind, got, want)
		}
	}
	if fork := s.Fork(replica.ForkConfig{}); fork.Statistics().Subnets[0].Executed != ([replica.ExecutionKinds]replica.ExecutionCounts{}) {
		t.Errorf("a fork has executed %+v before its first round", fork.Statistics().Subnets[0].Executed)
	}
}

func TestStatisticsShowWhatWaits(t *testing.T) {
	s := replicatest.NewStage(t, replica.Config{SliceInstructions: 1_000_000})
	s.Create(3, plenty)
	submit(t, s, 0, "run", "call 1 (forever) else (reply x)")
	s.Round()
	submit(t, s, 2, "run", "reply x")
	got := s.Statistics().Subnets[0]
	if got.Canisters != 3 || got.Futures != 1 || got.Contexts != 2 || got.Queues.Parked != 1 || got.Queues.Ready != 1 || got.Queues.Management != 0 {
		t.Errorf("3 canisters with a call, a message in its code and one that waits are shown as %+v", got)
	}
}
