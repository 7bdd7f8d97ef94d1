package instance_test

import (
	"bytes"
	"errors"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// smallTable makes the open of a directory fast.
const smallTable = 128 << 10

// crashing is a durable instance on a disk that loses unsynced data in a crash.
type crashing struct {
	t        testing.TB
	engine   *canister.Engine
	fs       *vfs.MemFS
	registry *instance.Registry
	*instance.Instance
	retention  journal.Retention
	checkpoint int64 // bytes of records that make a checkpoint due; 0: 64 MiB
}

func newCrashing(t testing.TB) *crashing { return newRetaining(t, journal.Retention{}, 0) }

// newRetaining returns a crashing instance that keeps its history.
func newRetaining(t testing.TB, retention journal.Retention, checkpoint int64) *crashing {
	engine := canistertest.NewEngine(t)
	c := &crashing{t: t, engine: engine, fs: vfs.NewCrashableMem(), retention: retention, checkpoint: checkpoint}
	t.Cleanup(func() {
		if err := c.registry.Close(); err != nil {
			t.Error(err)
		}
	})
	c.open(instance.Spec{Pacing: instance.Pacing{Mode: instance.Manual}})
	return c
}

// open starts the instance from what is on the disk.
func (c *crashing) open(spec instance.Spec) {
	c.t.Helper()
	c.registry = instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(c.t), Wall: time.Now, Engine: c.engine, CheckpointBytes: c.checkpoint, Journal: journal.Options{FS: c.fs, MemTableBytes: smallTable, Retention: c.retention}})
	spec.Name, spec.Journal = instance.Default, "/state"
	var err error
	if c.Instance, err = c.registry.Create(c.t.Context(), &spec); err != nil {
		c.t.Fatal(err)
	}
}

// crash starts the instance from what a crash leaves on the disk now.
func (c *crashing) crash(unsynced int, random *rand.Rand) {
	c.t.Helper()
	left := c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: unsynced, RNG: random})
	if err := c.registry.Close(); err != nil {
		c.t.Fatal(err)
	}
	c.fs = left
	c.open(instance.Spec{})
}

// hash returns the hash of the whole state.
func (c *crashing) hash() [32]byte {
	c.t.Helper()
	type hashed struct {
		hash [32]byte
		err  error
	}
	h, err := driver.Ask(c.t.Context(), c.Instance.Driver(), func(n *replica.Network) (h hashed) {
		h.hash, h.err = n.StateHash()
		return h
	})
	if err = errors.Join(err, h.err); err != nil {
		c.t.Fatal(err)
	}
	return h.hash
}

func (c *crashing) deploy() principal.Principal {
	c.t.Helper()
	return instancetest.Deploy(c.t, c.Instance, canistertest.Fixture("counter"), nil)
}

func (c *crashing) count(id principal.Principal) string {
	c.t.Helper()
	return string(instancetest.Update(c.t, c.Instance, id, id, "inc", []byte("DIDL\x00\x00")))
}

func TestAnInstanceIsTheSameAfterACrash(t *testing.T) {
	c := newCrashing(t)
	random := rand.New(rand.NewPCG(3, 4))
	id := c.deploy()
	key, _ := c.Lineage()
	for crash := range 6 {
		for range crash {
			c.count(id)
		}
		if _, err := c.RunRounds(t.Context(), uint64(1+crash)); err != nil {
			t.Fatal(err)
		}
		if err := c.SetTime(t.Context(), c.Driver().View().Time+uint64(crash+1)*1_000_000_000); err != nil {
			t.Fatal(err)
		}
		before := c.hash()
		c.crash(20*crash, random)
		if after := c.hash(); after != before {
			t.Fatalf("crash %d: the state hash is %x, and was %x", crash, after, before)
		}
		if now, _ := c.Lineage(); now != key || c.Pacing().Mode != instance.Manual {
			t.Errorf("crash %d: the network is %s with pacing %s, and was %s", crash, now, c.Pacing().Mode, key)
		}
	}
}

// TestNoAcknowledgedUpdateIsLost crashes while clients write, and checks that each acknowledged update is there.
func TestNoAcknowledgedUpdateIsLost(t *testing.T) {
	c := newCrashing(t)
	random := rand.New(rand.NewPCG(5, 6))
	var ids []principal.Principal
	for range 4 {
		ids = append(ids, c.deploy())
	}
	acknowledged := make([]int, len(ids))
	if err := c.SetPacing(t.Context(), instance.Pacing{Mode: instance.Auto}); err != nil {
		t.Fatal(err)
	}
	for crash := range 8 {
		var mu sync.Mutex // guards counts and left
		counts, total := make([]int, len(ids)), 0
		var left *vfs.MemFS
		var before []int
		crashAt := 1 + random.IntN(30)
		var clients sync.WaitGroup
		for at, id := range ids {
			clients.Go(func() {
				for range 10 {
					c.count(id)
					mu.Lock()
					counts[at]++
					if total++; total == crashAt {
						before = append([]int(nil), counts...)
						left = c.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: random.IntN(101), RNG: random})
					}
					mu.Unlock()
				}
			})
		}
		clients.Wait()
		if err := c.registry.Close(); err != nil {
			t.Fatal(err)
		}
		c.fs = left
		c.open(instance.Spec{})
		for at, id := range ids {
			acknowledged[at] += before[at]
			reply := c.count(id)
			now := int(reply[len(reply)-1]) - 1 // DIDL 0 1 7d N
			if now < acknowledged[at] {
				t.Fatalf("crash %d: canister %d has counted to %d, and %d updates were acknowledged", crash, at, now, acknowledged[at])
			}
			acknowledged[at] = now + 1
		}
	}
}

func TestSnapshotsAndRestoresSurviveACrash(t *testing.T) {
	c := newCrashing(t)
	id := c.deploy()
	c.count(id)
	if _, err := c.TakeSnapshot(t.Context(), "one", false); err != nil {
		t.Fatal(err)
	}
	atSnapshot := c.hash()
	c.count(id)
	before := c.hash()
	c.crash(0, nil)
	if c.hash() != before {
		t.Error("the state is another after a snapshot and a crash")
	}
	if all := c.Snapshots(); len(all) != 1 || all[0].Name != "one" {
		t.Fatalf("the snapshots are %+v", all)
	}
	if err := c.Restore(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	key, _ := c.Lineage()
	c.crash(0, nil)
	if c.hash() != atSnapshot {
		t.Error("the state is not the snapshot's after a restore and a crash")
	}
	if now, _ := c.Lineage(); now != key {
		t.Errorf("the network is %s after the crash, and was %s", now, key)
	}
	c.count(id)
	before = c.hash()
	c.crash(0, nil)
	if c.hash() != before {
		t.Error("what happened after the restore is lost")
	}
	if err := c.DeleteSnapshot("one"); err != nil {
		t.Fatal(err)
	}
	c.crash(0, nil)
	if all := c.Snapshots(); len(all) != 0 {
		t.Errorf("a deleted snapshot is there again: %+v", all)
	}
}

func TestACleanRestartReplaysNothing(t *testing.T) {
	c := newCrashing(t)
	id := c.deploy()
	c.count(id)
	before := c.hash()
	if err := c.registry.Close(); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open("/state", journal.Options{FS: c.fs, MemTableBytes: smallTable})
	if err != nil {
		t.Fatal(err)
	}
	if all := j.Checkpoints(); all[len(all)-1].Position != j.Position() {
		t.Errorf("the newest checkpoint is at %d of %d records", all[len(all)-1].Position, j.Position())
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	c.open(instance.Spec{})
	if c.hash() != before {
		t.Error("the state is another after a clean restart")
	}
}

func TestAStateDirectoryOfAnotherNetworkIsRefused(t *testing.T) {
	c := newCrashing(t)
	if err := c.registry.Close(); err != nil {
		t.Fatal(err)
	}
	c.registry = instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Engine: c.engine, Journal: journal.Options{FS: c.fs, MemTableBytes: smallTable}})
	for what, spec := range map[string]instance.Spec{
		"seed":    {Seed: &[32]byte{1}},
		"subnets": {Subnets: []replica.SubnetConfig{{Kind: replica.NNS}}},
		"slices":  {SliceInstructions: 5_000_000},
	} {
		spec.Name, spec.Journal = what, "/state"
		var refused *instance.Refusal
		if _, err := c.registry.Create(t.Context(), &spec); !errors.As(err, &refused) || refused.Reason != instance.BadFolder {
			t.Errorf("another %s: %v", what, err)
		}
	}
}

func TestADamagedCheckpointStopsTheStartAndIsNamed(t *testing.T) {
	c := newCrashing(t)
	c.deploy()
	if err := c.registry.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := c.fs.List("/state")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	var damaged []string
	for _, name := range files {
		if ok, _ := filepath.Match("checkpoint-*", name); !ok {
			continue
		}
		file, err := c.fs.OpenReadWrite("/state/"+name, vfs.WriteCategoryUnspecified)
		if err == nil {
			_, err = file.WriteAt([]byte{0xff}, 1000)
		}
		if err = errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		damaged = append(damaged, name)
	}
	c.registry = instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Engine: c.engine, Journal: journal.Options{FS: c.fs, MemTableBytes: smallTable}})
	_, err = c.registry.Create(t.Context(), &instance.Spec{Journal: "/state"})
	if newest := damaged[len(damaged)-1]; err == nil || !strings.Contains(err.Error(), newest) {
		t.Errorf("the damaged checkpoint is %s, and the start says: %v", newest, err)
	}
}

func TestTheLogSaysWhichInstanceIsRestored(t *testing.T) {
	c := newCrashing(t)
	c.deploy()
	c.stop()
	var log bytes.Buffer
	c.registry = instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Engine: c.engine, Log: slog.New(slog.NewTextHandler(&log, nil)), Journal: journal.Options{FS: c.fs, MemTableBytes: smallTable}})
	if _, err := c.registry.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "lab"}, Journal: "/state"}); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); !strings.Contains(text, `msg="the state is restored" instance=lab height=`) {
		t.Errorf("the log says %s", text)
	}
}
