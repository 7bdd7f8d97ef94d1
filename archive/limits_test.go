package archive

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/archivetest"
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

func TestStatesFromVersionTenOnAreHashed(t *testing.T) {
	hashed := func(version uint32) (done bool) {
		defer func() { done = recover() == nil }()
		if err := NewHasher(version).Close(); err != nil {
			t.Error(err)
		}
		return done
	}
	for version, want := range map[uint32]bool{9: false, 10: true, Version + 1: false} {
		if got := hashed(version); got != want {
			t.Errorf("the state of version %d is hashed: %t, want %t", version, got, want)
		}
	}
}

func TestAHasherHasTheHashOfAWriterWithAStore(t *testing.T) {
	sections := func(c *Coder) (hash [32]byte) {
		c.Section("one", func() { c.Fixed(make([]byte, 300_000)) })
		hash = c.Hash()
		c.Section("two", func() { c.Fixed([]byte("2")) })
		if c.Hash() == hash {
			t.Error("the second section is not hashed")
		}
		return c.Hash()
	}
	writer := NewWriter(io.Discard)
	writer.StorePages(&archivetest.PageStore{New: "one"})
	if one, two := sections(writer), sections(NewHasher(Version)); one != two {
		t.Errorf("the writer has %x, the hasher %x", one, two)
	}
	if hash := NewWriter(io.Discard).Hash(); hash != [32]byte{} {
		t.Errorf("a writer without a store has %x", hash)
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

func TestFramesAreCompressedWhereTheyShrinkByAnEighth(t *testing.T) {
	for name, c := range map[string]struct {
		content []byte
		pays    bool
	}{
		"1,023 bytes":          {make([]byte, 1_023), false},
		"1,024 bytes":          {make([]byte, 1_024), true},
		"noise and 10 % zeros": {append(noise(90_000), make([]byte, 10_000)...), false},
		"noise and 15 % zeros": {append(noise(85_000), make([]byte, 15_000)...), true},
	} {
		file := inFile(t, func(coder *Coder) { coder.Fixed(c.content) })
		if pays := len(file) < len(c.content); pays != c.pays {
			t.Errorf("%s: compressed: %t", name, pays)
		}
	}
}

func TestAByteOfAFrameBecomes1024BytesAtMost(t *testing.T) {
	for _, size := range []int{1_024, 100_000, 256 << 10} {
		content := make([]byte, size)
		file := inFile(t, func(c *Coder) { c.Fixed(content) })
		if stored := len(file) - len(inFile(t, func(*Coder) {})); stored < size/1024 || stored > size/1024+100 {
			t.Errorf("%d zeros are %d bytes", size, stored)
		}
		if err := fromFile(file, func(c *Coder) { c.Fixed(content) }); err != nil {
			t.Errorf("%d zeros: %v", size, err)
		}
	}
	reader := &Coder{version: Version}
	for raw, want := range map[uint64]bool{1_024: true, 1_025: false} {
		if got := reader.plausible(zstandardFrame, raw, 1); got != want {
			t.Errorf("%d bytes stored as one are accepted: %t, want %t", raw, got, want)
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
