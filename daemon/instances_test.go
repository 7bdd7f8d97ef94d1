package daemon

import (
	"crypto/rand"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/canistertest/wat"
	"github.com/canisterd/canisterd/daemon/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/certify"
)

// holdings is what a process has.
type holdings struct {
	heap, stacks uint64 // bytes
	goroutines   int
	files        int
	checkpoint   int64 // bytes of the file of all heaps
}

func (d *Daemon) holdings(t *testing.T) (h holdings) {
	t.Helper()
	for range 3 { // what waits for finalizers and pools goes
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	return holdings{m.HeapAlloc, m.StackInuse, runtime.NumGoroutine(), len(files), d.engines.memory.InUse()}
}

// compare complains of what has grown by more than chance.
func (h holdings) compare(t *testing.T, before holdings) {
	t.Helper()
	const chance = 2 << 20 // bytes, of pools and of the collector
	if h.heap > before.heap+chance || h.stacks > before.stacks+chance || h.goroutines > before.goroutines+5 || h.files > before.files+5 || h.checkpoint != before.checkpoint {
		t.Errorf("before %+v, now %+v", before, h)
	}
}

// answering is a canister with a heap, a timer and a query.
const answering = `(module
	(import "ic0" "msg_reply_data_append" (func $append (param i32 i32)))
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "global_timer_set" (func $timer (param i64) (result i64)))
	(memory (export "memory") 2) (data (i32.const 70000) "here")
	(func (export "canister_global_timer"))
	(func (export "canister_init") (drop (call $timer (i64.const 4000000000000000000))))
	(func (export "canister_update ask") (i32.store (i32.const 0) (i32.const 7)) (call $append (i32.const 70000) (i32.const 4)) (call $reply)))`

// inhabit gives an instance a canister and has it answer.
func (d *Daemon) inhabit(t *testing.T, name string) {
	t.Helper()
	i, err := d.Instance(name)
	if err != nil {
		t.Fatal(err)
	}
	home := i.Node().View().DefaultCanister()
	var created struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	d.manage(t, i, home, "provisional_create_canister_with_cycles", struct{}{}, &created)
	id := created.Canister
	type mode struct {
		Install *candid.Null `ic:"install,variant"`
	}
	d.manage(t, i, id, "install_code", struct {
		Mode     mode                `ic:"mode"`
		Canister principal.Principal `ic:"canister_id"`
		Module   []byte              `ic:"wasm_module"`
		Arg      []byte              `ic:"arg"`
	}{mode{&candid.Null{}}, id, wat.MustAssemble(answering), nil}, nil)
	if reply := d.update(t, i, id, id, "ask", nil); string(reply) != "here" {
		t.Fatalf("it answers %q", reply)
	}
}

func (d *Daemon) manage(t *testing.T, i control.Instance, effective principal.Principal, method string, arg, reply any) {
	t.Helper()
	encoded, err := candid.Marshal(arg)
	if err != nil {
		t.Fatal(err)
	}
	answer := d.update(t, i, principal.Management, effective, method, encoded)
	if reply == nil {
		return
	}
	if err := candid.Unmarshal(answer, reply); err != nil {
		t.Fatal(err)
	}
}

// update makes a call without a signature.
func (d *Daemon) update(t *testing.T, i control.Instance, callee, effective principal.Principal, method string, arg []byte) []byte {
	t.Helper()
	b, ctx := i.Backend(), t.Context()
	in := &replica.Ingress{
		Sender: principal.Anonymous, Receiver: callee, Effective: effective, Method: method, Arg: arg, Expiry: b.Clock().Now + replica.MaxIngressTTL/2,
	}
	rand.Read(in.ID[:])
	if receipt, err := b.Submit(ctx, in); err != nil || receipt.Reject != nil {
		t.Fatalf("%s: %v (%v)", method, receipt.Reject, err)
	}
	subnet := i.Node().View().SubnetOf(effective).ID
	if err := b.Await(ctx, subnet, in.ID); err != nil {
		t.Fatal(err)
	}
	tree := i.Node().View().Subnet(subnet).Certified().Tree()
	if reject, rejected := tree.Get(certify.RequestStatusPath(in.ID, "reject_message")...); rejected {
		t.Fatalf("%s: %s", method, reject.Value())
	}
	reply, _ := tree.Get(certify.RequestStatusPath(in.ID, "reply")...)
	return reply.Value()
}

func TestTenThousandInstancesInARowLeaveNothing(t *testing.T) {
	d := started(t, Config{})
	inhabited := 0
	live := func(n int, create, end func() error) {
		for range n {
			if err := create(); err != nil {
				t.Fatal(err)
			}
			if inhabited++; inhabited%100 == 0 {
				d.inhabit(t, "x")
			}
			if err := end(); err != nil {
				t.Fatal(err)
			}
		}
	}
	spec := instance.Spec{Placement: instance.Placement{Name: "x"}}
	create := func() error { _, err := d.Create(t.Context(), &spec); return err }
	end := func() error { return d.Delete("x") }
	c := controlv1.NewInstancesClient(dialed(t, d))
	createRemote := func() error {
		_, err := c.CreateInstance(t.Context(), &controlv1.CreateInstanceRequest{Instance: "x"})
		return err
	}
	endRemote := func() error {
		_, err := c.DeleteInstance(t.Context(), &controlv1.DeleteInstanceRequest{Instance: "x"})
		return err
	}
	n := 5000
	if testing.Short() {
		n = 500
	}
	live(200, create, end)
	live(200, createRemote, endRemote)
	before := d.holdings(t)
	live(n, create, end)
	live(n, createRemote, endRemote)
	d.holdings(t).compare(t, before)
}

// ticksIn is how many instances are looked at within some time if nothing happens.
func (d *Daemon) ticksIn(within time.Duration) (ticks int) {
	d.schedule.mu.Lock()
	defer d.schedule.mu.Unlock()
	soon := time.Now().Add(within)
	for _, a := range d.schedule.queue {
		if a.at.Before(soon) {
			ticks++
		}
	}
	return ticks
}

func TestAThousandInstancesLiveSideBySide(t *testing.T) {
	d := started(t, Config{})
	n := 1000
	if testing.Short() {
		n = 100
	}
	d.inhabit(t, "")
	before := d.holdings(t)
	var all sync.WaitGroup
	places := make(chan struct{}, 4)
	for i := range n {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			name := fmt.Sprintf("i%d", i)
			if _, err := d.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: name}}); err != nil {
				t.Error(err)
				return
			}
			d.inhabit(t, name)
		})
	}
	all.Wait()
	time.Sleep(3 * tick) // each looks once more for what is due
	during := d.holdings(t)
	each := (during.heap + during.stacks - before.heap - before.stacks) / uint64(n)
	t.Logf("an instance with a canister has %d KiB and %.2f goroutines", each>>10, float64(during.goroutines-before.goroutines)/float64(n))
	if each > 256<<10 || during.goroutines > before.goroutines+2*n || during.files > before.files+50 {
		t.Errorf("before %+v, with %d instances %+v", before, n, during)
	}
	if ticks := d.ticksIn(time.Second); ticks > n/5 {
		t.Errorf("%d times a second an instance is looked at that has nothing to do but pay for its memory", ticks)
	}
	for i := range n {
		if err := d.Delete(fmt.Sprintf("i%d", i)); err != nil {
			t.Error(err)
		}
	}
	d.holdings(t).compare(t, before)
}
