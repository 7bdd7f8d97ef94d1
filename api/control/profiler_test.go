package control_test

import (
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
