package state

import (
	"iter"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/internal/cow"
)

// Residents are the canisters of a subnet in the order of their ids. They lie in blocks,
// which a fork has together with its source until one of the two uses a canister of a
// block: whoever has a *Resident may write it.
//
//	order   by id      │ a │ c │ d │ …        seat of each
//	seats   of any id  │ 0 · 2 │ 1 …          block 0: a d c …   block 1: …
type Residents struct {
	seats cow.Map[principal.Principal, seat]
	order []seated // by id
	// shared is set where a fork has order, too: it is copied before it is written.
	shared bool
	blocks []block
	free   []seat // seats of canisters that are gone
	seated seat   // seats that were ever given
}

// seat is where a canister lies: a block and a place in it.
type seat uint32

func (s seat) place() (block, at int) {
	return int(s) / blockLen, int(s) % blockLen
}

type seated struct {
	id   principal.Principal
	seat seat
}

func seatedByID(s seated, id principal.Principal) int { return s.id.Compare(id) }

// Get is the canister with an id, nil where there is none.
func (s *Residents) Get(id principal.Principal) *Resident {
	if at, ok := s.seats.Get(id); ok {
		return s.on(at)
	}
	return nil
}

// on is the canister on a seat, for writing.
func (s *Residents) on(at seat) *Resident {
	number, place := at.place()
	b := &s.blocks[number]
	if b.past != nil {
		b.own()
	}
	return b.all[place]
}

// Len is the number of canisters.
func (s *Residents) Len() int { return len(s.order) }

// All gives the canisters in the order of their ids.
func (s *Residents) All() iter.Seq[*Resident] {
	return func(yield func(*Resident) bool) {
		for _, at := range s.order {
			if !yield(s.on(at.seat)) {
				return
			}
		}
	}
}

// Look shows all canisters, in no order that counts and for reading only: what forks have
// together they have together afterwards.
func (s *Residents) Look(show func(*Resident)) {
	for i := range s.blocks {
		s.blocks[i].look(func(all *residentBlock) {
			for _, r := range all {
				if r != nil {
					show(r)
				}
			}
		})
	}
}

// After are at most so many canisters whose ids come after one, in the order of their
// ids. It is good until a canister comes or goes.
func (s *Residents) After(id principal.Principal, most int) []*Resident {
	at, found := slices.BinarySearchFunc(s.order, id, seatedByID)
	if found {
		at++
	}
	var page []*Resident
	for _, next := range s.order[at:min(len(s.order), at+most)] {
		page = append(page, s.on(next.seat))
	}
	return page
}

func (s *Residents) add(r *Resident) {
	id := r.ID()
	if _, there := s.seats.Get(id); there {
		panic("state: canister " + id.String() + " is there already")
	}
	at := s.seated
	if n := len(s.free); n > 0 {
		at, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.seated++
	}
	number, place := at.place()
	if number == len(s.blocks) {
		s.blocks = append(s.blocks, block{all: new(residentBlock)})
	}
	b := &s.blocks[number]
	if b.past != nil {
		b.own()
	}
	b.all[place] = r
	s.seats.Set(id, at)
	i, _ := slices.BinarySearchFunc(s.order, id, seatedByID)
	s.order = slices.Insert(s.ordered(), i, seated{id, at})
}

func (s *Residents) remove(r *Resident) {
	id := r.ID()
	at, found := s.seats.Get(id)
	if !found {
		panic("state: canister " + id.String() + " is not there")
	}
	number, place := at.place()
	if b := &s.blocks[number]; s.on(at) != r {
		panic("state: canister " + id.String() + " is another one")
	} else {
		b.all[place] = nil
	}
	s.free = append(s.free, at)
	s.seats.Delete(id)
	i, _ := slices.BinarySearchFunc(s.order, id, seatedByID)
	s.order = slices.Delete(s.ordered(), i, i+1)
}

// ordered is the order for writing.
func (s *Residents) ordered() []seated {
	if s.shared {
		s.order, s.shared = slices.Clone(s.order), false
	}
	return s.order
}

// fork is a second set with the same canisters. Whoever has a *Resident of the source
// gets that of the fork at once, before the source goes on: what is written later without
// asking for it again is not to be what a fork has together with it.
func (s *Residents) fork() Residents {
	s.shared = true
	to := *s
	to.seats, to.free = s.seats.Fork(), slices.Clone(s.free)
	to.blocks = make([]block, len(s.blocks))
	for i := range s.blocks {
		to.blocks[i] = s.blocks[i].fork()
	}
	return to
}

// Close frees the Wasm state of all canisters.
func (s *Residents) Close() {
	for i := range s.blocks {
		s.blocks[i].close()
	}
}
