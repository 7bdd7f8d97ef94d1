package trace_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/replica"
)

const helper = "__motoko_async_helper"

// asynchronous is the tree of a Motoko method that awaits an asynchronous block of its own, which calls bank.get, and
// then calls vault.pay. failure is the trap of the block's first message.
func asynchronous(failure *intercanister.Reject) *trace.Tree {
	self, bank, vault := principal.Canister(1), principal.Canister(2), principal.Canister(3)
	id := replica.RequestID{1}
	user := replica.Origin{Kind: intercanister.FromIngress, Caller: principal.Anonymous}
	outer := replica.Event{Canister: self, Request: id, Method: "m", Context: 1, Origin: user, Instructions: 10}
	inner := replica.Event{Canister: self, Peer: self, Context: 2, Call: 1, Origin: replica.Origin{Kind: intercanister.FromCanister, Caller: self, Call: 1}, Instructions: 1}
	ran := func(e replica.Event, source intercanister.Source, entry canister.Context, call intercanister.CallID) replica.Event {
		e.Kind, e.Source, e.Entry = replica.MessageExecuted, source, entry
		if call != 0 {
			e.Call, e.Peer = call, principal.Canister(9)
		}
		return e
	}
	called := func(e replica.Event, call intercanister.CallID, callee principal.Principal, method string) replica.Event {
		return replica.Event{Kind: replica.CallRegistered, Canister: self, Peer: callee, Context: e.Context, Call: call, Method: method}
	}
	settled := func(e replica.Event, call intercanister.CallID, callee principal.Principal) replica.Event {
		return replica.Event{Kind: replica.CallSettled, Canister: self, Peer: callee, Context: e.Context, Call: call, Bytes: 1}
	}
	block := ran(inner, intercanister.SourceRequests, canister.Update, 0)
	block.Method, block.Reject = helper, failure
	return trace.Build(trace.Root{Request: id}, []replica.Event{
		{Kind: replica.IngressReceived, Canister: self, Request: id, Method: "m", Origin: user},
		ran(outer, intercanister.SourceIngress, canister.Update, 0),
		called(outer, 1, self, helper),
		block,
		called(inner, 2, bank, "get"),
		settled(inner, 2, bank),
		ran(inner, intercanister.SourceResponses, canister.ReplyCallback, 2),
		settled(outer, 1, self),
		ran(outer, intercanister.SourceResponses, canister.ReplyCallback, 1),
		called(outer, 3, vault, "pay"),
		settled(outer, 3, vault),
		ran(outer, intercanister.SourceResponses, canister.ReplyCallback, 3),
		{Kind: replica.IngressAnswered, Canister: self, Request: id, Method: "m", Bytes: 1},
	})
}

func TestAsynchronousBlocksAreFoldedIntoTheMessagesAroundThem(t *testing.T) {
	names := func(id principal.Principal) string {
		return map[principal.Principal]string{principal.Canister(1): "self", principal.Canister(2): "bank", principal.Canister(3): "vault"}[id]
	}
	tree := asynchronous(nil)
	if whole := trace.Text(tree, names); strings.Count(whole, helper) != 1 {
		t.Fatalf("without folding the helper is shown once:\n%s", whole)
	}
	tree.Fold()
	want := `ingress 01000000 to self.m
├─ update (with a message of its runtime)                   round 0  11 instructions  0 cycles
│  └─ call #2 to bank.get
│     ├─ replied 1 byte                                     round 0
│     └─ missing: what it ran is not recorded
├─ reply callback of #2 (with a message of its runtime)     round 0  11 instructions  0 cycles
│  └─ call #3 to vault.pay
│     ├─ replied 1 byte                                     round 0
│     └─ missing: what it ran is not recorded
├─ reply callback of #3                                     round 0  10 instructions  0 cycles
└─ replied 1 byte                                           round 0
`
	if got := trace.Text(tree, names); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("folded, the tree is\n%swant\n%s", got, want)
	}
	if diagram := trace.Mermaid(tree, names); strings.Contains(diagram, helper) {
		t.Errorf("the diagram has the helper:\n%s", diagram)
	}
	again := trace.Text(tree, names)
	if tree.Fold(); trace.Text(tree, names) != again {
		t.Error("folding again changes the tree")
	}
}

func TestAnAsynchronousBlockThatFailsIsShown(t *testing.T) {
	tree := asynchronous(&intercanister.Reject{Code: intercanister.CanisterError, Text: "trapped"})
	tree.Fold()
	if text := trace.Text(tree, nil); !strings.Contains(text, helper) || !strings.Contains(text, "trapped: ") {
		t.Errorf("the trap of the block is not shown:\n%s", text)
	}
}
