package state

import (
	"sync"

	"github.com/canisterd/canisterd/canister"
)

// entryBlock has the entries of a block's slots; nil if a slot is free.
type entryBlock [blockLen]*Entry

// noEntries is the content of closed blocks. It is never written, because a closed network is not.
var noEntries entryBlock

// block is a block of canisters of one network. docs/internals/sharing.md explains step by step how forks share it.
//
//	source   all ────▶ entries ◀── source ┐
//	         shared ────────────────────▶ sharedBlock  (copied: once the source goes on)
//	fork     shared ────────────────────▶ ┘
type block struct {
	all    *entryBlock  // nil in a fork before its first use
	shared *sharedBlock // nil if no other network shares the block
}

// sharedBlock is a block at the time of a fork: the entries of the source, which are read-only then, or a copy that the
// source made before it continued.
type sharedBlock struct {
	mu     sync.Mutex  // guards all fields: source and forks are on different goroutines
	users  int         // forks that have not copied the block yet
	source *entryBlock // of the source, until the source uses it
	copied *entryBlock // owned by the shared block itself
}

// content returns the entries at the time of the fork. Needs mu.
func (p *sharedBlock) content() *entryBlock {
	if p.copied != nil {
		return p.copied
	}
	return p.source
}

// own makes the block exclusive to the network, and copies it if necessary.
func (b *block) own() {
	p := b.shared
	b.shared = nil
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.all != nil {
		if p.users > 0 {
			p.copied = p.source.fork()
		}
		p.source = nil
		return
	}
	p.users--
	if b.all = p.copied; b.all != nil && p.users == 0 {
		p.copied = nil // the last fork takes the copy
		return
	}
	b.all = p.content().fork()
}

// fork returns the block for a fork of the network.
func (b *block) fork() block {
	if b.shared == nil {
		b.shared = &sharedBlock{source: b.all}
	}
	b.shared.mu.Lock()
	b.shared.users++
	b.shared.mu.Unlock()
	return block{shared: b.shared}
}

// read visits the entries of the block, for reading only.
func (b *block) read(visit func(*entryBlock)) {
	p := b.shared
	if p == nil {
		visit(b.all)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.all != nil {
		visit(b.all)
	} else {
		visit(p.content())
	}
}

// close frees the Wasm state of the canisters, or releases the share in them.
func (b *block) close() {
	if b.all == nil {
		b.shared.leave()
		b.shared, b.all = nil, &noEntries
		return
	}
	if b.shared != nil {
		b.own()
	}
	b.all.close()
}

// leave releases the share of a fork that has never used the block.
func (p *sharedBlock) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 && p.copied != nil {
		p.copied.close()
		p.copied = nil
	}
}

func (l *entryBlock) close() {
	for _, r := range l {
		if r != nil {
			r.Canister.Close()
		}
	}
}

// fork copies all entries. They and their canisters are allocated together: few are ever deleted.
func (l *entryBlock) fork() *entryBlock {
	n := 0
	for _, r := range l {
		if r != nil {
			n++
			r.Canister.PrepareFork()
		}
	}
	room := make([]struct {
		entry    Entry
		canister canister.Room
	}, n)
	to := new(entryBlock)
	for i, r := range l {
		if r != nil {
			to[i] = &room[0].entry
			r.fork(to[i], r.Canister.ForkInto(&room[0].canister))
			room = room[1:]
		}
	}
	return to
}
