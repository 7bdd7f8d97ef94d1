package instance_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
	"github.com/canisterd/canisterd/test/instancetest"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// stop stops the instance and returns the checkpoints of its directory.
func (c *crashing) stop() []journal.Checkpoint {
	c.t.Helper()
	if err := c.registry.Close(); err != nil {
		c.t.Fatal(err)
	}
	j, err := journal.Open("/state", journal.Options{FS: c.fs, MemTableBytes: smallTable, ReadOnly: true})
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

// remembering is a canister with data in its heap and in its stable memory.
const remembering = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "accept_message" (func $accept))
	(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
	(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
	(import "ic0" "stable64_read" (func $read (param i64 i64 i64)))
	(memory 1)
	(data (i32.const 0) "heap")
	(func (export "canister_init")
		(drop (call $grow (i64.const 1)))
		(i32.store (i32.const 16) (i32.const 7))
		(call $write (i64.const 8192) (i64.const 16) (i64.const 4))
		(i32.store (i32.const 16) (i32.const 0)))
	(func (export "canister_inspect_message") (call $accept))
	(func (export "canister_query look") (call $reply))
	(func (export "canister_query recall") (call $read (i64.const 8) (i64.const 8192) (i64.const 4)) (call $reply))
	(func (export "canister_update recollect") (call $read (i64.const 8) (i64.const 8192) (i64.const 4)) (call $reply)))`

// TestADamagedMemoryStopsTheNetworkWhenItIsNeeded damages the page files of a stopped instance. The first request that
// needs a memory fails with the name of the file, and the error blames neither our code nor the canister.
func TestADamagedMemoryStopsTheNetworkWhenItIsNeeded(t *testing.T) {
	const heap, inspection = `(data (i32.const 0) "heap")`, `(func (export "canister_inspect_message") (call $accept))`
	without := func(parts ...string) []byte {
		text := remembering
		for _, part := range parts {
			text = strings.Replace(text, part, "", 1)
		}
		return wat.MustAssemble(text)
	}
	query := func(method string) func(c *crashing, id principal.Principal) error {
		return func(c *crashing, id principal.Principal) error {
			result, err := c.Backend().Query(c.t.Context(), &replica.Query{Sender: principal.Anonymous, Receiver: id, Effective: id, Method: method})
			if err == nil {
				err = fmt.Errorf("the query has the answer %+v", result)
			}
			return err
		}
	}
	update := func(c *crashing, id principal.Principal) error {
		in := &replica.Ingress{Sender: principal.Anonymous, Receiver: id, Effective: id, Method: "recollect", Expiry: c.Backend().Clock().Now + replica.MaxIngressTTL/2}
		receipt, err := c.Backend().SubmitAhead(c.t.Context(), in)
		if err == nil && receipt.Reject != nil {
			err = fmt.Errorf("the message is rejected: %v", receipt.Reject)
		}
		if err == nil {
			_, err = c.RunRounds(c.t.Context(), 1)
		}
		return err
	}
	for what, needs := range map[string]struct {
		module []byte
		memory func(c *crashing, id principal.Principal) error
	}{
		"a query": {without(), query("look")}, "a query of stable memory": {without(heap), query("recall")}, "an inspection": {without(), update},
		"a message": {without(inspection), update}, "a message with stable memory": {without(inspection, heap), update},
	} {
		c := newCrashing(t)
		id := instancetest.Deploy(t, c.Instance, needs.module, nil)
		c.stop()
		names := c.damagePages()
		c.open(instance.Spec{})
		if _, err := c.RunRounds(t.Context(), 3); err != nil {
			t.Fatalf("before the memory is needed: %v", err)
		}
		err := needs.memory(c, id)
		for _, said := range []error{err, c.Driver().Bug()} {
			text := fmt.Sprint(said)
			named := slices.ContainsFunc(names, func(name string) bool {
				return strings.Contains(text, `the instance is stopped, because its state directory "/state" is damaged: `+name+": ")
			})
			if !named || !strings.Contains(text, "the checksum does not match: the file was damaged; stop the daemon, then canisterd state repair") || strings.ContainsAny(text, "\n") {
				t.Errorf("%s: %s", what, text)
			}
		}
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
	c.registry = instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Engine: c.engine, Journal: journal.Options{FS: c.fs, MemTableBytes: smallTable}})
	if _, err := c.registry.Create(t.Context(), &instance.Spec{Journal: "/state"}); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("the start says: %v", err)
	}
}

// The page files belong to the source. Deleting the source, with its directory, must not break a fork that loads a
// memory later.
func TestAForkLoadsItsMemoriesAfterItsSourceIsDeleted(t *testing.T) {
	for name, ephemeral := range map[string]bool{"in memory": true, "kept": false} {
		c := newCrashing(t)
		id := c.deploy()
		c.count(id)
		c.stop()
		c.registry = instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Engine: c.engine, Journal: journal.Options{FS: c.fs, MemTableBytes: smallTable}, StateDir: "/"})
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
