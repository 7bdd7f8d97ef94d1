package control_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// doubling is a canister with a call path of each kind: a function of its own, twice, and one of the System API.
const doubling = `(module (import "ic0" "msg_reply" (func $reply))
	(func $double (param i32) (result i32) local.get 0 i32.const 2 i32.mul)
	(func $work (export "canister_update work") i32.const 7 call $double call $double drop call $reply)
	(func $look (export "canister_query look") call $reply))`

func TestAProfileSaysWhereInstructionsWent(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	module, err := wat.Assemble(doubling)
	if err != nil {
		t.Fatal(err)
	}
	id := a.installedModule(module, nil)
	a.mask(id.String(), "WORKER")
	call(a, a.profiler.StartProfile, &controlv1.StartProfileRequest{CanisterIds: []string{id.String()}})
	a.note("every message of the canister is counted from now on")
	must(a, a.calls.Update, &controlv1.UpdateRequest{Call: &controlv1.Call{CanisterId: id.String(), Method: "work"}})
	call(a, a.profiler.ReadProfile, &controlv1.ReadProfileRequest{})
	must(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: id.String(), Method: "look"}})
	call(a, a.profiler.StopProfile, &controlv1.StopProfileRequest{})
	a.compare("profiler")
}

func TestBudgetsSayWhatCallsTook(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	module, err := wat.Assemble(doubling)
	if err != nil {
		t.Fatal(err)
	}
	id := a.installedModule(module, nil)
	a.mask(id.String(), "WORKER")
	call(a, a.profiler.ListBudgets, &controlv1.ListBudgetsRequest{})
	budget := func(method string, instructions uint64) *controlv1.Budget {
		return &controlv1.Budget{CanisterId: id.String(), Method: method, Instructions: instructions}
	}
	call(a, a.profiler.SetBudgets, &controlv1.SetBudgetsRequest{Budgets: []*controlv1.Budget{budget("work", 100), budget("look", 1_000_000), budget("idle", 1)}})
	for range 2 {
		must(a, a.calls.Update, &controlv1.UpdateRequest{Call: &controlv1.Call{CanisterId: id.String(), Method: "work"}})
	}
	must(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: id.String(), Method: "look"}})
	a.note("calls in a fork count too")
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "fork"})
	must(a, a.calls.Update, &controlv1.UpdateRequest{Instance: "fork", Call: &controlv1.Call{CanisterId: id.String(), Method: "work"}})
	call(a, a.profiler.ListBudgets, &controlv1.ListBudgetsRequest{})
	call(a, a.profiler.SetBudgets, &controlv1.SetBudgetsRequest{})
	call(a, a.profiler.ListBudgets, &controlv1.ListBudgetsRequest{})
	a.compare("budgets")
}

func TestBudgetsAreRefused(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	set := func(budgets ...*controlv1.Budget) {
		call(a, a.profiler.SetBudgets, &controlv1.SetBudgetsRequest{Budgets: budgets})
	}
	const id = "rrkah-fqaaa-aaaaa-aaaaq-cai"
	set(&controlv1.Budget{Method: "work", Instructions: 1})
	set(&controlv1.Budget{CanisterId: "bank", Method: "work", Instructions: 1})
	set(&controlv1.Budget{CanisterId: id, Instructions: 1})
	set(&controlv1.Budget{CanisterId: id, Method: "work"})
	call(a, a.profiler.SetBudgets, &controlv1.SetBudgetsRequest{Instance: "x"})
	call(a, a.profiler.ListBudgets, &controlv1.ListBudgetsRequest{Instance: "x"})
	a.compare("budgets_refused")
}

func TestAnInstanceHasTenThousandBudgets(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	const most = 10_000
	many := make([]*controlv1.Budget, most+1)
	for i := range many {
		many[i] = &controlv1.Budget{CanisterId: "rrkah-fqaaa-aaaaa-aaaaq-cai", Method: fmt.Sprint(i), Instructions: 1}
	}
	if _, err := a.profiler.SetBudgets(t.Context(), &controlv1.SetBudgetsRequest{Budgets: many[:most]}); err != nil {
		t.Errorf("%d budgets: %v", most, err)
	}
	if _, err := a.profiler.SetBudgets(t.Context(), &controlv1.SetBudgetsRequest{Budgets: many}); err == nil || !strings.Contains(err.Error(), "at most 10000") {
		t.Errorf("%d budgets: %v", len(many), err)
	}
}

func TestAProfileIsRefused(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	call(a, a.profiler.ReadProfile, &controlv1.ReadProfileRequest{})
	call(a, a.profiler.StopProfile, &controlv1.StopProfileRequest{})
	call(a, a.profiler.StartProfile, &controlv1.StartProfileRequest{CanisterIds: []string{"bank"}})
	call(a, a.profiler.StartProfile, &controlv1.StartProfileRequest{CanisterIds: []string{"rrkah-fqaaa-aaaaa-aaaaq-cai"}})
	must(a, a.profiler.StartProfile, &controlv1.StartProfileRequest{})
	call(a, a.profiler.StartProfile, &controlv1.StartProfileRequest{})
	call(a, a.profiler.StartProfile, &controlv1.StartProfileRequest{Instance: "x"})
	call(a, a.profiler.ReadProfile, &controlv1.ReadProfileRequest{Instance: "x"})
	call(a, a.profiler.StopProfile, &controlv1.StopProfileRequest{Instance: "x"})
	a.compare("profiler_refused")
}
