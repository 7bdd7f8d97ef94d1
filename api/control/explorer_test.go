package control_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/daemon"
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
		func(in *controlv1.ExploreRequest) { in.WorkerServer = "localhost:4222" },
		func(in *controlv1.ExploreRequest) { in.WorkerServer = "nats://user:secret@127.0.0.1:1" },
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
	a.compare("explorer")
}
