package clone_test

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// reader queries the total of the ledger that the argument of its installation names. It counts the replies, and replies
// with their number and the last one.
const reader = `(module
	(import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(import "ic0" "msg_arg_data_copy" (func $arg (param i32 i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "call_new" (func $new (param i32 i32 i32 i32 i32 i32 i32 i32)))
	(import "ic0" "call_data_append" (func $data (param i32 i32)))
	(import "ic0" "call_perform" (func $perform (result i32)))
	(memory 1)
	(table funcref (elem $answered $failed))
	(data (i32.const 40) "total")
	(data (i32.const 48) "DIDL\00\00")
	(func (export "canister_init")
		(i32.store (i32.const 0) (call $size))
		(call $arg (i32.const 4) (i32.const 0) (call $size)))
	(func (export "canister_update read")
		(call $new (i32.const 4) (i32.load (i32.const 0)) (i32.const 40) (i32.const 5) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0))
		(call $data (i32.const 48) (i32.const 6))
		(if (call $perform) (then (unreachable))))
	(func $answered (param i32)
		(i64.store (i32.const 64) (i64.add (i64.load (i32.const 64)) (i64.const 1)))
		(call $append (i32.const 64) (i32.const 8))
		(call $arg (i32.const 128) (i32.const 0) (call $size))
		(call $append (i32.const 128) (call $size))
		(call $reply))
	(func $failed (param i32)))`

// keeping starts a daemon that keeps its network in a directory.
func keeping(t *testing.T, dir string) (n *network, end func()) {
	t.Helper()
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	c, err := remote.Dial(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	return &network{TB: t, Daemon: c, ctx: eventually.Context(t), url: d.URL()}, func() {
		t.Helper()
		if err := errors.Join(c.Close(), d.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// explored explores operations, and returns the report.
func (n *network) explored(operations ...*controlv1.ExploreOperation) *controlv1.ExploreReport {
	n.Helper()
	stream, err := n.Explorer.Explore(n.ctx, &controlv1.ExploreRequest{Operations: operations})
	if err != nil {
		n.Fatal(err)
	}
	var report *controlv1.ExploreReport
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return report
		}
		if err != nil {
			n.Fatal(err)
		}
		report = answer.GetReport()
	}
}

// What the clone and the stand-in do is compared after the source was stopped.
func TestAStandInReplaysAndIsExploredWithoutANetwork(t *testing.T) {
	from := mainnet(t)
	ledger := from.create("SUBNET_KIND_SNS", nil)
	from.install(ledger, fixture(t, "ledger"), empty)
	from.send(ledger, message{method: "record", text: `(7, "before")`})
	from.transfer(ledger)
	module, err := wat.Assemble(reader)
	if err != nil {
		t.Fatal(err)
	}
	id := from.create("SUBNET_KIND_APPLICATION", nil)
	from.install(id, module, ledger.Bytes())
	total := from.send(ledger, message{method: "total", text: "()", query: true})
	dir := filepath.Join(t.TempDir(), "state")
	to, end := keeping(t, dir)
	source, _ := from.source(from.url)
	s := to.set(source, clone.Cache(filepath.Join(t.TempDir(), "clones")))
	s.Named = func(principal.Principal) []principal.Principal { return []principal.Principal{ledger} }
	members, err := s.Gather(to.ctx, []principal.Principal{id})
	if err != nil {
		t.Fatal(err)
	}
	to.load(members)
	for _, gone := range []principal.Principal{id, ledger} {
		if _, err := from.Canisters.StopCanister(from.ctx, &controlv1.StopCanisterRequest{CanisterId: gone.String()}); err != nil {
			t.Fatal(err)
		}
	}
	to.standStill(time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC))
	const reads = 20
	for i := range uint64(reads) {
		if got := to.send(id, message{method: "read"}); got != string(number(i+1))+total {
			t.Fatalf("message %d: %q, and the source has %q", i, got, total)
		}
	}
	read := &controlv1.ExploreOperation{Call: &controlv1.Call{CanisterId: id.String(), Method: "read"}}
	if report := to.explored(read, read); report.GetRuns() < 3 || report.GetOperations()[0].GetReplied() == 0 || len(report.GetFindings()) > 0 {
		t.Errorf("the report is %v", report)
	}
	end()
	done, err := daemon.ReplayState(t.Context(), dir, daemon.Config{CacheDir: canistertest.CacheDir(t)}, daemon.Traces{Newest: reads})
	if err != nil || done.Roots < reads || len(done.Traces) != reads || !strings.Contains(strings.Join(done.Traces, ""), "total") {
		t.Errorf("the replay is %+v (%v)", done, err)
	}
	to, end = keeping(t, dir)
	defer end()
	if got := to.send(ledger, message{method: "total", text: "()", query: true}); got != total {
		t.Errorf("after a restart the stand-in replies %q", got)
	}
}
