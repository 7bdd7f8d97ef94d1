package instance_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// awake opens a durable instance whose wall clock a test moves.
func awake(t *testing.T, fs vfs.FS, wall *hands) (*instance.Registry, *instance.Instance) {
	t.Helper()
	r := instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: wall.now, Journal: journal.Options{FS: fs, MemTableBytes: smallTable}})
	i, err := r.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: instance.Default}, Journal: "/state"})
	if err != nil {
		t.Fatal(errors.Join(err, r.Close()))
	}
	return r, i
}

// TestAKeptNetworkGoesOnAfterTheComputerSlept lets an hour pass by the wall clock while nothing runs, as with a lid
// that is closed: timers fire, calls are answered, and a message whose deadline has passed meanwhile is refused. Then
// the computer crashes, and its clock is an hour behind at the next start.
func TestAKeptNetworkGoesOnAfterTheComputerSlept(t *testing.T) {
	wall, fs := new(hands), vfs.NewCrashableMem()
	r, i := awake(t, fs, wall)
	counter := instancetest.Deploy(t, i, canistertest.Fixture("counter"), nil)
	clock := instancetest.Deploy(t, i, canistertest.Fixture("clock"), []byte("DIDL\x00\x00"))
	often, err := candid.Marshal(uint64(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	instancetest.Update(t, i, clock, clock, "start", often)
	inc := func(i *instance.Instance) string {
		return string(instancetest.Update(t, i, counter, counter, "inc", []byte("DIDL\x00\x00")))
	}
	inc(i)
	now, err := i.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	signed := &replica.Ingress{
		ID: replica.RequestID{1}, Sender: principal.Anonymous, Receiver: counter, Effective: counter, Method: "inc", Expiry: now + replica.MaxIngressTTL/2,
	}
	wall.pass(time.Hour)
	if receipt, err := i.Backend().Submit(t.Context(), signed); err == nil || !strings.Contains(err.Error(), "expir") {
		t.Errorf("a message that was signed before the sleep is taken with %+v: %v", receipt, err)
	}
	if got := inc(i); !strings.HasSuffix(got, "\x02") || shows(i) < time.Hour {
		t.Errorf("after the sleep, the counter says %q, at noon and %s", got, shows(i))
	}
	for fired := ticks(t, i, clock); ticks(t, i, clock) == fired; wall.pass(time.Second) {
		if err := i.Driver().Do(eventually.Context(t), func(*replica.Network) {}); err != nil {
			t.Fatalf("no timer fires after the sleep: %v", err)
		}
	}
	before := shows(i)
	left := fs.CrashClone(vfs.CrashCloneCfg{})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	wall.pass(-time.Hour)
	r, i = awake(t, left, wall)
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	if got := inc(i); !strings.HasSuffix(got, "\x03") || shows(i) < before-time.Second {
		t.Errorf("after a crash and with a clock an hour behind, the counter says %q, at noon and %s, and was %s", got, shows(i), before)
	}
}
