package campaign_test

import (
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// stopsItself has the method halt, which stops the canister and awaits the answer. That never comes: the canister only
// stops when no call is open.
const stopsItself = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "canister_self_size" (func $size (result i32)))
	(import "ic0" "canister_self_copy" (func $self (param i32 i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_data_append" (func $append (param i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory (export "memory") 1)
	(data (i32.const 100) "stop_canister")
	(data (i32.const 120) "DIDL\01\6c\01\b3\c4\b1\f2\04\68\01\00\01\0a")
	(table funcref (elem $answered))
	(func $answered (param i32) (call $reply))
	(func (export "canister_update halt")
		(call $self (i32.const 137) (i32.const 0) (call $size))
		(call $new (i32.const 0) (i32.const 0) (i32.const 100) (i32.const 13) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))
		(call $append (i32.const 120) (i32.const 27))
		(if (call $perform) (then (unreachable)))))`

func TestACallThatWaitsForItselfIsFoundAsACircularWait(t *testing.T) {
	t.Parallel()
	module, err := wat.Assemble(stopsItself)
	if err != nil {
		t.Fatal(err)
	}
	s := real.NewStage(t, replica.Config{Engine: canistertest.SharedEngine(t)})
	id := s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, module, nil)
	if answer := s.Manage("A", "update_settings", s.About("A", `settings = record { controllers = opt vec { principal "`+id.String()+`" } }`)); answer.Status != "replied" {
		t.Fatal(answer)
	}
	halt := harness.Operation{Title: "A.halt", Message: *s.Ingress(id, id, "halt", nil)}
	r := run(t, &campaign.Config{Seed: 1, Setup: harness.Setup{Base: s.Network, Operations: []harness.Operation{halt}}})
	if all := r.Violations(); len(all) == 0 || all[0].Property != "circular-wait" || all[0].Text != "halt of "+id.String()+" waits for itself" {
		t.Errorf("found %+v", all)
	}
}
