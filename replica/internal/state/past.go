package state

import (
	"sync"

	"github.com/canisterd/canisterd/canister"
)

// residentBlock are some canisters that lie beside each other; nil where there is none.
type residentBlock [blockLen]*Resident

// block is a block of canisters of one network.
//
//	source   all ──▶ canisters ◀── live ┐
//	         past ─────────────────────▶ past  (kept: copies, once the source goes on)
//	fork     past ─────────────────────▶ ┘
type block struct {
	all  *residentBlock // nil in a fork that has not used it
	past *past          // nil where the block is nobody else's
}

// past is a block as it was when it was forked. It is the source's own, which nobody
// writes any more, or a copy that it made before it went on.
type past struct {
	mu    sync.Mutex     // guards all: source and forks are on goroutines of their own
	users int            // forks that have no canisters of their own yet
	live  *residentBlock // of the source, until it uses it
	kept  *residentBlock // the past's own
}

// content is what the block was. Needs mu.
func (p *past) content() *residentBlock {
	if p.kept != nil {
		return p.kept
	}
	return p.live
}

// own makes the canisters of a block those of its network alone.
func (b *block) own() {
	p := b.past
	b.past = nil
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.all != nil {
		if p.users > 0 {
			p.kept = p.live.fork()
		}
		p.live = nil
		return
	}
	p.users--
	if b.all = p.kept; b.all != nil && p.users == 0 {
		p.kept = nil // the last one need not copy it
		return
	}
	b.all = p.content().fork()
}

// fork is the block in a fork of the network.
func (b *block) fork() block {
	if b.past == nil {
		b.past = &past{live: b.all}
	}
	b.past.mu.Lock()
	b.past.users++
	b.past.mu.Unlock()
	return block{past: b.past}
}

// look shows the canisters of the block, for reading only.
func (b *block) look(show func(*residentBlock)) {
	p := b.past
	if p == nil {
		show(b.all)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.all != nil {
		show(b.all)
	} else {
		show(p.content())
	}
}

// close frees the Wasm state of the canisters, or lets go of those that are not the
// block's own.
func (b *block) close() {
	if b.all == nil {
		b.past.leave()
		b.past, b.all = nil, new(residentBlock)
		return
	}
	if b.past != nil {
		b.own()
	}
	b.all.close()
}

// leave is called by a fork that has never used the block.
func (p *past) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 && p.kept != nil {
		p.kept.close()
		p.kept = nil
	}
}

func (l *residentBlock) close() {
	for _, r := range l {
		if r != nil {
			r.Canister.Close()
		}
	}
}

// fork makes all canisters anew. Residents and canisters are made in one piece each: few
// are ever deleted.
func (l *residentBlock) fork() *residentBlock {
	n := 0
	for _, r := range l {
		if r != nil {
			n++
		}
	}
	room, canisters := make([]Resident, n), canister.NewForks(n)
	to := new(residentBlock)
	for i, r := range l {
		if r != nil {
			to[i], room = &room[0], room[1:]
			r.fork(to[i], canisters.Fork(r.Canister))
		}
	}
	return to
}
