package control_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// theft installs the bank and the vault of examples/doublewithdraw, with 100 in the account of the anonymous user.
func (a *api) theft() (bank, vault string) {
	a.Helper()
	install := func(name string) string {
		module, err := os.ReadFile(filepath.Join("../../examples/doublewithdraw", name+".wasm"))
		if err != nil {
			a.Fatal(err)
		}
		return a.installed(module, nil)
	}
	bank, vault = install("bank"), install("vault")
	must(a, a.calls.Update, &controlv1.UpdateRequest{Call: &controlv1.Call{CanisterId: bank, Method: "open", Argument: textOf(`("` + vault + `")`)}})
	must(a, a.calls.Update, &controlv1.UpdateRequest{Call: &controlv1.Call{CanisterId: bank, Method: "deposit", Argument: textOf("(100)")}})
	return bank, vault
}

func TestOrdersOfMessagesAreExplored(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	bank, vault := a.theft()
	a.mask(bank, "BANK")
	a.mask(vault, "VAULT")
	withdraw := &controlv1.ExploreOperation{Call: &controlv1.Call{CanisterId: bank, Method: "withdraw", Argument: textOf("(100)")}, Title: "bank.withdraw(100)"}
	in := &controlv1.ExploreRequest{
		Operations: []*controlv1.ExploreOperation{withdraw, withdraw}, Seed: 1, Runs: 1, Workers: 1,
		Properties: &controlv1.ExploreProperties{Invariants: []string{"vault paidOut <= 100"}, Maximize: []string{"vault paidOut"}},
		Names:      map[string]string{"bank": bank, "vault": vault},
	}
	a.note("two withdrawals at the same time: the first run finds that both are paid")
	all := collect(a, a.explorer.Explore, in)
	if len(all) == 0 || len(all[len(all)-1].GetReport().GetFindings()) == 0 {
		t.Fatal("nothing was found")
	}
	found := all[len(all)-1].GetReport().GetFindings()[0]
	a.note("the finding is replayed")
	call(a, a.explorer.ReplaySchedule, &controlv1.ReplayScheduleRequest{Schedule: found.GetSchedule(), Properties: in.GetProperties(), Names: in.GetNames()})
	a.note("it is followed message by message, with the state after each")
	call(a, a.explorer.ReplaySchedule, &controlv1.ReplayScheduleRequest{Schedule: found.GetSchedule(), Properties: in.GetProperties(), Names: in.GetNames(), IncludeMoments: true})
	a.note("what cannot be explored says why")
	for _, change := range []func(*controlv1.ExploreRequest){
		func(in *controlv1.ExploreRequest) { in.Operations = nil },
		func(in *controlv1.ExploreRequest) { in.Faults = 9 },
		func(in *controlv1.ExploreRequest) { in.FaultKinds = []string{"fire"} },
		func(in *controlv1.ExploreRequest) { in.FaultKinds = []string{"stop", "upgrade"} },
		func(in *controlv1.ExploreRequest) { in.FaultKinds = []string{"other_answer"} },
		func(in *controlv1.ExploreRequest) { in.FaultKinds = []string{"send_twice"} },
		func(in *controlv1.ExploreRequest) { in.FaultKinds = []string{"silent"} },
		func(in *controlv1.ExploreRequest) { in.Untrusted = []string{"safe"} },
		func(in *controlv1.ExploreRequest) { in.Waits = new(uint32(1001)) },
		func(in *controlv1.ExploreRequest) { in.Upgrades = []*controlv1.ExploreUpgrade{{Canister: "safe"}} },
		func(in *controlv1.ExploreRequest) { in.Outcalls = []*controlv1.ExploreOutcall{{Status: 7}} },
		func(in *controlv1.ExploreRequest) { in.Instance = "none" },
		func(in *controlv1.ExploreRequest) {
			in.Properties = &controlv1.ExploreProperties{Invariants: []string{"vault paidOut"}}
		},
		func(in *controlv1.ExploreRequest) {
			in.Operations[0] = &controlv1.ExploreOperation{Call: &controlv1.Call{CanisterId: "aaaaa-aa", Method: "none"}}
		},
	} {
		wrong := &controlv1.ExploreRequest{Operations: []*controlv1.ExploreOperation{withdraw}, Runs: 1}
		change(wrong)
		collect(a, a.explorer.Explore, wrong)
	}
	call(a, a.explorer.ReplaySchedule, &controlv1.ReplayScheduleRequest{Schedule: "version: 2"})
	a.note("a worker in another process cannot make the runs")
	brokenWorker(a)
	collect(a, a.explorer.Explore, &controlv1.ExploreRequest{Operations: []*controlv1.ExploreOperation{withdraw}, Runs: 100, ExternalWorkers: true})
	a.compare("explorer")
}

func TestAnExplorationEndsEarlyWithItsReport(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	bank, vault := a.theft()
	a.note("no exploration has this name")
	call(a, a.explorer.EndExploration, &controlv1.EndExplorationRequest{Exploration: "nightly"})
	in := &controlv1.ExploreRequest{
		Any: []*controlv1.ExploreAny{{Canister: "bank"}}, Names: map[string]string{"bank": bank, "vault": vault}, Seed: 1, Runs: maxRuns, Workers: 1,
		Exploration: "nightly", Keep: true, Blocks: true, Corpus: []*controlv1.ExploreRecorded{{Name: "0123.run.yaml", Schedule: "version: 7"}},
	}
	stream, err := a.explorer.Explore(a.ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for seen["report"] == 0 {
		answer, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		switch step := answer.GetStep().(type) {
		case *controlv1.ExploreResponse_Skipped:
			seen["skipped"]++
			if s := step.Skipped; s.GetName() != "0123.run.yaml" || s.GetReason() == "" {
				t.Errorf("skipped is %v", s)
			}
		case *controlv1.ExploreResponse_Recorded:
			if seen["recorded"]++; seen["recorded"] == 1 {
				a.note("a second exploration with the name is refused, and the first one ends")
				again := &controlv1.ExploreRequest{Any: in.GetAny(), Names: in.GetNames(), Exploration: "nightly"}
				a.mask(bank, "BANK")
				a.mask(vault, "VAULT")
				collect(a, a.explorer.Explore, again)
				call(a, a.explorer.EndExploration, &controlv1.EndExplorationRequest{Exploration: "nightly"})
			}
		case *controlv1.ExploreResponse_Report:
			seen["report"]++
			if r := step.Report; r.GetRuns() == 0 || r.GetRuns() >= maxRuns || r.GetCoverage().GetBlocks() == 0 {
				t.Errorf("the report has %d runs and %d blocks", r.GetRuns(), r.GetCoverage().GetBlocks())
			}
		}
	}
	if seen["skipped"] != 1 || seen["recorded"] == 0 {
		t.Errorf("the stream has %v", seen)
	}
	a.compare("explorer_ended")
}

// maxRuns is the largest number of runs of a request.
const maxRuns = 10_000_000

// brokenWorker starts a worker that answers its first assignment with an error.
func brokenWorker(a *api) {
	a.Helper()
	stream, err := workerv1.NewWorkersClient(a.conn).Work(a.ctx)
	if err != nil {
		a.Fatal(err)
	}
	answers := []*workerv1.WorkRequest{
		{Step: &workerv1.WorkRequest_Joining{Joining: &workerv1.Joining{Version: daemon.Version(), Slots: 1}}},
		{Step: &workerv1.WorkRequest_Opened{Opened: &workerv1.Opened{Campaign: "1"}}},
		{Step: &workerv1.WorkRequest_Results{Results: &workerv1.Results{Assignment: 1, Last: true, Error: "worker elsewhere/1: no memory"}}},
	}
	go func() {
		for _, out := range answers {
			if stream.Send(out) != nil {
				return // the test has ended
			}
			if _, err := stream.Recv(); err != nil {
				return
			}
		}
	}()
}
