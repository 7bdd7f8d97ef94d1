package canister

import (
	"sync/atomic"

	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// snapshotRoot holds the committed memories of a canister at one time. A canister and its forks share it and count its
// users. Each creates its own memories on first use; most canisters of a fork are never used.
type snapshotRoot struct {
	guest  wasm.SnapshotRoot
	stable stable.SnapshotRoot
	users  atomic.Int64
}

// Fork returns a second canister with the same id and state, for another network: from then on the two are independent,
// each on its own goroutine. Only a few words are copied: the two share memories, chunks, logs, history and snapshots,
// each until it changes them. If a message of the canister is paused, the fork has the state before it, except logs and
// timer, which a message changes before it ends.
func (c *Canister) Fork() *Canister { return c.ForkInto(new(Room)) }

// Room is the memory of one fork. A caller that forks many canisters allocates many rooms at once.
type Room struct {
	canister Canister
	state    state
}

// PrepareFork makes the snapshot root that forks share. Fork makes it if it is missing. A caller that forks many
// canisters prepares all of them first: their states are scattered in memory, and in a loop that does little else the
// processor handles several cache misses in parallel.
func (c *Canister) PrepareFork() {
	if c.state != nil {
		c.state.ensureRoot()
	}
}

// ForkInto is Fork with memory provided by the caller.
func (c *Canister) ForkInto(room *Room) *Canister {
	f := &room.canister
	c.Logs.mark.Share()
	*f = *c
	f.Chunks = c.Chunks.Fork()
	f.Snapshots = c.Snapshots.fork()
	if c.state != nil {
		f.state = &room.state
		c.state.fork(f.state)
	}
	return f
}

// fork makes f, an empty state, a fork of s.
func (s *state) fork(f *state) {
	f.root = s.ensureRoot()
	f.root.users.Add(1)
	f.module, f.binary, f.heap, f.pages = s.module, s.binary.retain(), s.heap, s.pages
}

// ensureRoot returns the snapshot root of the state, and makes it if there is none.
func (s *state) ensureRoot() *snapshotRoot {
	if s.root == nil {
		s.root = &snapshotRoot{guest: s.runner.guest.SnapshotRoot(), stable: s.runner.stable.SnapshotRoot()}
		s.root.users.Add(1)
	}
	return s.root
}

// dropRoot releases the snapshot root, which is out of date or no longer needed.
func (s *state) dropRoot() {
	if m := s.root; m != nil {
		s.root = nil
		if m.users.Add(-1) == 0 {
			m.guest.Close()
			m.stable.Close()
		}
	}
}

func (s *Snapshots) fork() Snapshots {
	f := Snapshots{next: s.next}
	if len(s.all) > 0 {
		f.all = make([]*Snapshot, len(s.all))
	}
	for i, snapshot := range s.all {
		f.all[i] = snapshot.fork()
	}
	return f
}

func (s *Snapshot) fork() *Snapshot {
	f := *s
	f.Chunks = s.Chunks.Fork()
	f.binary, f.heap, f.stable = s.binary.fork(), s.heap.Fork(), s.stable.Fork()
	return &f
}

// fork returns the module for a second snapshot. A module uploaded in parts may be written, so it is not shared.
func (b *binary) fork() *binary {
	if b.named {
		return b.retain()
	}
	return &binary{engine: b.engine, refs: 1, size: b.size, image: b.image.Fork()}
}
