package stable

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

func newFile(t testing.TB, dir string) *checkpoint.File {
	t.Helper()
	f, err := checkpoint.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func newMemory(t testing.TB) *Memory {
	t.Helper()
	m := New(newFile(t, ""))
	t.Cleanup(m.Close)
	return m
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestGrowingStopsAtTheLimit(t *testing.T) {
	m := newMemory(t)
	for _, c := range []struct {
		pages, was uint64
		ok         bool
	}{{3, 0, true}, {0, 3, true}, {8_192_000, 0, false}, {1<<64 - 1, 0, false}, {8_191_997, 3, true}, {1, 0, false}, {0, 8_192_000, true}} {
		if was, ok := m.Grow(c.pages); was != c.was || ok != c.ok {
			t.Errorf("Grow(%d) = %d, %v; want %d, %v", c.pages, was, ok, c.was, c.ok)
		}
	}
}

func TestRangesOutsideTheMemoryAreRefused(t *testing.T) {
	m := newMemory(t)
	m.Grow(1)
	for _, c := range []struct {
		offset uint64
		size   int
		ok     bool
	}{{0, PageSize, true}, {PageSize, 0, true}, {PageSize, 1, false}, {1, PageSize, false}, {1<<64 - 1, 2, false}, {1<<64 - 4, 8, false}} {
		buf := make([]byte, c.size)
		for _, err := range []error{m.Read(c.offset, buf), m.Write(c.offset, buf), m.Peek(c.offset, buf)} {
			if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrOutOfBounds) {
				t.Errorf("%d bytes at %d: %v", c.size, c.offset, err)
			}
		}
	}
}

func TestPagesCountOncePerExecution(t *testing.T) {
	m := newMemory(t)
	m.Grow(100)
	fresh := func(offset, size, unaccessed, unwritten uint64) {
		t.Helper()
		if a, w := m.Fresh(offset, size); a != unaccessed || w != unwritten {
			t.Errorf("Fresh(%d, %d) = %d, %d; want %d, %d", offset, size, a, w, unaccessed, unwritten)
		}
	}
	fresh(4095, 2, 2, 2)
	must(t, m.Read(4095, make([]byte, 2)))
	fresh(0, 3*4096, 1, 3)
	must(t, m.Write(4096, []byte{1}))
	fresh(0, 3*4096, 1, 2)
	fresh(10, 0, 0, 0)
	fresh(60*4096, 70*4096, 70, 70)
	m.NewExecution()
	fresh(0, 3*4096, 3, 3)
	must(t, m.Write(0, []byte{1}))
	must(t, m.Commit())
	fresh(0, 4096, 1, 1)
}

func TestAMemoryBehavesLikeAFlatOne(t *testing.T) {
	file := newFile(t, "")
	rapid.Check(t, func(t *rapid.T) {
		m := New(file)
		defer m.Close()
		var committed, now, got []byte
		type reader struct {
			m         *Memory
			base, now []byte
		}
		var readers []*reader
		defer func() {
			for _, r := range readers {
				r.m.Close()
			}
		}()
		check := func(m *Memory, want []byte) {
			if m.Size()*PageSize != uint64(len(want)) {
				t.Fatalf("size %d, want %d", m.Size()*PageSize, len(want))
			}
			got = slices.Grow(got[:0], len(want))[:len(want)]
			if err := m.Peek(0, got); err != nil {
				t.Fatal(err)
			}
			if !checkpoint.Equal(got, want) {
				t.Fatal("bytes differ")
			}
		}
		write := func(m *Memory, flat []byte) {
			if len(flat) == 0 {
				return
			}
			offset := rapid.IntRange(0, len(flat)-1).Draw(t, "offset")
			size := rapid.IntRange(0, min(len(flat)-offset, rapid.SampledFrom([]int{9, 5000, 1 << 21}).Draw(t, "most"))).Draw(t, "size")
			content := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, size)
			if err := m.Write(uint64(offset), content); err != nil {
				t.Fatal(err)
			}
			copy(flat[offset:], content)
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) {
				check(m, now)
				for _, r := range readers {
					check(r.m, r.now)
				}
			},
			"write": func(*rapid.T) { write(m, now) },
			"grow": func(t *rapid.T) {
				if n := rapid.IntRange(0, 20).Draw(t, "pages"); len(now)+n*PageSize <= 40*PageSize {
					m.Grow(uint64(n))
					now = append(now, make([]byte, n*PageSize)...)
				}
			},
			"commit": func(t *rapid.T) {
				if err := m.Commit(); err != nil {
					t.Fatal(err)
				}
				committed = bytes.Clone(now)
			},
			"rollback": func(*rapid.T) { m.Rollback(); now = bytes.Clone(committed) },
			"snapshot": func(*rapid.T) {
				if len(readers) < 3 {
					readers = append(readers, &reader{m.Snapshot(), bytes.Clone(committed), bytes.Clone(committed)})
				}
			},
			"reader writes": func(t *rapid.T) {
				if len(readers) > 0 {
					r := readers[rapid.IntRange(0, len(readers)-1).Draw(t, "reader")]
					write(r.m, r.now)
				}
			},
			"reader ends": func(t *rapid.T) {
				if len(readers) == 0 {
					return
				}
				i := rapid.IntRange(0, len(readers)-1).Draw(t, "reader")
				if rapid.Bool().Draw(t, "close") {
					readers[i].m.Close()
					readers = append(readers[:i], readers[i+1:]...)
					return
				}
				readers[i].m.Rollback()
				readers[i].now = bytes.Clone(committed)
			},
		})
	})
}

func TestEverythingIsGivenBack(t *testing.T) {
	file := newFile(t, t.TempDir())
	m := New(file)
	m.Grow(200)
	must(t, m.Write(0, bytes.Repeat([]byte{1}, 5<<20)))
	must(t, m.Commit())
	s := m.Snapshot()
	must(t, m.Write(0, bytes.Repeat([]byte{2}, 5<<20)))
	must(t, m.Commit())
	m.Close()
	got := make([]byte, 5<<20)
	must(t, s.Read(0, got))
	if !bytes.Equal(got, bytes.Repeat([]byte{1}, 5<<20)) {
		t.Error("the snapshot changed")
	}
	s.Close()
	if n := file.InUse(); n != 0 {
		t.Errorf("%d bytes of the file are still in use", n)
	}
}

func TestSpaceDoesNotGrowWithCommitsOrRollbacks(t *testing.T) {
	file := newFile(t, "")
	m := New(file)
	defer m.Close()
	m.Grow(1000)
	page := bytes.Repeat([]byte{7}, 3<<20)
	for i := range 50 {
		must(t, m.Write(0, page))
		if i%2 == 0 {
			must(t, m.Commit())
		} else {
			m.Rollback()
		}
	}
	if n := file.InUse(); n > 16<<20 {
		t.Errorf("3 MiB of stable memory use %d MiB of file", n>>20)
	}
}

func TestUntouchedMemoryCostsNothing(t *testing.T) {
	m := newMemory(t)
	m.Grow(10 << 30 / PageSize)
	must(t, m.Write(10<<30-1, []byte{1}))
	must(t, m.Commit())
	before := heapInUse()
	must(t, m.Read(5<<30, make([]byte, 4096)))
	for i := range uint64(1000) {
		must(t, m.Write(i*10<<20, []byte{1}))
	}
	must(t, m.Commit())
	if grown := heapInUse() - before; grown > 4<<20 {
		t.Errorf("1000 pages in 10 GiB of stable memory keep %d KiB of Go heap", grown>>10)
	}
	runtime.KeepAlive(m)
}

func heapInUse() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func TestSnapshotsReadWhileTheOwnerCommits(t *testing.T) {
	m := newMemory(t)
	m.Grow(16)
	must(t, m.Commit())
	var group sync.WaitGroup
	for range 3 {
		s := m.Snapshot()
		group.Go(func() {
			defer s.Close()
			buf := make([]byte, 1<<20)
			for range 30 {
				must(t, s.Read(0, buf))
				if i := bytes.IndexFunc(buf, func(r rune) bool { return byte(r) != buf[0] }); i >= 0 {
					t.Errorf("a snapshot saw half a commit: %d and %d", buf[0], buf[i])
				}
				must(t, s.Write(5000, []byte{200}))
				s.Rollback()
			}
		})
	}
	for i := range 100 {
		must(t, m.Write(0, bytes.Repeat([]byte{byte(i % 100)}, 1<<20)))
		must(t, m.Commit())
	}
	group.Wait()
}

func TestSmallMessagesAllocateNothing(t *testing.T) {
	m := newMemory(t)
	m.Grow(16)
	var buf [8]byte
	message := func() {
		must(t, m.Write(70000, buf[:]))
		must(t, m.Read(70000, buf[:]))
		must(t, m.Commit())
	}
	message()
	if n := testing.AllocsPerRun(100, message); n > 0 {
		t.Errorf("a message that writes one page allocates %v times", n)
	}
}

func BenchmarkMessage(b *testing.B) {
	for _, c := range []struct {
		name  string
		size  uint64
		pages uint64
	}{{"1MiB/1", 1 << 20, 1}, {"1MiB/16", 1 << 20, 16}, {"10GiB/16", 10 << 30, 16}} {
		for _, end := range []string{"commit", "rollback"} {
			b.Run(c.name+"/"+end, func(b *testing.B) {
				m := newMemory(b)
				m.Grow(c.size / PageSize)
				must(b, m.Commit())
				buf := make([]byte, 100)
				for b.Loop() {
					for i := range c.pages {
						must(b, m.Write(i*(c.size/c.pages), buf))
					}
					if end == "rollback" {
						m.Rollback()
					} else {
						must(b, m.Commit())
					}
				}
			})
		}
	}
}

func BenchmarkReadPage(b *testing.B) {
	m := newMemory(b)
	m.Grow(1 << 14)
	must(b, m.Write(0, bytes.Repeat([]byte{1}, 64<<20)))
	must(b, m.Commit())
	buf, floor := make([]byte, 4096), bytes.Repeat([]byte{1}, 64<<20)
	random := rand.New(rand.NewPCG(1, 2))
	b.SetBytes(4096)
	for b.Loop() {
		must(b, m.Peek(random.Uint64N(16000)*4096, buf))
	}
	took := b.Elapsed()
	start := time.Now()
	for range b.N {
		copy(buf, floor[random.Uint64N(16000)*4096:])
	}
	b.ReportMetric(float64(took)/float64(time.Since(start)), "x-of-copy")
}
