package clone_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	"github.com/canisterd/canisterd/internal/snapshotdir"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// filler writes so many blocks of 64 KiB of stable memory, each with other bytes, and leaves as many holes between them.
const filler = `(module
	(import "ic0" "msg_reply" (func $reply))
	(import "ic0" "msg_arg_data_copy" (func $arg (param i32 i32 i32)))
	(import "ic0" "stable64_size" (func $size (result i64)))
	(import "ic0" "stable64_grow" (func $grow (param i64) (result i64)))
	(import "ic0" "stable64_write" (func $write (param i64 i64 i64)))
	(memory 2)
	(global $seed (mut i64) (i64.const 88172645463325252))
	(func (export "canister_update fill") (local $left i32) (local $at i32) (local $to i64)
		(call $arg (i32.const 0) (i32.const 0) (i32.const 4))
		(local.set $left (i32.load (i32.const 0)))
		(local.set $to (i64.shl (call $size) (i64.const 16)))
		(drop (call $grow (i64.extend_i32_u (local.get $left))))
		(loop $blocks
			(local.set $at (i32.const 65536))
			(loop $words
				(global.set $seed (i64.xor (global.get $seed) (i64.shl (global.get $seed) (i64.const 13))))
				(global.set $seed (i64.xor (global.get $seed) (i64.shr_u (global.get $seed) (i64.const 7))))
				(global.set $seed (i64.xor (global.get $seed) (i64.shl (global.get $seed) (i64.const 17))))
				(i64.store (local.get $at) (global.get $seed))
				(local.set $at (i32.add (local.get $at) (i32.const 8)))
				(br_if $words (i32.lt_u (local.get $at) (i32.const 131072))))
			(call $write (local.get $to) (i64.const 65536) (i64.const 65536))
			(local.set $to (i64.add (local.get $to) (i64.const 65536)))
			(local.set $left (i32.sub (local.get $left) (i32.const 1)))
			(br_if $blocks (i32.gt_s (local.get $left) (i32.const 0))))
		(call $reply)))`

// filled creates a canister with so many blocks of stable memory.
func (n *network) filled(blocks uint32) principal.Principal {
	n.Helper()
	module, err := wat.Assemble(filler)
	if err != nil {
		n.Fatal(err)
	}
	id := n.create("SUBNET_KIND_APPLICATION", nil)
	n.install(id, module, nil)
	const once = 512 // blocks of a message
	for ; blocks > 0; blocks -= min(blocks, once) {
		if answer := n.send(id, message{method: "fill", bytes: number(uint64(min(blocks, once)))}); answer != "" {
			n.Fatal(answer)
		}
	}
	return id
}

func untold(int64, int64) {}

// digest returns the digest of all slices of the canister at a network, with a snapshot of its own.
func (n *network) digest(id principal.Principal, caller clone.Caller) []byte {
	n.Helper()
	source := &clone.Source{Caller: caller, From: "here", Network: "here"}
	e := n.take(source, clone.Cache(n.TempDir()), id)
	if err := source.DownloadTaken(n.ctx, e, untold); err != nil {
		n.Fatal(err)
	}
	return digestOf(n.TB, e)
}

func digestOf(t testing.TB, e *clone.Entry) []byte {
	t.Helper()
	digest, err := snapshotdir.Digest(e.Folder)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// Connections to the source break after 3 MB each, the one to the destination once.
func TestACloneOverBrokenConnectionsEndsWithEqualDigests(t *testing.T) {
	from, to := mainnet(t), local(t)
	id := from.filled(320) // 20 MiB
	bad := newProxy(t, from.url[len("http://"):])
	bad.each = 3_000_000
	var lost atomic.Int64
	source, _ := from.source(bad.url(), client.WithRetries(func(error) { lost.Add(1) }))
	entry, _ := to.taken(source, clone.Cache(filepath.Join(t.TempDir(), "clones")), id)
	if _, cut := bad.carried(); cut < 3 || lost.Load() < 3 {
		t.Errorf("%d connections were cut, and %d told", cut, lost.Load())
	}
	good, _ := from.source(from.url)
	want := from.digest(id, good.Caller)
	if got := digestOf(t, entry); !bytes.Equal(got, want) {
		t.Errorf("the snapshot has the digest %x, the source %x", got, want)
	}
	if got := to.digest(id, networks.Instance{Daemon: to.Daemon, Sender: developer.String()}); !bytes.Equal(got, want) {
		t.Errorf("the clone has the digest %x, the source %x", got, want)
	}
}

// The source is lost in the middle of the download, and the destination in the middle of the upload.
func TestACloneGoesOnAfterACut(t *testing.T) {
	from, to := mainnet(t), local(t)
	id := from.filled(320)
	bad := newProxy(t, from.url[len("http://"):])
	source, _ := from.source(bad.url())
	cache := clone.Cache(filepath.Join(t.TempDir(), "clones"))
	entry := from.take(source, cache, id)
	bad.mu.Lock()
	bad.left = 12_000_000
	bad.mu.Unlock()
	err := source.DownloadTaken(from.ctx, entry, untold)
	if err == nil || entry.Complete() {
		t.Fatalf("the download ended in spite of the cut: %v", err)
	}
	bad.restore()
	again, err := source.Unfinished(from.ctx, cache, id)
	if err != nil || again == nil {
		t.Fatalf("the snapshot is not found again: %v", err)
	}
	if err := source.DownloadTaken(from.ctx, again, untold); err != nil {
		t.Fatal(err)
	}
	if second, _ := bad.carried(); second > 15_000_000 {
		t.Errorf("after the cut %d bytes were read: not only the rest", second)
	}
	good, _ := from.source(from.url)
	from.keepsNoSnapshot(good, id)
	want := from.digest(id, good.Caller)

	through := newProxy(t, to.url[len("http://"):])
	daemon, err := remote.Dial(through.url())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = daemon.Close() }()
	broken := networks.To(networks.Instance{Daemon: daemon}, nil)
	_, err = broken.Load(to.ctx, id, again, clone.LoadOptions{Controller: developer, Tell: func(bytes, total int64) {
		if bytes > total/2 {
			through.mu.Lock()
			through.left = 1
			through.mu.Unlock()
		}
	}})
	if err == nil {
		t.Fatal("the upload ended in spite of the cut")
	}
	sent := int64(-1)
	if _, err := to.destination().Load(to.ctx, id, again, clone.LoadOptions{Controller: developer, Tell: func(bytes, _ int64) { // under a lock
		if sent < 0 {
			sent = bytes
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if sent < 4_000_000 {
		t.Errorf("the upload went on at %d bytes", sent)
	}
	if got := to.digest(id, networks.Instance{Daemon: to.Daemon, Sender: developer.String()}); !bytes.Equal(got, want) {
		t.Errorf("the clone has the digest %x, the source %x", got, want)
	}
}

// Answers of the source take 300 ms and longer where a part is lost, connections break at random, and all break in the
// middle.
func TestACloneOverASlowConnectionThatLosesPartsEndsWithEqualDigests(t *testing.T) {
	from, to := mainnet(t), local(t)
	id := from.filled(96) // 6 MiB
	good, _ := from.source(from.url)
	want := from.digest(id, good.Caller)
	bad := newProxy(t, from.url[len("http://"):])
	bad.delay, bad.resend = 300*time.Millisecond, 200*time.Millisecond
	bad.lost, bad.broken = 31, 20 // of at least 192 parts: the breaks are at 20, 40, 80 and 160
	var lost atomic.Int64
	source, _ := from.source(bad.url(), client.WithRetries(func(error) { lost.Add(1) }))
	cache := clone.Cache(filepath.Join(t.TempDir(), "clones"))
	entry := from.take(source, cache, id)
	ctx, interrupt := context.WithCancelCause(from.ctx)
	defer interrupt(nil)
	cut := errors.New("the computer is switched off")
	if err := source.Download(ctx, entry, func(bytes, total int64) {
		if bytes > total/2 {
			bad.cutAll()
			interrupt(cut)
		}
	}); !errors.Is(err, cut) {
		t.Fatalf("the download ended with %v", err)
	}
	again, err := source.Unfinished(from.ctx, cache, id)
	if err != nil || again == nil {
		t.Fatalf("the snapshot is not found again: %v", err)
	}
	if err := source.DownloadTaken(from.ctx, again, untold); err != nil {
		t.Fatal(err)
	}
	if _, err := to.destination().Load(to.ctx, id, again, clone.LoadOptions{Controller: developer}); err != nil {
		t.Fatal(err)
	}
	if _, broken := bad.carried(); broken < 2 || lost.Load() < 2 {
		t.Errorf("%d connections broke, and %d are told", broken, lost.Load())
	}
	if got := digestOf(t, again); !bytes.Equal(got, want) {
		t.Errorf("the snapshot has the digest %x, the source %x", got, want)
	}
	if got := to.digest(id, networks.Instance{Daemon: to.Daemon, Sender: developer.String()}); !bytes.Equal(got, want) {
		t.Errorf("the clone has the digest %x, the source %x", got, want)
	}
	if got, want := to.canister(id), from.canister(id); got.GetStableBytes() != want.GetStableBytes() || !bytes.Equal(got.GetModuleHash(), want.GetModuleHash()) {
		t.Errorf("the clone is %v, the source %v", got, want)
	}
}
