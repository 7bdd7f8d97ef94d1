package state

import (
	"sync"

	"github.com/canisterd/canisterd/canister"
)

// entryBlock are the entries of a block's slots; nil where a slot is free.
type entryBlock [blockLen]*Entry

// noEntries stands in closed blocks. It is never written, because a closed network is not.
var noEntries entryBlock

// block is a block of canisters of one network. docs/sharing.md explains step by step how forks share it.
//
//	source   all ────▶ entries ◀── source ┐
//	         shared ────────────────────▶ sharedBlock  (copied: once the source goes on)
//	fork     shared ────────────────────▶ ┘
type block struct {
	all    *entryBlock  // nil in a fork before its first use
	shared *sharedBlock // nil where no other network has the block
}

// sharedBlock is a block as it was when it was forked: the entries of the source, which are read-only now, or a copy
// that the source made before it went on.
type sharedBlock struct {
	mu     sync.Mutex  // guards all: source and forks are on goroutines of their own
	users  int         // forks that have no copy of their own yet
	source *entryBlock // of the source, until the source uses it
	copied *entryBlock // of the shared block itself
}

// content are the entries when the block was forked. Needs mu.
func (p *sharedBlock) content() *entryBlock {
	if p.copied != nil {
		return p.copied
	}
	return p.source
}

// own gives the network a block that it shares with no other, by copying where needed.
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

// fork is the block in a fork of the network.
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

// close frees the Wasm state of the canisters, or gives up the share in them.
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

// leave gives up the share of a fork that has never used the block.
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

// fork copies all entries. They and their canisters are allocated in one piece: few are ever deleted.
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
