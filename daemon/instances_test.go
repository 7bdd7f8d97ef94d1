package daemon

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/instance"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/instancetest"
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
	for range 2 { // two calls evict every idle canister; else the daemon would do so between two measurements, or not
		d.instances.EvictIdle()
	}
	for range 3 { // what waits for finalizers and pools goes
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	engine := make(chan int64, 1)
	if err := d.Driver().Do(t.Context(), func(n *replica.Network) { engine <- n.Engine().InUse() }); err != nil {
		t.Fatal(err)
	}
	return holdings{m.HeapAlloc, m.StackInuse, runtime.NumGoroutine(), len(files), <-engine}
}

// compare complains of what has grown by more than chance.
func (h holdings) compare(t *testing.T, before holdings) {
	t.Helper()
	const chance = 2 << 20 // bytes, of pools and of the collector
	if h.heap > before.heap+chance || h.stacks > before.stacks+chance || h.goroutines > before.goroutines+5 || h.files > before.files+5 || h.checkpoint != before.checkpoint {
		t.Errorf("before %+v, now %+v", before, h)
	}
}

// inhabit gives an instance a canister and has it answer.
func (d *Daemon) inhabit(t *testing.T, name string) {
	t.Helper()
	i, err := d.instances.Instance(name)
	if err != nil {
		t.Fatal(err)
	}
	instancetest.Inhabit(t, i)
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
	// The ends are what matters here, so most have keys that the daemon knows: deriving keys takes most of the time of a creation.
	seed := func() *[instance.SeedBytes]byte { return &[instance.SeedBytes]byte{byte(inhabited % 100)} }
	create := func() error {
		spec.Seed = seed()
		_, err := d.instances.Create(t.Context(), &spec)
		return err
	}
	end := func() error { return d.instances.Delete("x") }
	c := controlv1.NewInstancesClient(dialed(t, d))
	createRemote := func() error {
		_, err := c.CreateInstance(t.Context(), &controlv1.CreateInstanceRequest{Instance: "x", Seed: seed()[:]})
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
			if _, err := d.instances.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: name}}); err != nil {
				t.Error(err)
				return
			}
			d.inhabit(t, name)
		})
	}
	all.Wait()
	during := d.holdings(t)
	each := (during.heap + during.stacks - before.heap - before.stacks) / uint64(n)
	t.Logf("an instance with a canister has %d KiB and %.2f goroutines", each>>10, float64(during.goroutines-before.goroutines)/float64(n))
	if each > 256<<10 || during.goroutines > before.goroutines+2*n || during.files > before.files+50 {
		t.Errorf("before %+v, with %d instances %+v", before, n, during)
	}
	for i := range n {
		if err := d.instances.Delete(fmt.Sprintf("i%d", i)); err != nil {
			t.Error(err)
		}
	}
	d.holdings(t).compare(t, before)
}
