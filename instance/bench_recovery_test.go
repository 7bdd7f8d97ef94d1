package instance_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest/wat"
	"github.com/canisterd/canisterd/test/instancetest"
)

// A network of 1,000 canisters with 1 GiB of incompressible heaps.
const (
	keptCanisters = 1000
	keptUpdates   = 1000 // after the last checkpoint, if there was a crash
	keptUsed      = 100  // canisters with updates
)

// filling is a canister that fills 1 MiB and 64 KiB of heap with random numbers, and counts.
const filling = `(module
	(import "ic0" "msg_reply" (func $reply))
	(memory 17)
	(func (export "canister_init") (local $at i32) (local $x i64)
		(local.set $x (i64.const 0x9e3779b97f4a7c15))
		(loop $next
			(local.set $x (i64.xor (local.get $x) (i64.shl (local.get $x) (i64.const 13))))
			(local.set $x (i64.xor (local.get $x) (i64.shr_u (local.get $x) (i64.const 7))))
			(local.set $x (i64.xor (local.get $x) (i64.shl (local.get $x) (i64.const 17))))
			(i64.store (local.get $at) (local.get $x))
			(local.set $at (i32.add (local.get $at) (i32.const 8)))
			(br_if $next (i32.lt_u (local.get $at) (i32.const 1114112)))))
	(func (export "canister_update inc")
		(i64.store (i32.const 0) (i64.add (i64.const 1) (i64.load (i32.const 0))))
		(call $reply)))`

// keptNetwork is a state directory with the network.
type keptNetwork struct {
	b      *testing.B
	dir    string
	first  principal.Principal
	height uint64 // at the last checkpoint
	pages  []string
}

// newKeptNetwork makes the network and stops it, either cleanly or like a crash, some messages after its last
// checkpoint.
func newKeptNetwork(b *testing.B, crash bool) *keptNetwork {
	b.Helper()
	k := &keptNetwork{b: b, dir: filepath.Join(b.TempDir(), "state")}
	r, i := k.start(k.dir)
	var ids []principal.Principal
	module := wat.MustAssemble(filling)
	for range keptCanisters {
		ids = append(ids, instancetest.Deploy(b, i, module, nil))
	}
	k.first = ids[0]
	k.end(r)
	if crash {
		r, i = k.start(k.dir)
		k.height = i.Driver().View().Height
		for n := range keptUpdates {
			update(b, i, ids[n%keptUsed], i.Driver().View().SubnetOf(k.first).ID)
		}
		left := filepath.Join(b.TempDir(), "crashed")
		k.copyTo(left)
		k.end(r)
		k.dir = left
	}
	pages, err := filepath.Glob(filepath.Join(k.dir, "pages-*"))
	if err != nil || len(pages) == 0 {
		b.Fatalf("page files: %q, %v", pages, err)
	}
	k.pages = pages
	ratio.SettleDisk()
	return k
}

// start starts the network from a directory.
func (k *keptNetwork) start(dir string) (*instance.Registry, *instance.Instance) {
	k.b.Helper()
	r := instance.NewRegistry(instance.Config{Wall: time.Now, StateDir: k.b.TempDir()})
	i, err := r.Create(k.b.Context(), &instance.Spec{Journal: dir, Placement: instance.Placement{Name: "kept"}})
	if err != nil {
		k.b.Fatal(err)
	}
	return r, i
}

func (k *keptNetwork) end(r *instance.Registry) {
	k.b.Helper()
	if err := r.Close(); err != nil {
		k.b.Fatal(err)
	}
}

// copyTo copies the directory of an idle network. Files that never change are linked.
func (k *keptNetwork) copyTo(dir string) {
	k.b.Helper()
	err := filepath.WalkDir(k.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(k.dir, path)
		if err != nil {
			return err
		}
		to, name := filepath.Join(dir, rest), entry.Name()
		switch {
		case entry.IsDir():
			return os.MkdirAll(to, 0o700)
		case strings.HasPrefix(name, "pages-") || strings.HasPrefix(name, "checkpoint-"):
			return os.Link(path, to)
		}
		content, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(to, content, 0o600))
	})
	if err != nil {
		k.b.Fatal(err)
	}
}

// restart returns the time until a client has the answer to its first update.
func (k *keptNetwork) restart() time.Duration {
	started, _ := k.life()
	return started
}

// stop returns the time that the network takes to stop after an update.
func (k *keptNetwork) stop() time.Duration {
	_, stopped := k.life()
	return stopped
}

// life starts a copy of the network, makes an update, and stops it.
func (k *keptNetwork) life() (started, stopped time.Duration) {
	dir := filepath.Join(k.b.TempDir(), "again")
	k.copyTo(dir)
	begun := time.Now()
	r, i := k.start(dir)
	update(k.b, i, k.first, i.Driver().View().SubnetOf(k.first).ID)
	started = time.Since(begun)
	begun = time.Now()
	k.end(r)
	stopped = time.Since(begun)
	if err := os.RemoveAll(dir); err != nil {
		k.b.Fatal(err)
	}
	return started, stopped
}

// read returns the time to read all heaps once.
func (k *keptNetwork) read() time.Duration {
	begun := time.Now()
	part := make([]byte, 1<<20)
	for _, name := range k.pages {
		file, err := os.Open(name)
		if err == nil {
			_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{file}, part)
		}
		if err = errors.Join(err, file.Close()); err != nil {
			k.b.Fatal(err)
		}
	}
	return time.Since(begun)
}

// BenchmarkRatioCleanRestart measures the start of a network of 1,000 canisters with 1 GiB of heaps after a clean stop,
// until the answer to an update. The floor is to read the heaps once, from the page cache. This row and those of a
// crash and a fork are also bounded in seconds, because recovery is promised in seconds.
func BenchmarkRatioCleanRestart(b *testing.B) {
	k := newKeptNetwork(b, false)
	ratio.CompareWithin(b, 1, 500*time.Millisecond, k.restart, k.read)
}

// BenchmarkRatioStopAfterAnUpdate measures the stop of that network, whose checkpoint has one changed memory.
func BenchmarkRatioStopAfterAnUpdate(b *testing.B) {
	k := newKeptNetwork(b, false)
	ratio.CompareTimed(b, 1, k.stop, k.read)
}

// BenchmarkRatioCrashRestart measures the start after a crash, with 1,000 messages of 100 canisters since the last
// checkpoint.
func BenchmarkRatioCrashRestart(b *testing.B) {
	k := newKeptNetwork(b, true)
	ratio.CompareWithin(b, 5, 2*time.Second, k.restart, k.read)
}

// BenchmarkRatioForkAtAPastRound measures a kept fork of the same network at its last checkpoint.
func BenchmarkRatioForkAtAPastRound(b *testing.B) {
	k := newKeptNetwork(b, true)
	r, _ := k.start(k.dir)
	defer k.end(r)
	ratio.CompareWithin(b, 2, 2*time.Second, func() time.Duration {
		begun := time.Now()
		_, err := r.Fork(b.Context(), &instance.ForkSpec{Source: "kept", At: &instance.Moment{Height: k.height}, Placement: instance.Placement{Name: "past"}})
		took := time.Since(begun)
		if err = errors.Join(err, r.Delete("past")); err != nil {
			b.Fatal(err)
		}
		return took
	}, k.read)
}
