package clone_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	"github.com/canisterd/canisterd/internal/standin"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// link counts its calls. With the id of a canister as the argument of its installation, it calls that one for each call. It
// replies with its count, the time, and the reply to its call.
const link = `(module
	(import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(import "ic0" "msg_arg_data_copy" (func $arg (param i32 i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "time" (func $time (result i64)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory 1)
	(table funcref (elem $answered $failed))
	(data (i32.const 40) "go")
	(func (export "canister_init")
		(i32.store (i32.const 0) (call $size))
		(call $arg (i32.const 4) (i32.const 0) (call $size)))
	(func $own
		(i64.store (i32.const 56) (call $time))
		(call $append (i32.const 48) (i32.const 16)))
	(func (export "canister_update go")
		(i64.store (i32.const 48) (i64.add (i64.load (i32.const 48)) (i64.const 1)))
		(if (i32.load (i32.const 0))
			(then
				(call $new (i32.const 4) (i32.load (i32.const 0)) (i32.const 40) (i32.const 2) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0))
				(if (call $perform) (then (unreachable))))
			(else (call $own) (call $reply))))
	(func (export "canister_query count") (call $append (i32.const 48) (i32.const 8)) (call $reply))
	(func $answered (param i32)
		(call $own)
		(call $arg (i32.const 128) (i32.const 0) (call $size))
		(call $append (i32.const 128) (call $size))
		(call $reply))
	(func $failed (param i32) (unreachable)))`

// chain creates canisters on subnets of these kinds, each of which calls the one before it, and names it in an environment
// variable. The last one is returned first.
func (n *network) chain(kinds ...string) (ids []principal.Principal) {
	n.Helper()
	module, err := wat.Assemble(link)
	if err != nil {
		n.Fatal(err)
	}
	for _, kind := range kinds {
		var settings *controlv1.Settings
		var next []byte
		if len(ids) > 0 {
			settings = &controlv1.Settings{Environment: &controlv1.Environment{Variables: []*controlv1.EnvironmentVariable{{Name: "PUBLIC_CANISTER_ID:next", Value: ids[0].String()}}}}
			next = ids[0].Bytes()
		}
		id := n.create(kind, settings)
		n.install(id, module, next)
		ids = slices.Insert(ids, 0, id)
	}
	return ids
}

// set is a set of canisters of a source, whose snapshots are taken, for this network.
func (n *network) set(from *clone.Source, cache clone.Cache) *clone.Set {
	return &clone.Set{
		Source: from, Cache: cache, Follow: true,
		Known: func([]byte) (*clone.KnownModule, error) { return nil, nil },
		Named: func(principal.Principal) []principal.Principal { return nil },
		Exists: func(ctx context.Context, id principal.Principal) (bool, error) {
			got, err := n.Canisters.ListCanisters(ctx, &controlv1.ListCanistersRequest{})
			return slices.ContainsFunc(got.GetCanisters(), func(c *controlv1.CanisterSummary) bool { return c.GetCanisterId() == id.String() }), err
		},
		Fetch: func(ctx context.Context, id principal.Principal) (*clone.Entry, error) {
			e, err := from.Take(ctx, cache, id)
			if err != nil {
				return nil, err
			}
			return e, from.DownloadTaken(ctx, e, untold)
		},
	}
}

// load makes the members of a set.
func (n *network) load(members []*clone.Member) {
	n.Helper()
	for _, m := range slices.Backward(members) {
		var err error
		switch {
		case m.Entry != nil:
			_, err = n.destination().Load(n.ctx, m.Canister, m.Entry, clone.LoadOptions{Controller: developer})
		case m.Recording != nil:
			err = n.destination().StandIn(n.ctx, m.Recording, developer)
		}
		if err != nil {
			n.Fatal(err)
		}
	}
}

func TestASetWithItsDependenciesAnswersAsItsSource(t *testing.T) {
	from, to := mainnet(t), local(t)
	ids := from.chain("SUBNET_KIND_NNS", "SUBNET_KIND_SNS", "SUBNET_KIND_APPLICATION")
	for range 20 {
		from.send(ids[0], message{method: "go"})
	}
	source, _ := from.source(from.url)
	cache := clone.Cache(filepath.Join(t.TempDir(), "clones"))
	members, err := to.set(source, cache).Gather(to.ctx, ids[:1])
	if err != nil {
		t.Fatal(err)
	}
	if len(members) != len(ids) {
		t.Fatalf("the set is %+v", members)
	}
	for i, m := range members {
		if m.Canister != ids[i] || m.Entry == nil || i > 0 && (m.Caller != ids[i-1] || m.Known != "environment variable PUBLIC_CANISTER_ID:next") {
			t.Errorf("member %d is %+v", i, m)
		}
	}
	cached, err := cache.Cached(ids[0], from.url)
	if err != nil || len(cached) != len(ids) {
		t.Errorf("in the cache are %+v (%v)", cached, err)
	}
	to.load(members)
	at := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	from.standStill(at)
	to.standStill(at)
	for i := range 1000 {
		got, want := to.send(ids[0], message{method: "go"}), from.send(ids[0], message{method: "go"})
		if got != want || len(got) != 16*len(ids) {
			t.Fatalf("message %d: the clone answers %q, the source %q", i, got, want)
		}
	}
	for _, id := range ids {
		got, want := to.send(id, message{method: "count", query: true}), from.send(id, message{method: "count", query: true})
		if got != want || got != string(number(1020)) {
			t.Errorf("%s: the clone has %q messages, the source %q", id, got, want)
		}
	}
}

// transfer lets another identity than the owner control a canister.
func (n *network) transfer(id principal.Principal) {
	n.Helper()
	stranger := &controlv1.Controllers{Principals: []string{principal.SelfAuthenticating([]byte("stranger")).String()}}
	_, err := n.Canisters.UpdateSettings(n.ctx, &controlv1.UpdateSettingsRequest{CanisterId: id.String(), Settings: &controlv1.Settings{Controllers: stranger}})
	if err != nil {
		n.Fatal(err)
	}
}

func TestWhatTheIdentityDoesNotControlGetsAStandIn(t *testing.T) {
	from, to := mainnet(t), local(t)
	ledger, hidden := from.create("SUBNET_KIND_SNS", nil), from.chain("SUBNET_KIND_NNS")[0]
	from.install(ledger, fixture(t, "ledger"), empty)
	for i := range uint64(3) {
		from.send(ledger, programs["Motoko with enhanced orthogonal persistence"].before(i))
	}
	id := from.chain("SUBNET_KIND_APPLICATION")[0]
	from.transfer(ledger)
	from.transfer(hidden)
	source, _ := from.source(from.url)
	cache := clone.Cache(filepath.Join(t.TempDir(), "clones"))
	s := to.set(source, cache)
	absent := principal.Canister(1 << 40)
	s.Named = func(principal.Principal) []principal.Principal {
		return []principal.Principal{ledger, hidden, absent, principal.Management, id}
	}
	members, err := s.Gather(to.ctx, []principal.Principal{id})
	if err != nil {
		t.Fatal(err)
	}
	members = slices.DeleteFunc(members, func(m *clone.Member) bool { return m.Canister == id })
	for _, m := range members {
		if m.Known != "named in canisterd.yaml" || m.Entry != nil || m.Err == nil || (m.Recording != nil) != (m.Canister == ledger) {
			t.Errorf("%s is %+v", m.Canister, m)
		}
	}
	if len(members) != 3 || !strings.Contains(members[slices.IndexFunc(members, func(m *clone.Member) bool { return m.Canister == ledger })].Err.Error(), "IC0512") {
		t.Errorf("the set is %+v", members)
	}
	to.load(members)
	for _, q := range []message{{method: "total", text: "()", query: true}, {method: "size", text: "()", query: true}} {
		if got, want := to.send(ledger, q), from.send(ledger, q); got != want || strings.HasPrefix(got, "rejected") {
			t.Errorf("%s: the stand-in answers %q, the source %q", q.method, got, want)
		}
	}
	if got := to.send(ledger, message{method: "record", text: `(1, "")`}); !strings.Contains(got, "This is a stand-in for canister "+ledger.String()+" of "+from.url) {
		t.Errorf("an update gives %q", got)
	}
	entry := clone.Query{Method: "entry", Argument: []byte("DIDL\x00\x01\x7d\x02")}
	if got := to.send(ledger, message{method: "entry", bytes: entry.Argument, query: true}); !strings.Contains(got, "No reply of entry was recorded for this argument") {
		t.Errorf("a query that was not recorded gives %q", got)
	}
	r, err := cache.Recording(ledger)
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Record(from.ctx, r, entry); err != nil {
		t.Fatal(err)
	}
	if err := to.destination().StandIn(to.ctx, r, developer); err != nil {
		t.Fatal(err)
	}
	if got, want := to.send(ledger, message{method: "entry", bytes: entry.Argument, query: true}), from.send(ledger, message{method: "entry", bytes: entry.Argument, query: true}); got != want || strings.HasPrefix(got, "rejected") {
		t.Errorf("the stand-in answers %q, the source %q", got, want)
	}
	about, err := to.destination().StandInAt(to.ctx, ledger)
	if err != nil || about == nil || about.Certified || about.Replies["entry"] != 1 || len(about.Replies) != 3 {
		t.Errorf("it is described as %+v (%v)", about, err)
	}
	if err := to.destination().StandIn(to.ctx, &standin.Recording{Canister: id}, developer); err != nil {
		t.Errorf("there is no canister %s yet: %v", id, err)
	}
}

func TestCodeOfOthersIsNotReplacedByAStandIn(t *testing.T) {
	to := local(t)
	id := to.create("SUBNET_KIND_APPLICATION", nil)
	to.install(id, fixture(t, "ledger"), empty)
	if about, err := to.destination().StandInAt(to.ctx, id); err != nil || about != nil {
		t.Errorf("it is %v (%v)", about, err)
	}
	if err := to.destination().StandIn(to.ctx, &standin.Recording{Canister: id}, developer); err == nil || !strings.Contains(err.Error(), "exists already and is no stand-in") {
		t.Errorf("it is %v", err)
	}
}

// What an instance remembers of messages says which canisters a canister calls, and with which arguments.
func TestCallsThatAnInstanceRemembersAreFound(t *testing.T) {
	from := mainnet(t)
	at := networks.Instance{Daemon: from.Daemon}
	if calls, err := at.Calls(from.ctx, principal.Canister(1)); err != nil || calls != nil {
		t.Errorf("without messages it is %v (%v)", calls, err)
	}
	ids := from.chain("SUBNET_KIND_SNS", "SUBNET_KIND_APPLICATION", "SUBNET_KIND_APPLICATION")
	from.send(ids[0], message{method: "go"})
	for i, id := range ids {
		calls, err := at.Calls(from.ctx, id)
		if err != nil || len(calls) != min(1, len(ids)-1-i) || len(calls) > 0 && (calls[0].Callee != ids[i+1] || calls[0].Method != "go" || len(calls[0].Argument) > 0) {
			t.Errorf("%s calls %+v (%v)", id, calls, err)
		}
	}
}

func TestASetHasAtMostItsLimitOfCanisters(t *testing.T) {
	from, to := mainnet(t), local(t)
	id := from.chain("SUBNET_KIND_APPLICATION")[0]
	source, _ := from.source(from.url)
	s := to.set(source, clone.Cache(filepath.Join(t.TempDir(), "clones")))
	s.Named = func(principal.Principal) (all []principal.Principal) {
		for i := range uint64(clone.MaxMembers) {
			all = append(all, principal.Canister(1<<40+i))
		}
		return all
	}
	members, err := s.Gather(to.ctx, []principal.Principal{id})
	if err != nil {
		t.Fatal(err)
	}
	last := members[len(members)-1]
	if len(members) != clone.MaxMembers+1 || last.Err == nil || last.Err.Error() != "a set has at most 50 canisters" || strings.Contains(members[len(members)-2].Err.Error(), "a set has") {
		t.Errorf("of %d members the last is %+v", len(members), last)
	}
}

func TestADependencyWithoutASnapshotIsNamedWithItsCaller(t *testing.T) {
	from, to := mainnet(t), local(t)
	ids := from.chain("SUBNET_KIND_SNS", "SUBNET_KIND_APPLICATION")
	source, _ := from.source(from.url)
	s := to.set(source, clone.Cache(filepath.Join(t.TempDir(), "clones")))
	take := s.Fetch
	s.Fetch = func(ctx context.Context, id principal.Principal) (*clone.Entry, error) {
		if id == ids[0] {
			return take(ctx, id)
		}
		_, err := source.Newest(ctx, id)
		return nil, err
	}
	want := "canister " + ids[1].String() + ", which " + ids[0].String() + " calls (environment variable PUBLIC_CANISTER_ID:next): canister " + ids[1].String() + " has no snapshot: pass --take to take one"
	if _, err := s.Gather(to.ctx, ids[:1]); err == nil || err.Error() != want {
		t.Errorf("it is %v", err)
	}
}

func TestRepliesOfDifferentNetworksAreNotMixed(t *testing.T) {
	from := mainnet(t)
	id := from.create("SUBNET_KIND_SNS", nil)
	from.install(id, fixture(t, "ledger"), empty)
	source, _ := from.source(from.url, client.WithRetries(nil))
	r, err := source.Recording(from.ctx, id)
	if err != nil || !strings.Contains(r.Interface, "total") {
		t.Fatalf("it is %+v (%v)", r, err)
	}
	q := clone.Query{Method: "total", Argument: empty}
	if err := source.Record(from.ctx, r, q); err != nil || !bytes.Equal(r.Find("total", empty).Reply, []byte("DIDL\x00\x01\x7d\x00")) {
		t.Errorf("it is %+v (%v)", r.Replies, err)
	}
	if err := source.Record(from.ctx, r, clone.Query{Method: "nothing"}); err == nil || len(r.Replies) != 1 {
		t.Errorf("a method that is not there gives %v", err)
	}
	r.Network = "another"
	if err := source.Record(from.ctx, r, q); err == nil || !strings.Contains(err.Error(), "were recorded from another network ("+from.url+")") {
		t.Errorf("it is %v", err)
	}
	r.Network = source.Network
	for len(r.Replies) < standin.MaxReplies {
		r.Replies = append(r.Replies, standin.Reply{Method: "total"})
	}
	if err := source.Record(from.ctx, r, q); err == nil || !strings.Contains(err.Error(), "10000 replies") {
		t.Errorf("it is %v", err)
	}
}
