package campaign_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// silentCounter has the method inc, which awaits a call and returns nothing. The callback stores one plus a value that
// the test chooses; its environment is the number before the await. The query now returns the time.
const silentCounter = `(module
	(@custom "icp:public candid:service" "service : {inc: () -> (); get: () -> (nat32) query; now: () -> (nat64) query; at: (nat32) -> (nat32) query}")
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "canister_self_size" (func $size (result i32)))
	(import "ic0" "canister_self_copy" (func $self (param i32 i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(import "ic0" "time" (func $time (result i64)))
	(memory (export "memory") 1)
	(data (i32.const 100) "noop")
	(data (i32.const 110) "DIDL\00\00")
	(data (i32.const 120) "DIDL\00\01\79")
	(data (i32.const 130) "DIDL\00\01\78")
	(table funcref (elem $answered $failed))
	(func $nothing (call $append (i32.const 110) (i32.const 6)) (call $reply))
	(func (export "canister_update noop") (call $nothing))
	(func (export "canister_query at") (call $nothing))
	(func (export "canister_query get")
		(call $append (i32.const 120) (i32.const 7)) (call $append (i32.const 0) (i32.const 4)) (call $reply))
	(func (export "canister_query now") (i64.store (i32.const 8) (call $time))
		(call $append (i32.const 130) (i32.const 7)) (call $append (i32.const 8) (i32.const 8)) (call $reply))
	(func $answered (param $before i32)
		(i32.store (i32.const 0) (i32.add (i32.const 1) %s)) (call $nothing))
	(func $failed (param i32) (unreachable))
	(func (export "canister_update inc") (local $before i32)
		(local.set $before (i32.load (i32.const 0)))
		(call $self (i32.const 200) (i32.const 0) (call $size))
		(call $new (i32.const 200) (call $size) (i32.const 100) (i32.const 4) (i32.const 0) (local.get $before) (i32.const 1) (local.get $before))
		(if (call $perform) (then (unreachable)))))`

// manyQueries returns a canister with the method inc and a number of queries without arguments.
func manyQueries(count int) string {
	var declared, exported strings.Builder
	for i := range count {
		fmt.Fprintf(&declared, " q%d: () -> () query;", i)
		fmt.Fprintf(&exported, ` (func (export "canister_query q%d") (call $reply))`, i)
	}
	return `(module (@custom "icp:public candid:service" "service : {inc: () -> ();` + declared.String() + `}")
		(import "ic0" "msg_reply" (func $reply)) (func (export "canister_update inc") (call $reply))` + exported.String() + ")"
}

func TestSixteenQueriesAreObservedWithoutBeingNamed(t *testing.T) {
	for queries, want := range map[int]int{3: 3, 16: 16, 17: 16} {
		c := installed(t, manyQueries(queries))
		if got := campaign.Observed(t, c); got != want {
			t.Errorf("of %d queries %d are observed, want %d", queries, got, want)
		}
	}
}

// increments returns an exploration of two calls of a silent counter.
func increments(t *testing.T, sum string) *campaign.Config {
	t.Helper()
	return installed(t, fmt.Sprintf(silentCounter, sum))
}

// installed returns an exploration of two calls of inc of a canister.
func installed(t *testing.T, text string) *campaign.Config {
	t.Helper()
	module, err := wat.Assemble(text)
	if err != nil {
		t.Fatal(err)
	}
	s := real.NewStage(t, replica.Config{Engine: canistertest.SharedEngine(t)})
	s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, module, nil)
	inc := harness.Operation{Title: "A.inc", Message: *s.Ingress(s.ID("A"), s.ID("A"), "inc", []byte("DIDL\x00\x00"))}
	return &campaign.Config{Seed: 1, Setup: harness.Setup{Base: s.Network, Operations: []harness.Operation{inc, inc}}}
}

func TestALostUpdateOfMethodsThatAnswerNothingIsSeenByTheQueriesOfTheCanister(t *testing.T) {
	for sum, lost := range map[string]bool{"(local.get $before)": true, "(i32.load (i32.const 0))": false} {
		r := run(t, increments(t, sum))
		found := ""
		for _, f := range r.Findings {
			found += f.Property + " "
		}
		if want := map[bool]string{true: "serializable ", false: ""}[lost]; found != want { // the time is another in each order
			t.Errorf("the sum of 1 and %s: found %q, want %q", sum, found, want)
		}
	}
}

func TestAUserWhoNamesQueriesIsNotGivenOthers(t *testing.T) {
	c := increments(t, "(local.get $before)")
	c.Observe = []harness.Query{{Canister: c.Setup.Operations[0].Message.Receiver, Method: "at", Arg: []byte("DIDL\x00\x00")}}
	if r := run(t, c); len(r.Findings) != 0 {
		t.Errorf("found %s", r.Findings[0].Property)
	}
}
