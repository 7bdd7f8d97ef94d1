package stable

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// family is memories forked from each other, with what each must be. The flat ones are what is committed.
type family struct {
	space   *space
	members []*member
	roots   []*past
}

type past struct {
	SnapshotRoot
	flat []byte
}

type member struct {
	*Memory
	flat []byte
}

const familyPages = 3 // of 64 KiB

func (f *family) draw(t *rapid.T) *member {
	return f.members[rapid.IntRange(0, len(f.members)-1).Draw(t, "member")]
}

func (f *family) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"write": func(t *rapid.T) {
			m := f.draw(t)
			first := rapid.IntRange(0, len(m.flat)/OSPageSize-1).Draw(t, "first") * OSPageSize
			run := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, rapid.IntRange(1, len(m.flat)-first).Draw(t, "size"))
			done(t, m.Write(uint64(first), run))
			if rapid.Bool().Draw(t, "rolled back") {
				m.Rollback()
				return
			}
			done(t, m.Commit())
			copy(m.flat[first:], run)
		},
		"fork": func(t *rapid.T) {
			if len(f.members) < 6 {
				m := f.draw(t)
				f.members = append(f.members, &member{m.Fork(), bytes.Clone(m.flat)})
			}
		},
		"root": func(t *rapid.T) {
			if len(f.roots) < 2 {
				m := f.draw(t)
				f.roots = append(f.roots, &past{m.SnapshotRoot(), bytes.Clone(m.flat)})
				return
			}
			p := f.roots[0]
			if rapid.Bool().Draw(t, "forked") && len(f.members) < 6 {
				f.members = append(f.members, &member{p.Memory(), bytes.Clone(p.flat)})
			} else {
				p.Close()
				f.roots = f.roots[1:]
			}
		},
		"close": func(t *rapid.T) {
			if len(f.members) < 2 {
				return
			}
			i := rapid.IntRange(0, len(f.members)-1).Draw(t, "closed")
			f.members[i].Close()
			f.members = append(f.members[:i], f.members[i+1:]...)
		},
		"snapshot": func(t *rapid.T) {
			m := f.draw(t)
			s, want := m.Snapshot(), bytes.Clone(m.flat)
			done(t, m.Write(0, []byte{^want[0]}))
			done(t, m.Commit())
			m.flat[0] = ^want[0]
			if rapid.Bool().Draw(t, "forked meanwhile") && len(f.members) < 6 {
				f.members = append(f.members, &member{m.Fork(), bytes.Clone(m.flat)})
			}
			same(t, s, want)
			if rapid.Bool().Draw(t, "seen again") {
				s.Rollback()
				same(t, s, m.flat)
			}
			s.Close()
		},
		"": func(t *rapid.T) { f.check(t) },
	}
}

func done(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t rapid.TB, m *Memory, want []byte) {
	t.Helper()
	got := make([]byte, len(want))
	if err := m.Peek(0, got); err != nil {
		t.Fatal(err)
	}
	if !checkpoint.Equal(got, want) {
		t.Fatalf("a memory of %d bytes is not what was written to it", len(want))
	}
}

// check compares all members, and counts that each file page is seen by some of them or is free, and not both.
func (f *family) check(t *rapid.T) {
	s := f.space
	seen, uses := make([]bool, s.next+1), make([]int, s.next+1)
	for _, m := range f.members {
		same(t, m.Memory, m.flat)
		for page := range uint64(len(m.flat) / OSPageSize) {
			seen[m.head.table.get(page)] = true
		}
	}
	for _, p := range f.roots {
		for page := range uint64(len(p.flat) / OSPageSize) {
			seen[p.table.get(page)] = true
		}
	}
	for _, list := range []runs{s.free, s.holes} {
		for _, r := range list.all {
			for page := r.first; page < r.first+r.pages; page++ {
				uses[page]++
			}
		}
	}
	for page := 1; page < int(s.next); page++ {
		if seen[page] {
			uses[page]++
		}
		if uses[page] != 1 {
			t.Fatalf("file page %d of %d is used %d times (seen: %v)", page, len(uses), uses[page], seen[page])
		}
	}
	for _, c := range s.owners.chunks {
		if len(f.members) == 1 && len(f.roots) == 0 && c != nil {
			t.Fatal("a memory that is alone has pages with several owners")
		}
	}
	for _, m := range f.members {
		n := uint64(0)
		for page := range uint64(len(m.flat) / OSPageSize) {
			if m.head.table.get(page) != 0 {
				n++
			}
		}
		if m.Written() != n {
			t.Fatalf("%d pages were written, %d are counted", n, m.Written())
		}
	}
}

func TestForksShareWhatNeitherWrites(t *testing.T) {
	file := newFile(t, "")
	rapid.Check(t, func(t *rapid.T) {
		m := New(file)
		m.Grow(familyPages)
		done(t, m.Commit())
		f := &family{space: m.space, members: []*member{{m, make([]byte, familyPages*PageSize)}}}
		t.Repeat(f.actions())
		for _, p := range f.roots {
			p.Close()
		}
		for _, m := range f.members {
			m.Close()
		}
		if n := file.InUse(); n != 0 {
			t.Fatalf("%d bytes of the file are still in use", n)
		}
	})
}

func TestAForkCostsNoPages(t *testing.T) {
	file := newFile(t, "")
	m := New(file)
	defer m.Close()
	m.Grow(1024)
	must(t, m.Write(0, bytes.Repeat([]byte{1}, 32<<20)))
	must(t, m.Commit())
	before := file.InUse()
	for range 10 {
		defer m.Fork().Close()
	}
	must(t, m.Write(5<<20, []byte{2}))
	must(t, m.Commit())
	if n := file.InUse() - before; n != 0 {
		t.Errorf("ten forks of 32 MiB and a write of a byte take %d bytes of file", n)
	}
	if n := m.Written(); n != 32<<20/OSPageSize {
		t.Errorf("%d pages were written, want %d", n, 32<<20/OSPageSize)
	}
}

func TestAThousandForksLeaveTheirSourceAsItWas(t *testing.T) {
	m := newMemory(t)
	m.Grow(64)
	must(t, m.Write(0, bytes.Repeat([]byte{1}, 64*PageSize)))
	must(t, m.Commit())
	forks := make([]*Memory, 1000)
	for i := range forks {
		forks[i] = m.Fork()
		must(t, m.Write(uint64(i)*OSPageSize, []byte{2}))
		must(t, m.Commit())
	}
	for i, f := range forks {
		got := make([]byte, 2*OSPageSize)
		must(t, f.Peek(uint64(i)*OSPageSize-min(uint64(i), 1)*OSPageSize, got))
		if last := got[min(i, 1)*OSPageSize]; last != 1 || i > 0 && got[0] != 2 {
			t.Fatalf("fork %d has %d, want 1, and before it %d, want 2", i, last, got[0])
		}
		f.Close()
	}
	if n := m.space.next - uint32(m.space.free.pages+m.space.holes.pages); n != 1024+1 {
		t.Errorf("%d file pages are in use after the forks are gone, want 1,024", n-1)
	}
}

// BenchmarkRatioStableCommitAmongForks overwrites a page that a thousand forks share; the floor overwrites one that is
// not shared.
func BenchmarkRatioStableCommitAmongForks(b *testing.B) {
	shared, alone := newMemory(b), newMemory(b)
	for _, m := range []*Memory{shared, alone} {
		m.Grow(64)
		must(b, m.Write(0, bytes.Repeat([]byte{1}, 64*PageSize)))
		must(b, m.Commit())
	}
	for range 1000 {
		defer shared.Fork().Close()
	}
	overwrite := func(m *Memory) ratio.Work {
		page := uint64(0)
		return ratio.Each(func() {
			page = (page + 1) % 1024
			must(b, m.Write(page*OSPageSize, []byte{byte(page)}))
			must(b, m.Commit())
		})
	}
	ratio.Compare(b, 3, overwrite(shared), overwrite(alone))
}
