package archive

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// noise is bytes that cannot be compressed.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// inFile writes a file with one section.
func inFile(t *testing.T, body func(c *Coder)) []byte {
	t.Helper()
	var file bytes.Buffer
	c := NewWriter(&file)
	c.Section("s", func() { body(c) })
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// fromFile reads a file with one section.
func fromFile(file []byte, body func(c *Coder)) error {
	c := NewReader(bytes.NewReader(file))
	c.Section("s", func() { body(c) })
	return c.Close()
}

// frames are the sizes of what is written at once.
type frames []int

func (f *frames) Write(b []byte) (int, error) {
	*f = append(*f, len(b))
	return len(b), nil
}

func TestAFileSaysItsVersion(t *testing.T) {
	file := inFile(t, func(*Coder) {})
	if !bytes.HasPrefix(file, append([]byte("canisterd state\n\x00\x00\x00"), Version)) {
		t.Fatalf("it begins with %q", file[:20])
	}
	file[19] = Version + 1
	var newer *NewerError
	if err := fromFile(file, func(*Coder) {}); !errors.As(err, &newer) || newer.Version != Version+1 {
		t.Errorf("a file of the next version: %v", err)
	}
}

func TestFilesFromVersionSevenOnAreWritten(t *testing.T) {
	written := func(version uint32) (done bool) {
		defer func() { done = recover() == nil }()
		if err := NewWriterOf(version, io.Discard).Close(); err != nil {
			t.Error(err)
		}
		return done
	}
	for version, want := range map[uint32]bool{6: false, 7: true, Version: true, Version + 1: false} {
		if got := written(version); got != want {
			t.Errorf("version %d is written: %t, want %t", version, got, want)
		}
	}
}

func TestAFrameHas256KiBAtMost(t *testing.T) {
	var sizes frames
	c := NewWriter(&sizes)
	c.Section("s", func() { c.Fixed(noise(600_000)) })
	if most := slices.Max(sizes); c.Close() != nil || most != 262_144 {
		t.Errorf("%d bytes are written at once", most)
	}
}

// pagesRead are the runs of pages that are read after count of them were written,
// and whether each has content.
func pagesRead(t *testing.T, count int, content []byte) (runs []uint64, full []bool) {
	file := inFile(t, func(c *Coder) {
		p := NewPages(c)
		for n := range count {
			p.Put(uint64(n), content)
		}
		p.Close()
	})
	if err := fromFile(file, func(c *Coder) {
		ReadPages(c, uint64(count), func(_, n uint64, content []byte) error {
			runs, full = append(runs, n), append(full, content != nil)
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	return runs, full
}

func TestSixteenPagesOf4096BytesAreWrittenWithOneRecord(t *testing.T) {
	if runs, _ := pagesRead(t, 17, noise(4096)); !slices.Equal(runs, []uint64{16, 1}) {
		t.Errorf("17 pages are written as %d", runs)
	}
}

func TestAFileLeavesOut16384PagesOfZeros(t *testing.T) {
	runs, full := pagesRead(t, 16_385, nil)
	if !slices.Equal(runs, []uint64{16_384, 1}) || !slices.Equal(full, []bool{false, true}) {
		t.Errorf("16,385 pages of zeros are written as %d, with content: %t", runs, full)
	}
}

func TestFramesAreCompressedWhereTheirBeginningShrinks(t *testing.T) {
	for name, c := range map[string]struct {
		content []byte
		pays    bool
	}{
		"1,023 bytes":                     {make([]byte, 1_023), false},
		"1,024 bytes":                     {make([]byte, 1_024), true},
		"zeros after 8 KiB of noise":      {append(noise(8_192), make([]byte, 24_576)...), false},
		"zeros after 4 KiB of noise":      {append(noise(4_096), make([]byte, 28_672)...), true},
		"fewer zeros after so much noise": {append(noise(8_192), make([]byte, 24_575)...), true},
	} {
		file := inFile(t, func(coder *Coder) { coder.Fixed(c.content) })
		if pays := len(file) < len(c.content); pays != c.pays {
			t.Errorf("%s: compressed: %t", name, pays)
		}
	}
}

func TestALengthAloneTakes64KiB(t *testing.T) {
	file := inFile(t, func(c *Coder) {
		length := uint64(1 << 20)
		Number(c, &length)
	})
	var b []byte
	if err := fromFile(file, func(c *Coder) { c.Bytes(&b, MaxBytes) }); err == nil || len(b) != 65_536 {
		t.Errorf("%d bytes were taken: %v", len(b), err)
	}
}

func TestValuesAboveTheLargestAreRefusedByTheirLength(t *testing.T) {
	var b []byte
	var list []uint8
	reads := map[string]func(c *Coder){
		"bytes": func(c *Coder) { c.Bytes(&b, MaxBytes) },
		"items": func(c *Coder) { Slice(c, &list, MaxItems, func(n *uint8) { Number(c, n) }) },
	}
	for _, test := range []struct {
		what  string
		code  uint64 // bytes have one more than their length: zero is nil
		words string
	}{
		{"bytes", 1_073_741_825, "the section ends in the middle of a value"},
		{"bytes", 1_073_741_826, "there are 1073741825 of something of which at most 1073741824 are possible"},
		{"items", 2_147_483_647, "the section ends in the middle of a value"},
		{"items", 2_147_483_648, "the number 2147483648 is too large: at most 2147483647 is possible"},
	} {
		file := inFile(t, func(c *Coder) { Number(c, &test.code) })
		if err := fromFile(file, reads[test.what]); err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s, %d: %v, want %q", test.what, test.code, err, test.words)
		}
	}
}

func TestANameOfASectionHas255Bytes(t *testing.T) {
	c := NewWriter(&frames{})
	c.Section(strings.Repeat("n", 255), func() {})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("256 bytes are taken")
		}
	}()
	NewWriter(&frames{}).Section(strings.Repeat("n", 256), func() {})
}
