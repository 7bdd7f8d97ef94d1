package stable

import (
	"bytes"
	"testing"
)

// writePages writes whole pages of 4 KiB in a row.
func writePages(t *testing.T, m *Memory, first, n uint64) {
	t.Helper()
	must(t, m.Write(first*OSPageSize, bytes.Repeat([]byte{1}, int(n)*OSPageSize)))
}

func TestAMessageHoldsTwoHundredFiftySixPagesInMemory(t *testing.T) {
	m := newMemory(t)
	m.Grow(100)
	for _, step := range []struct {
		pages             uint64
		buffered, spilled int
	}{{256, 256, 0}, {1, 1, 256}, {255, 256, 256}, {1, 1, 512}} {
		writePages(t, m, uint64(m.Changed()), step.pages)
		if len(m.buffers) != step.buffered || len(m.spilled) != step.spilled {
			t.Errorf("%d pages in memory and %d in the file, want %d and %d", len(m.buffers), len(m.spilled), step.buffered, step.spilled)
		}
	}
}

func TestAHeldMessageHoldsTwoHundredFiftySixPagesInMemory(t *testing.T) {
	m := newMemory(t)
	m.Grow(100)
	must(t, m.Commit())
	s := m.Snapshot()
	defer s.Close()
	for i, step := range []struct {
		pages             uint64
		buffered, spilled int
	}{{200, 200, 0}, {56, 256, 0}, {1, 256, 1}} {
		writePages(t, s, uint64(i)*200, step.pages)
		must(t, s.Hold())
		if len(s.held.buffers) != step.buffered || len(s.held.spilled) != step.spilled {
			t.Errorf("%d pages in memory and %d in the file, want %d and %d", len(s.held.buffers), len(s.held.spilled), step.buffered, step.spilled)
		}
	}
}

func TestTheTablesOfAMessageThatWroteALotAreNotKept(t *testing.T) {
	m := newMemory(t)
	m.Grow(100)
	for _, c := range []struct {
		pages uint64
		kept  bool
	}{{256, true}, {257, false}} {
		writePages(t, m, 0, c.pages)
		must(t, m.Commit())
		if kept := m.spilled != nil; kept != c.kept {
			t.Errorf("after %d pages the table is kept: %v", c.pages, kept)
		}
	}
}

func TestAThousandTwentyFourUnusedPagesKeepTheirSpace(t *testing.T) {
	for _, c := range []struct {
		name                 string
		end                  func(m *Memory)
		pages                uint64
		keptSpace, gaveSpace int
	}{
		{"a commit", func(m *Memory) { must(t, m.Commit()) }, 1024, 1024, 0},
		{"a commit", func(m *Memory) { must(t, m.Commit()) }, 1025, 1024, 1},
		{"a rollback", func(m *Memory) { must(t, m.Prepare()); m.Rollback() }, 1024, 1024, 0},
		{"a rollback", func(m *Memory) { must(t, m.Prepare()); m.Rollback() }, 1025, 1024, 1},
	} {
		m := newMemory(t)
		m.Grow(100)
		writePages(t, m, 0, c.pages)
		must(t, m.Commit())
		writePages(t, m, 0, c.pages)
		c.end(m)
		if kept, gave := m.space.free.pages, m.space.holes.pages; kept != c.keptSpace || gave != c.gaveSpace {
			t.Errorf("after %s of %d pages %d keep their space and %d do not, want %d and %d", c.name, c.pages, kept, gave, c.keptSpace, c.gaveSpace)
		}
	}
}
