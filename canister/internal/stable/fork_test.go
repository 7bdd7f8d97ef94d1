package stable

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// family is memories forked from each other, with what each must be. The flat ones are what is committed.
type family struct {
	space   *space
	members []*member
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
			same(t, s, want)
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
	if !bytes.Equal(got, want) {
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
	if len(s.limbo) > 0 {
		t.Fatalf("%d runs wait for snapshots that are closed", len(s.limbo))
	}
}

func TestForksShareWhatNeitherWrites(t *testing.T) {
	file := newFile(t, "")
	rapid.Check(t, func(t *rapid.T) {
		m := New(file)
		m.Grow(familyPages)
		done(t, m.Commit())
		f := &family{m.space, []*member{{m, make([]byte, familyPages*PageSize)}}}
		t.Repeat(f.actions())
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
