package instance_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// counted counts what a durable instance does with its disk.
type counted struct{ changes, syncs atomic.Int64 }

// costing is a durable instance whose disk is counted.
func costing(t *testing.T) (*instance.Instance, *counted) {
	t.Helper()
	c := &counted{}
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
			c.syncs.Add(1)
		default:
		}
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			c.changes.Add(1)
		}
		return nil
	}))
	r := instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Journal: journal.Options{FS: fs, MemTableBytes: smallTable}})
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	i, err := r.Create(t.Context(), &instance.Spec{Journal: "/state"})
	if err != nil {
		t.Fatal(err)
	}
	return i, c
}

func TestAnIdleDurableInstanceWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, disk := costing(t)
		id := instancetest.Deploy(t, i, canistertest.Fixture("counter"), nil)
		instancetest.Update(t, i, id, id, "inc", []byte("DIDL\x00\x00"))
		time.Sleep(time.Hour) // the last checkpoint is made
		before := disk.changes.Load()
		time.Sleep(time.Hour)
		if wrote := disk.changes.Load() - before; wrote != 0 {
			t.Errorf("%d changes of the disk in an hour without a request, want 0", wrote)
		}
		instancetest.Update(t, i, id, id, "inc", []byte("DIDL\x00\x00"))
		if disk.changes.Load() == before {
			t.Error("an update changes nothing on the disk")
		}
	})
}

func TestAnUpdateOfAClientThatIsAloneWaitsForTheDiskOnce(t *testing.T) { synctest.Test(t, updateAlone) }

func updateAlone(t *testing.T) {
	i, disk := costing(t)
	id := instancetest.Deploy(t, i, canistertest.Fixture("counter"), nil)
	subnet := i.Driver().View().SubnetOf(id).ID
	const updates = 50
	before := disk.syncs.Load()
	for range updates {
		update(t, i, id, subnet)
	}
	// A record that no client waits for may add one now and then.
	if syncs := disk.syncs.Load() - before; syncs < updates || syncs > updates*3/2 {
		t.Errorf("%d updates take %d syncs, want one each", updates, syncs)
	}
}
