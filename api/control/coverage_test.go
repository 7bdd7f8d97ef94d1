package control_test

import (
	"testing"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// choosing is a canister whose argument chooses one of two ways.
const choosing = `(module (import "ic0" "msg_reply" (func $reply)) (import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(func $work (export "canister_update work") (if (call $size) (then (call $reply)) (else (call $reply) (nop))))
	(func $look (export "canister_query look") (call $reply)))`

func TestACoverageSaysWhichCodeRan(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	module, err := wat.Assemble(choosing)
	if err != nil {
		t.Fatal(err)
	}
	id := a.installedModule(module, nil)
	a.mask(id.String(), "WORKER")
	must(a, a.calls.Update, &controlv1.UpdateRequest{Call: &controlv1.Call{CanisterId: id.String(), Method: "work"}})
	call(a, a.coverage.StartCoverage, &controlv1.StartCoverageRequest{CanisterIds: []string{id.String()}})
	a.note("nothing has run since then")
	call(a, a.coverage.ReadCoverage, &controlv1.ReadCoverageRequest{})
	must(a, a.calls.Update, &controlv1.UpdateRequest{Call: &controlv1.Call{CanisterId: id.String(), Method: "work"}})
	must(a, a.calls.Query, &controlv1.QueryRequest{Call: &controlv1.Call{CanisterId: id.String(), Method: "look"}})
	call(a, a.coverage.ReadCoverage, &controlv1.ReadCoverageRequest{})
	call(a, a.coverage.StopCoverage, &controlv1.StopCoverageRequest{})
	a.compare("coverage")
}

// TestACoverageHasLinesOfOwnSources records a canister in Rust with debug information.
func TestACoverageHasLinesOfOwnSources(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	id := a.installedModule(canistertest.Fixture("panics"), nil)
	must(a, a.coverage.StartCoverage, &controlv1.StartCoverageRequest{})
	got := must(a, a.coverage.ReadCoverage, &controlv1.ReadCoverageRequest{})
	c := got.GetCanisters()[0]
	if c.GetCanisterId() != id.String() || len(c.GetFiles()) == 0 || len(c.GetFiles()[0].GetLines()) == 0 || c.GetFunctions()[0].GetFile() == "" {
		t.Errorf("the coverage of a module with debug information is %v", c)
	}
}

func TestACoverageIsRefused(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	a.still()
	call(a, a.coverage.ReadCoverage, &controlv1.ReadCoverageRequest{})
	call(a, a.coverage.StopCoverage, &controlv1.StopCoverageRequest{})
	call(a, a.coverage.StartCoverage, &controlv1.StartCoverageRequest{CanisterIds: []string{"bank"}})
	call(a, a.coverage.StartCoverage, &controlv1.StartCoverageRequest{CanisterIds: []string{"rrkah-fqaaa-aaaaa-aaaaq-cai"}})
	must(a, a.coverage.StartCoverage, &controlv1.StartCoverageRequest{})
	call(a, a.coverage.StartCoverage, &controlv1.StartCoverageRequest{})
	for _, instance := range []string{"x"} {
		call(a, a.coverage.StartCoverage, &controlv1.StartCoverageRequest{Instance: instance})
		call(a, a.coverage.ReadCoverage, &controlv1.ReadCoverageRequest{Instance: instance})
		call(a, a.coverage.StopCoverage, &controlv1.StopCoverageRequest{Instance: instance})
	}
	a.compare("coverage_refused")
}
