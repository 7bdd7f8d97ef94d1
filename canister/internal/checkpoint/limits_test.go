package checkpoint

import (
	"bytes"
	"errors"
	"testing"
)

func inMemory(t *testing.T) *File {
	t.Helper()
	f, err := Open("")
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

func TestTheSmallestExtentIsAPageOfWebAssembly(t *testing.T) {
	f := inMemory(t)
	for asked, want := range map[int64]int64{1: 65_536, 65_536: 65_536, 65_537: 131_072} {
		if e, err := f.Allocate(asked); err != nil || e.Size != want {
			t.Errorf("asked for %d bytes, got %d: %v", asked, e.Size, err)
		}
	}
}

func TestAFileEndsOneGiBBefore16TiB(t *testing.T) {
	f := inMemory(t)
	for size := int64(8 << 40); size >= 1<<30; size /= 2 {
		if _, err := f.Allocate(size); err != nil {
			t.Fatal(err)
		}
	}
	if f.InUse() != 17_591_112_302_592 {
		t.Errorf("%d bytes are handed out", f.InUse())
	}
	if e, err := f.Allocate(1); !errors.Is(err, ErrFull) {
		t.Errorf("got %v after the end: %v", e, err)
	}
}

func TestPagesOf4096BytesAreWrittenOneAfterTheOther(t *testing.T) {
	f := inMemory(t)
	e, err := f.Allocate(1)
	if err != nil {
		t.Fatal(err)
	}
	pages := []*Page{f.Borrow(), f.Borrow()}
	for i, p := range pages {
		for at := range p {
			p[at] = byte(i + 1)
		}
	}
	if err := f.WritePages(pages, e.Offset, false); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 8_193)
	if err := f.ReadAt(got, e.Offset); err != nil {
		t.Fatal(err)
	}
	want := append(append(bytes.Repeat([]byte{1}, 4096), bytes.Repeat([]byte{2}, 4096)...), 0)
	if !bytes.Equal(got, want) {
		t.Errorf("page 1 has %d bytes, page 2 %d", bytes.Count(got, []byte{1}), bytes.Count(got, []byte{2}))
	}
}
