package control_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
)

// httpRequestOf is an argument of http_request or flexible_http_request, whose function has a type without a
// counterpart in Go.
func (a *api) httpRequestOf(method, fields string) []byte {
	a.Helper()
	described, err := os.ReadFile("../../replica/internal/management/testdata/ic.did")
	if err != nil {
		a.Fatal(err)
	}
	file, err := did.Parse(string(described))
	if err != nil {
		a.Fatal(err)
	}
	m, _ := file.Method(method)
	types := []*candid.Type{m.Args[0].Type}
	args, err := candid.ParseArgsAt("(record {"+fields+"})", types)
	if err != nil {
		a.Fatal(err)
	}
	arg, err := candid.Encode(args, types)
	if err != nil {
		a.Fatal(err)
	}
	return arg
}

// asksOutside lets a canister ask an address, the answer to which goes through a
// transform, and gives the outcall that waits then.
func (a *api) asksOutside(id principal.Principal, url string) (sent replica.RequestID, waits driver.Outcall) {
	a.Helper()
	request := a.httpRequestOf("http_request", fmt.Sprintf(`url = %q; method = variant { get }; headers = vec {}; transform = opt record { function = func %q."query"; context = blob "" }`, url, id))
	sent = a.runs(id, canistertest.Script().Call(canistertest.Call{
		Callee: principal.Management, Method: "http_request", Arg: request, Cycles: 100_000_000_000,
		OnReply: canistertest.Script().Arg().ReplyTop(), OnReject: canistertest.Script().Text("rejected: ").Append().RejectMessage().ReplyTop(),
	}))
	must(a, a.clock.RunRounds, &controlv1.RunRoundsRequest{Rounds: 3})
	all := a.outside()
	if len(all) != 1 || all[0].Request.URL != url {
		a.Fatalf("these outcalls wait: %v; the canister says %q", all, a.said(sent))
	}
	return sent, all[0]
}

func (a *api) outside() []driver.Outcall {
	a.Helper()
	all, err := a.daemon.Outcalls(a.ctx)
	if err != nil {
		a.Fatal(err)
	}
	return all
}

// meanwhile is a context that does something when a caller is about to wait with it.
type meanwhile struct {
	context.Context
	do func()
}

// Done does it before it is a context's.
func (m *meanwhile) Done() <-chan struct{} {
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return m.Context.Done()
}

func TestAnAnswerToAnOutcallOfBeforeARestoreIsDropped(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	alice := cast(a, "ALICE")[0]
	must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "quiet"})
	restore := func() {
		must(a, a.instances.RestoreSnapshot, &controlv1.RestoreSnapshotRequest{Snapshot: "quiet"})
	}
	answer := replica.OutcallAnswer{Status: 200, Body: []byte("of before")}

	a.note("the answer comes after the restore, when another outcall has the number")
	_, before := a.asksOutside(alice, "https://example.org/before")
	restore()
	_, after := a.asksOutside(alice, "https://example.org/after")
	if before.Number != after.Number || before.Subnet != after.Subnet {
		t.Fatalf("their numbers are %d and %d", before.Number, after.Number)
	}
	if err := a.node().AnswerListed(a.ctx, &before, answer); !errors.Is(err, driver.ErrRestored) {
		t.Errorf("the answer of before: %v", err)
	}
	if left := a.outside(); len(left) != 1 || left[0].Request.URL != after.Request.URL {
		t.Errorf("these outcalls wait then: %v", left)
	}

	a.note("the restore comes while the answer goes through its transform")
	var sent replica.RequestID
	interrupted := &meanwhile{a.ctx, func() {
		restore()
		sent, after = a.asksOutside(alice, "https://example.org/meanwhile")
	}}
	err := a.daemon.AnswerOutcall(interrupted, &replica.HTTPAnswer{Subnet: after.Subnet, Number: after.Number, Answers: []replica.OutcallAnswer{answer}})
	if !errors.Is(err, driver.ErrRestored) {
		t.Errorf("the answer that was under way: %v", err)
	}
	if left := a.outside(); len(left) != 1 || left[0].Request.URL != after.Request.URL {
		t.Errorf("these outcalls wait then: %v", left)
	}

	a.note("the outcall that waits now is answered")
	if sent == (replica.RequestID{}) {
		t.Fatal("there was no transform")
	}
	if err := a.node().AnswerListed(a.ctx, &after, answer); err != nil {
		t.Error(err)
	}
	a.idle()
	if said := a.said(sent); said == "" || said == "unknown" {
		t.Errorf("the canister says %q", said)
	}
}

func TestAnAnswerThatNamesTheIncarnationOfItsOutcallIsForNoOther(t *testing.T) {
	t.Parallel()
	a := byHand(t)
	alice := cast(a, "ALICE")[0]
	must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Snapshot: "quiet"})
	restore := func() {
		must(a, a.instances.RestoreSnapshot, &controlv1.RestoreSnapshotRequest{Snapshot: "quiet"})
	}
	listed := func(instance, as string) *controlv1.Outcall {
		all := must(a, a.messages.ListOutcalls, &controlv1.ListOutcallsRequest{Instance: instance}).GetOutcalls()
		if len(all) != 1 {
			t.Fatalf("these outcalls wait: %v", all)
		}
		a.mask(all[0].GetIncarnation(), as)
		return all[0]
	}
	answer := func(instance string, o *controlv1.Outcall, incarnation string) {
		call(a, a.messages.AnswerOutcall, &controlv1.AnswerOutcallRequest{
			Instance: instance, SubnetId: o.GetSubnetId(), Number: o.GetNumber(), Incarnation: incarnation,
			Answers: []*controlv1.OutcallAnswer{{Answer: &controlv1.OutcallAnswer_Reject{Reject: &controlv1.Reject{Code: 2, Text: "answered"}}}},
		})
	}
	a.asksOutside(alice, "https://example.org/before")
	before := listed("", "BEFORE")
	restore()
	sent, _ := a.asksOutside(alice, "https://example.org/after")
	after := listed("", "AFTER")
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Name: "branch"})
	branch := listed("branch", "BRANCH")
	if before.GetNumber() != after.GetNumber() || before.GetSubnetId() != after.GetSubnetId() {
		t.Fatalf("their numbers are %d and %d", before.GetNumber(), after.GetNumber())
	}
	a.note("the outcall that has the number now is another, and so is that of a fork")
	answer("", before, before.GetIncarnation())
	answer("branch", branch, after.GetIncarnation())
	answer("", after, "x")
	a.note("it is answered where it is named")
	answer("branch", branch, branch.GetIncarnation())
	answer("", after, after.GetIncarnation())
	answer("", after, after.GetIncarnation())
	a.idle()
	a.note("%s", a.said(sent))
	a.note("who names no incarnation answers whatever has the number")
	restore()
	a.asksOutside(alice, "https://example.org/again")
	answer("", before, "")
	a.compare("messages_outcalls_restored")
}
