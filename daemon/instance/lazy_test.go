package instance_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/daemon/instance/instancetest"
	"github.com/canisterd/canisterd/daemon/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// stop stops the instance and returns the checkpoints of its directory.
func (c *crashing) stop() []journal.Checkpoint {
	c.t.Helper()
	if err := c.registry.Close(); err != nil {
		c.t.Fatal(err)
	}
	j, err := journal.Open("/state", journal.Options{FS: c.fs, ReadOnly: true})
	if err != nil {
		c.t.Fatal(err)
	}
	all := j.Checkpoints()
	if err := j.Close(); err != nil {
		c.t.Fatal(err)
	}
	return all
}

func TestACheckpointHasOnlyTheMemoriesThatChanged(t *testing.T) {
	c := newCrashing(t)
	var ids []principal.Principal
	for range 5 {
		ids = append(ids, c.deploy())
	}
	before := c.stop()
	old := before[len(before)-1].Pages
	if len(old) != 1 {
		t.Fatalf("the first checkpoint has page files %+v", old)
	}
	c.open(instance.Spec{})
	c.count(ids[2])
	after := c.stop()
	now := after[len(after)-1].Pages
	if len(now) != 2 || now[0].Bytes > old[0].Bytes/4 || now[1].Name != old[0].Name || now[1].Used >= old[0].Used {
		t.Errorf("the checkpoint after a message has page files %+v, the one before %+v", now, old)
	}
	c.open(instance.Spec{})
	for at, id := range ids {
		want := byte(1)
		if at == 2 {
			want = 2
		}
		if reply := c.count(id); reply[len(reply)-1] != want {
			t.Errorf("canister %d has counted to %d, want %d", at, reply[len(reply)-1], want)
		}
	}
}

// damagePages changes a byte of each page in the page files.
func (c *crashing) damagePages() (names []string) {
	c.t.Helper()
	files, err := c.fs.List("/state")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, name := range files {
		if !strings.HasPrefix(name, "pages-") {
			continue
		}
		names = append(names, name)
		file, err := c.fs.OpenReadWrite("/state/"+name, vfs.WriteCategoryUnspecified)
		if err != nil {
			c.t.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			c.t.Fatal(err)
		}
		content := make([]byte, info.Size())
		_, err = file.ReadAt(content, 0)
		for at := 0; at < len(content); at += 4096 {
			content[at]++
		}
		if err == nil {
			_, err = file.WriteAt(content, 0)
		}
		if err = errors.Join(err, file.Close()); err != nil {
			c.t.Fatal(err)
		}
	}
	return names
}

func TestADamagedMemoryStopsTheNetworkWhenItIsNeeded(t *testing.T) {
	c := newCrashing(t)
	id := c.deploy()
	c.stop()
	names := c.damagePages()
	c.open(instance.Spec{})
	if _, err := c.RunRounds(t.Context(), 3); err != nil {
		t.Fatalf("before the memory is needed: %v", err)
	}
	in := &replica.Ingress{Sender: principal.Anonymous, Receiver: id, Effective: id, Method: "inc", Arg: []byte("DIDL\x00\x00"), Expiry: c.Backend().Clock().Now + replica.MaxIngressTTL/2}
	_, err := c.Backend().SubmitAhead(t.Context(), in)
	if err == nil {
		_, err = c.RunRounds(t.Context(), 1)
	}
	bug := c.Node().Bug()
	if err == nil || bug == nil || !strings.Contains(bug.Error(), "the checksum does not match") || !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(bug.Error(), name) }) {
		t.Errorf("%v, and the bug is: %v", err, bug)
	}
}

func TestAMissingPageFileStopsTheStartAndIsNamed(t *testing.T) {
	c := newCrashing(t)
	c.deploy()
	all := c.stop()
	name := all[len(all)-1].Pages[0].Name
	if err := c.fs.Remove("/state/" + name); err != nil {
		t.Fatal(err)
	}
	c.registry = instance.NewRegistry(instance.Config{Wall: time.Now, Engine: c.engine, Journal: journal.Options{FS: c.fs}})
	if _, err := c.registry.Create(t.Context(), &instance.Spec{Journal: "/state"}); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("the start says: %v", err)
	}
}

// The page files belong to the source. Deleting the source, with its directory, must not break a fork that loads a memory
// later.
func TestAForkLoadsItsMemoriesAfterItsSourceIsDeleted(t *testing.T) {
	for name, ephemeral := range map[string]bool{"in memory": true, "kept": false} {
		c := newCrashing(t)
		id := c.deploy()
		c.count(id)
		c.stop()
		c.registry = instance.NewRegistry(instance.Config{Wall: time.Now, Engine: c.engine, Journal: journal.Options{FS: c.fs}, StateDir: "/"})
		if _, err := c.registry.Create(t.Context(), &instance.Spec{Journal: "/state", Placement: instance.Placement{Name: "source"}}); err != nil {
			t.Fatal(err)
		}
		fork, err := c.registry.Fork(t.Context(), &instance.ForkSpec{Source: "source", Placement: instance.Placement{Name: "fork", Ephemeral: ephemeral}})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.registry.Delete("source"); err != nil {
			t.Fatal(err)
		}
		if reply := instancetest.Update(t, fork, id, id, "inc", []byte("DIDL\x00\x00")); reply[len(reply)-1] != 2 {
			t.Errorf("%s: it has counted to %d, want 2", name, reply[len(reply)-1])
		}
	}
}
