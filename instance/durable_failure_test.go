package instance_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// TestAnInstanceWhoseDiskFailsStopsAndTheOthersGoOn lets the disk fail while an instance runs: its clients are refused
// with the reason, the directory is given back, and what was acknowledged is there at the next start.
func TestAnInstanceWhoseDiskFailsStopsAndTheOthersGoOn(t *testing.T) {
	for what, c := range map[string]struct {
		err  error
		says string
	}{
		"a full disk":      {syscall.ENOSPC, "the disk is full: free space on it"},
		"a read-only disk": {syscall.EROFS, "the file system is read-only"},
		"a broken disk":    {syscall.EIO, "see the system log"},
	} {
		t.Run(what, func(t *testing.T) {
			under := vfs.NewMem()
			var fails atomic.Bool
			fs := errorfs.Wrap(under, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if fails.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
					return c.err
				}
				return nil
			}))
			config := instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Journal: journal.Options{FS: fs, MemTableBytes: smallTable}}
			r := instance.NewRegistry(config)
			kept, err := r.Create(t.Context(), &instance.Spec{Journal: "/state"})
			if err != nil {
				t.Fatal(err)
			}
			other, err := r.Create(t.Context(), &instance.Spec{})
			if err != nil {
				t.Fatal(err)
			}
			id := instancetest.Deploy(t, kept, canistertest.Fixture("counter"), nil)
			instancetest.Update(t, kept, id, id, "inc", []byte("DIDL\x00\x00"))
			fails.Store(true)
			now, err := kept.Now(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			in := &replica.Ingress{Receiver: id, Effective: id, Method: "inc", Arg: []byte("DIDL\x00\x00"), Expiry: now + replica.MaxIngressTTL/2, ID: [32]byte{1}}
			_, err = kept.Backend().Submit(t.Context(), in)
			if err == nil {
				err = kept.Backend().Await(t.Context(), kept.Driver().View().SubnetOf(id).ID, in.ID)
			}
			if refused := new(refusal.Refusal); !errors.As(err, &refused) || refused.Kind != refusal.Unavailable || !strings.Contains(err.Error(), c.says) {
				t.Errorf("a client is told: %v", err)
			}
			instancetest.Inhabit(t, other)
			fails.Store(false) // the disk is mended, and the daemon runs on
			again := instance.NewRegistry(config)
			kept, err = again.Create(t.Context(), &instance.Spec{Journal: "/state"})
			if err != nil {
				t.Fatal(err)
			}
			reply := instancetest.Update(t, kept, id, id, "inc", []byte("DIDL\x00\x00"))
			if count := reply[len(reply)-1]; count < 2 {
				t.Errorf("it has counted to %d after an update that was acknowledged and another", count)
			}
			if err := again.Close(); err != nil {
				t.Error(err)
			}
			if err := r.Close(); !errors.Is(err, c.err) {
				t.Errorf("closing says: %v", err)
			}
		})
	}
}
