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
