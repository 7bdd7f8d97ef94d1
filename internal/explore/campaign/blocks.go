package campaign

import "github.com/canisterd/canisterd/internal/explore/harness"

// blockSet is a set of blocks of code, of each module by itself. The zero value is empty.
type blockSet struct {
	count   int
	modules map[[32]byte][]uint64    // bits
	added   map[*harness.Blocks]bool // that were added: most messages run the same blocks as others
}

// addAll adds the blocks of messages, and reports whether any is new.
func (s *blockSet) addAll(steps []*harness.Step) (added bool) {
	before := s.count
	for _, step := range steps {
		for _, b := range step.Blocks {
			s.add(b)
		}
	}
	return s.count > before
}

func (s *blockSet) add(b *harness.Blocks) {
	if s.added[b] {
		return
	}
	if s.modules == nil || len(s.added) >= maxCovered {
		s.added = make(map[*harness.Blocks]bool)
	}
	if s.modules == nil {
		s.modules = make(map[[32]byte][]uint64)
	}
	s.added[b] = true
	ran := s.modules[b.Module]
	for _, bit := range b.Bits {
		for int(bit/64) >= len(ran) && s.count < maxCovered {
			ran = append(ran, 0)
		}
		if mask := uint64(1) << (bit % 64); s.count < maxCovered && ran[bit/64]&mask == 0 {
			ran[bit/64] |= mask
			s.count++
		}
	}
	s.modules[b.Module] = ran
}
