package instance_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/instancetest"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// keeping is a registry that keeps its instances on a disk.
type keeping struct {
	*testing.T
	engine *canister.Engine
	fs     *vfs.MemFS
	log    bytes.Buffer
	*instance.Registry
}

// wall is the clock of the wall, as it is read from a file.
func wall() time.Time { return time.Now().UTC().Round(0) }

// begin starts the registry and makes what is on the disk, as a daemon does.
func (k *keeping) begin() {
	k.Helper()
	k.Registry = instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(k), Wall: wall, Engine: k.engine, Log: slog.New(slog.NewTextHandler(&k.log, nil)), StateDir: "/state", Journal: journal.Options{FS: k.fs, MemTableBytes: smallTable}})
	_, err := k.Create(k.Context(), &instance.Spec{Placement: instance.Placement{Name: instance.Default}})
	if err = errors.Join(err, k.Resume(k.Context())); err != nil {
		k.Fatal(err)
	}
}

// crash begins again with what a crash leaves on the disk now: what was not synced is lost.
func (k *keeping) crash() {
	k.Helper()
	left := k.fs.CrashClone(vfs.CrashCloneCfg{})
	if err := k.Close(); err != nil {
		k.Fatal(err)
	}
	k.fs = left
	k.begin()
}

func newKeeping(t *testing.T) *keeping {
	engine := canistertest.NewEngine(t)
	k := &keeping{T: t, engine: engine, fs: vfs.NewCrashableMem()}
	k.begin()
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// made is an instance that must be there.
func (k *keeping) made(i *instance.Instance, err error) *instance.Instance {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
	return i
}

// told is what clients know of the instances that are paced by hand, and the names of all.
func (k *keeping) told() (all []string) {
	k.Helper()
	for _, i := range k.Instances() {
		line := i.Name()
		if i.Pacing().Mode == instance.Manual {
			hash, err := driver.Ask(k.Context(), i.Driver(), func(n *replica.Network) string {
				hash, err := n.StateHash()
				return fmt.Sprintf("%x %v", hash, err)
			})
			if err != nil {
				k.Fatal(err)
			}
			line += " " + hash
		}
		id, ancestors := i.Lineage()
		about := i.About()
		all = append(all, fmt.Sprintf("%s %s %v %+v %+v %x %s %d %s", line, id, ancestors, i.Pacing(), i.Snapshots(), i.Driver().View().RootKey, about.ForkedFrom, about.Outcalls, about.Created.Round(0)))
	}
	return all
}

func TestAllInstancesAreThereAfterACrash(t *testing.T) {
	k := newKeeping(t)
	ctx, manual := t.Context(), instance.Pacing{Mode: instance.Manual}
	hold := instance.HoldOutcalls
	lab := k.made(k.Create(ctx, &instance.Spec{Placement: instance.Placement{Name: "lab"}, Pacing: manual, Outcalls: &hold}))
	counter := instancetest.Deploy(t, lab, canistertest.Fixture("counter"), nil)
	branch := k.made(k.Fork(ctx, &instance.ForkSpec{Source: "lab"}))
	instancetest.Update(t, branch, counter, counter, "inc", []byte("DIDL\x00\x00"))
	if _, err := branch.TakeSnapshot(ctx, "one", false); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	frozen, err := branch.Frozen(ctx, "one")
	if err == nil {
		err = frozen.Export(&file)
		frozen.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	read := k.made(k.Import(ctx, &instance.ImportSpec{Placement: instance.Placement{Name: "read"}, Pacing: manual}, &file))
	instancetest.Update(t, read, counter, counter, "inc", []byte("DIDL\x00\x00"))
	if err := lab.SetPacing(ctx, instance.Pacing{Mode: instance.Interval, Interval: time.Hour}); err != nil {
		t.Fatal(err)
	}
	before := k.told()
	k.made(k.Fork(ctx, &instance.ForkSpec{Source: "read", Placement: instance.Placement{Name: "short", Ephemeral: true}}))
	lease, _ := k.Lease()
	k.made(k.Create(ctx, &instance.Spec{Placement: instance.Placement{Name: "leased", Lease: lease}}))
	for range 2 {
		k.crash()
		if after := k.told(); !slices.Equal(after, before) {
			t.Fatalf("after the crash there are\n%q\nand before\n%q", after, before)
		}
	}
	fork := k.made(k.Fork(ctx, &instance.ForkSpec{Source: branch.Name(), Snapshot: "one"}))
	if fork.Name() == branch.Name() {
		t.Errorf("two instances are named %s", fork.Name())
	}
	if reply := instancetest.Update(t, fork, counter, counter, "inc", []byte("DIDL\x00\x00")); reply[len(reply)-1] != 2 {
		t.Errorf("the counter of a fork of the snapshot says %x", reply)
	}
}

func TestADeletedInstanceDoesNotComeBack(t *testing.T) {
	k := newKeeping(t)
	first := k.made(k.Instance(""))
	key := first.Driver().View().RootKey
	if _, err := first.TakeSnapshot(t.Context(), "old", false); err != nil {
		t.Fatal(err)
	}
	k.made(k.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "lab"}}))
	for _, name := range []string{"lab", instance.Default} {
		if err := k.Delete(name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := k.fs.Stat(instance.KeptIn("/state", "lab")); err == nil {
		t.Error("the directory of a deleted instance is there")
	}
	k.crash()
	if all := k.Instances(); len(all) != 1 || bytes.Equal(all[0].Driver().View().RootKey, key) || len(all[0].Snapshots()) != 0 {
		t.Errorf("%d instances are there, the default one with %d snapshots", len(all), len(all[0].Snapshots()))
	}
	k.made(k.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "lab"}}))
}

func TestADamagedInstanceIsLeftOutAndNamed(t *testing.T) {
	k := newKeeping(t)
	k.made(k.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "other"}}))
	k.made(k.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "lab"}}))
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	dir := instance.KeptIn("/state", "lab")
	if err := k.fs.Remove(dir + "/FORMAT"); err != nil {
		t.Fatal(err)
	}
	k.begin()
	k.made(k.Instance("other"))
	_, looked := k.Instance("lab")
	_, created := k.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "lab"}})
	_, brief := k.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "lab", Ephemeral: true}})
	for _, err := range []error{looked, created, brief} {
		refused, ok := errors.AsType[*instance.Refusal](err)
		if !ok || refused.Reason != instance.DamagedInstance || !strings.Contains(err.Error(), `instance "lab" cannot start`) || !strings.Contains(err.Error(), dir) {
			t.Errorf("with a damaged instance: %v", err)
		}
	}
	if all := k.Instances(); len(all) != 2 {
		t.Errorf("%d instances go on, want 2", len(all))
	}
	if _, err := k.fs.Stat(dir); err != nil {
		t.Errorf("the directory of the damaged instance: %v", err)
	}
	if err := k.Delete("lab"); err != nil {
		t.Fatal(err)
	}
	k.made(k.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "lab"}}))
}

func TestTheLogNamesEachInstanceThatIsMadeAgain(t *testing.T) {
	k := newKeeping(t)
	k.made(k.Create(t.Context(), &instance.Spec{}))
	k.crash()
	text := k.log.String()
	if strings.Contains(text, `instance=""`) || strings.Count(text, `msg="the state is restored" instance=`) != 2 {
		t.Errorf("the log says %s", text)
	}
}
