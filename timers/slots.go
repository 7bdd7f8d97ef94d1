package timers

import (
	"slices"

	"github.com/canisterd/canisterd/internal/cow"
)

// slotPage is how many slots a fork copies at once.
const slotPage = 256

type slot struct {
	what       Deadline
	generation uint32 // odd while in use
}

// slots are the slots of a table, by number, in pages that forks share.
type slots struct {
	pages cow.Pages[[slotPage]slot]
	n     int
	few   []slot // the slots while there are no pages
}

// at returns a slot, which must not be written.
func (s *slots) at(number uint32) *slot {
	if s.pages.Len() == 0 {
		return &s.few[number]
	}
	return &s.pages.Read(uint(number / slotPage))[number%slotPage]
}

// change returns a slot that may be written until the next fork.
func (s *slots) change(number uint32) *slot {
	if s.pages.Len() == 0 {
		return &s.few[number]
	}
	return &s.pages.Write(uint(number / slotPage))[number%slotPage]
}

// add adds a slot and returns its number.
func (s *slots) add() (number uint32) {
	switch {
	case s.pages.Len() > 0:
		if s.n == s.pages.Len()*slotPage {
			s.pages.Add()
		}
	case s.n < mostFew:
		s.few = append(s.few, slot{})
	default:
		s.pages.Add()
		copy(s.pages.Write(0)[:], s.few)
		s.few = nil
	}
	s.n++
	return uint32(s.n - 1)
}

func (s *slots) fork() slots { return slots{s.pages.Fork(), s.n, slices.Clone(s.few)} }

// Len, At and Push make slots a sequence of values (archive.Sequence).

// Len returns the number of slots.
func (s *slots) Len() int { return s.n }

// At returns a copy of a slot.
func (s *slots) At(i int) slot { return *s.at(uint32(i)) }

// Push adds a slot.
func (s *slots) Push(value slot) { *s.change(s.add()) = value }
