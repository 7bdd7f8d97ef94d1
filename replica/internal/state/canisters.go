package state

import (
	"bytes"
	"iter"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/cow"
)

// Canisters are the entries of a subnet's canisters in the order of their ids. They are in blocks, which a fork shares
// with its source until one of the two uses a canister of the block (copy-on-write): an *Entry may be written.
//
//	order   by id      │ a │ c │ d │ …        slot of each
//	slots   of any id  │ 0 · 2 │ 1 …          block 0: a d c …   block 1: …
type Canisters struct {
	slots  cow.Map[uint64, slot] // by the number of the id
	order  []orderedSlot         // by id
	mark   cow.Mark              // set while a fork shares order
	blocks []block
	free   []slot // slots of deleted canisters
	given  slot   // number of slots that were ever assigned
}

// slot is the position of an entry: a block and an index in it.
type slot uint32

func (s slot) split() (block, at int) {
	return int(s) / blockLen, int(s) % blockLen
}

type orderedSlot struct {
	id   principal.Principal
	slot slot
}

func compareID(s orderedSlot, id principal.Principal) int { return s.id.Compare(id) }

// Get returns the canister with an id, nil if there is none.
func (s *Canisters) Get(id principal.Principal) *Entry {
	if number, ok := id.CanisterNumber(); ok {
		if at, ok := s.slots.Get(number); ok {
			return s.at(at)
		}
	}
	return nil
}

// at returns the entry in a slot, for writing.
func (s *Canisters) at(at slot) *Entry {
	number, place := at.split()
	b := &s.blocks[number]
	if b.shared != nil {
		b.own()
	}
	return b.all[place]
}

// Len returns the number of canisters.
func (s *Canisters) Len() int { return len(s.order) }

// All returns the entries in the order of their ids, for writing.
func (s *Canisters) All() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for _, at := range s.order {
			if !yield(s.at(at.slot)) {
				return
			}
		}
	}
}

// Read visits all entries in no particular order, for reading only: shared blocks remain shared.
func (s *Canisters) Read(visit func(*Entry)) {
	for i := range s.blocks {
		s.blocks[i].read(func(all *entryBlock) {
			for _, r := range all {
				if r != nil {
					visit(r)
				}
			}
		})
	}
}

// After returns at most this many entries whose ids come after one, in the order of their ids. The result is valid
// until a canister is added or removed.
func (s *Canisters) After(id principal.Principal, most int) []*Entry {
	at, found := slices.BinarySearchFunc(s.order, id, compareID)
	if found {
		at++
	}
	var page []*Entry
	for _, next := range s.order[at:min(len(s.order), at+most)] {
		page = append(page, s.at(next.slot))
	}
	return page
}

func (s *Canisters) add(r *Entry) {
	id := r.ID()
	number, ok := id.CanisterNumber()
	if !ok {
		panic("state: " + id.String() + " is not the id of a canister")
	}
	if _, found := s.slots.Get(number); found {
		panic("state: canister " + id.String() + " is there already")
	}
	at := s.given
	if n := len(s.free); n > 0 {
		at, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.given++
	}
	position, place := at.split()
	if position == len(s.blocks) {
		s.blocks = append(s.blocks, block{all: new(entryBlock)})
	}
	b := &s.blocks[position]
	if b.shared != nil {
		b.own()
	}
	b.all[place] = r
	s.slots.Set(number, at)
	i, _ := slices.BinarySearchFunc(s.order, id, compareID)
	s.order = slices.Insert(s.ordered(), i, orderedSlot{id, at})
}

func (s *Canisters) remove(r *Entry) {
	id := r.ID()
	number, _ := id.CanisterNumber()
	at, found := s.slots.Get(number)
	if !found {
		panic("state: canister " + id.String() + " is not there")
	}
	position, place := at.split()
	if b := &s.blocks[position]; s.at(at) != r {
		panic("state: canister " + id.String() + " is another one")
	} else {
		b.all[place] = nil
	}
	s.free = append(s.free, at)
	s.slots.Delete(number)
	i, _ := slices.BinarySearchFunc(s.order, id, compareID)
	s.order = slices.Delete(s.ordered(), i, i+1)
}

// ordered returns the order for writing.
func (s *Canisters) ordered() []orderedSlot {
	if s.mark.Own() {
		s.order = slices.Clone(s.order)
	}
	return s.order
}

// fork returns a second set with the same canisters. A caller that keeps an *Entry of the source replaces it by the
// entry of the fork at once, before the source continues: a write through a pointer from before the fork would change a
// shared block.
func (s *Canisters) fork() Canisters {
	s.mark.Share()
	to := *s
	to.slots, to.free = s.slots.Fork(), slices.Clone(s.free)
	to.blocks = make([]block, len(s.blocks))
	for i := range s.blocks {
		to.blocks[i] = s.blocks[i].fork()
	}
	return to
}

// Close frees the Wasm state of all canisters.
func (s *Canisters) Close() {
	for i := range s.blocks {
		s.blocks[i].close()
	}
}

// Recount updates the memory that is counted for a canister: its usage, or its allocation.
func (s *State) Recount(r *Entry) {
	if r.Gone {
		return
	}
	now := r.Canister.Holdings().Memory
	s.MemoryUsed, r.Counted = s.MemoryUsed-r.Counted+now, now
}

// Uncount removes the memory of a deleted canister.
func (s *State) Uncount(r *Entry) { s.MemoryUsed, r.Counted = s.MemoryUsed-r.Counted, 0 }

// TouchIfCertified touches the canister if its certified data has changed.
func (s *State) TouchIfCertified(r *Entry) {
	if !bytes.Equal(r.Staged.Certified, r.Canister.Certified) || (r.Staged.Certified == nil) != (r.Canister.Certified == nil) {
		s.Touch(r)
	}
}
