package stable

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// checkFilePages checks that every file page is used by the memory or a reader of it, or is free once or a hole once.
func checkFilePages(t testing.TB, m, reader *Memory) {
	t.Helper()
	s := m.space
	uses := make([]int, s.next)
	for page := range m.size * PageSize / OSPageSize {
		at := m.head.table.get(page)
		uses[at]++
		if reader != nil {
			if seen := reader.table.get(page); seen != at {
				uses[seen]++
			}
		}
	}
	for _, at := range m.spilled {
		uses[at]++
	}
	for _, list := range []runs{s.free, s.holes} {
		sum := 0
		for _, r := range list.all {
			sum += int(r.pages)
			for page := r.first; page < r.first+r.pages; page++ {
				uses[page]++
			}
		}
		if sum != list.pages {
			t.Errorf("a list of %d pages counts %d", sum, list.pages)
		}
	}
	for page, n := range uses {
		if page > 0 && n != 1 {
			t.Fatalf("file page %d of %d is used %d times", page, len(uses), n)
		}
	}
}

func TestNoFilePageIsLostOrUsedTwice(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	m := newMemory(t)
	m.Grow(400)
	must(t, m.Commit())
	const pages = 400 * PageSize / OSPageSize
	want, now := make([]byte, pages), make([]byte, pages)
	var reader *Memory
	for i := range 300 {
		for range random.IntN(4) {
			first, n := random.IntN(pages), 1+random.IntN(1+random.IntN(3000))
			n = min(n, pages-first)
			mark := byte(i%255 + 1)
			must(t, m.Write(uint64(first)*OSPageSize, bytes.Repeat([]byte{mark}, n*OSPageSize)))
			copy(now[first:], bytes.Repeat([]byte{mark}, n))
		}
		switch random.IntN(5) {
		case 0:
			m.Rollback()
			copy(now, want)
		case 1:
			if reader != nil {
				reader.Close()
				reader = nil
			} else {
				reader = m.Snapshot()
			}
		default:
			must(t, m.Commit())
			copy(want, now)
		}
		checkFilePages(t, m, reader)
		page := random.IntN(pages)
		var got [1]byte
		must(t, m.Peek(uint64(page)*OSPageSize+7, got[:]))
		if got[0] != now[page] {
			t.Fatalf("page %d holds %d, want %d", page, got[0], now[page])
		}
	}
	if reader != nil {
		reader.Close()
	}
	if n := m.space.free.pages; n > 1024 {
		t.Errorf("%d unused pages keep their space", n)
	}
}

func TestRunsSideBySideBecomeOne(t *testing.T) {
	var r runs
	order := rand.New(rand.NewPCG(5, 6)).Perm(1000)
	for _, page := range order {
		r.push(run{uint32(page), 1})
		r.merge()
	}
	if len(r.all) >= minMerge || r.pages != 1000 {
		t.Errorf("a thousand pages in a row are %d, in %d pieces", r.pages, len(r.all))
	}
	left := 1000
	for r.pages > 0 {
		left -= int(r.pop(10).pages)
	}
	if left != 0 || len(r.all) != 0 {
		t.Errorf("%d pages were not given out, %v is left", left, r.all)
	}
}

func TestRewritingAMemoryTakesFewCalls(t *testing.T) {
	m := newMemory(t)
	m.Grow(1024)
	content := bytes.Repeat([]byte{1}, 1024*PageSize)
	for range 4 {
		must(t, m.Write(0, content))
		must(t, m.Commit())
		checkFilePages(t, m, nil)
	}
	// 16,384 pages were given back; each run of them took one call, and will take one when it is written.
	if n := len(m.space.holes.all); n > 8 {
		t.Errorf("what was rewritten lies in %d pieces", n)
	}
}
