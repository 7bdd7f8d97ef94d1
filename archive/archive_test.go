package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"pgregory.net/rapid"
)

// sample is one of everything that can be written.
type sample struct {
	Number uint64
	Small  uint8
	Int    int
	Flag   bool
	Bytes  []byte
	Text   string
	Hash   [32]byte
	Who    principal.Principal
	High   uint64
	List   []uint32
	Maybe  *uint64
}

func (s *sample) archive(c *Coder) {
	Number(c, &s.Number)
	AtMost(c, &s.Small, 200)
	Number(c, &s.Int)
	c.Bool(&s.Flag)
	c.Bytes(&s.Bytes, 1<<20)
	String(c, &s.Text, 1<<10)
	Hash(c, &s.Hash)
	c.Principal(&s.Who)
	Number(c, &s.High)
	Slice(c, &s.List, 1000, func(n *uint32) { Number(c, n) })
	Pointer(c, &s.Maybe, func(n *uint64) { Number(c, n) })
}

func samples(t *rapid.T) (s sample) {
	s.Number, s.Small = rapid.Uint64().Draw(t, "number"), rapid.Uint8Max(200).Draw(t, "small")
	s.Int, s.Flag = rapid.IntMin(0).Draw(t, "int"), rapid.Bool().Draw(t, "flag")
	if n := rapid.IntRange(-1, 600_000).Draw(t, "bytes"); n >= 0 {
		s.Bytes = make([]byte, n)
		filler := rand.NewChaCha8([32]byte{byte(n)})
		filler.Read(s.Bytes[rapid.IntRange(0, n).Draw(t, "zeros"):])
	}
	s.Text = rapid.StringN(0, -1, 1<<10).Draw(t, "text")
	copy(s.Hash[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "hash"))
	s.Who = principal.MustFromBytes(rapid.SliceOfN(rapid.Byte(), 0, principal.MaxLen).Draw(t, "who"))
	s.High = rapid.Uint64().Draw(t, "high")
	if rapid.Bool().Draw(t, "list") {
		s.List = rapid.SliceOfN(rapid.Uint32(), 0, 20).Draw(t, "items")
	}
	if rapid.Bool().Draw(t, "maybe") {
		n := rapid.Uint64().Draw(t, "there")
		s.Maybe = &n
	}
	return s
}

// written is a file with a section for each sample.
func written(t interface{ Fatal(...any) }, all []sample) []byte {
	var file bytes.Buffer
	c := NewWriter(&file)
	for i := range all {
		c.Section(fmt.Sprint("sample ", i), func() { all[i].archive(c) })
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// read reads a file with a number of samples.
func read(from io.Reader, n int) ([]sample, error) {
	c := NewReader(from)
	all := make([]sample, n)
	for i := range all {
		c.Section(fmt.Sprint("sample ", i), func() { all[i].archive(c) })
	}
	return all, c.Close()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(samples), 0, 3).Draw(t, "samples")
		file := written(t, all)
		again, err := read(iotest(file), len(all))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file, written(t, again)) || fmt.Sprintf("%v", all) != fmt.Sprintf("%v", again) && all == nil {
			t.Fatal("the second file is another")
		}
		for i := range all {
			if all[i].Number != again[i].Number || !bytes.Equal(all[i].Bytes, again[i].Bytes) || (all[i].Bytes == nil) != (again[i].Bytes == nil) || all[i].Text != again[i].Text || all[i].Who != again[i].Who {
				t.Fatalf("sample %d was read as another", i)
			}
		}
	})
}

// iotest gives bytes in small pieces.
func iotest(file []byte) io.Reader { return &dribble{file} }

type dribble struct{ rest []byte }

func (d *dribble) Read(b []byte) (int, error) {
	if len(d.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 7777)], d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

func small() []sample {
	n := uint64(7)
	return []sample{
		{Number: 1, Bytes: bytes.Repeat([]byte("canister"), 200), Text: "one", List: []uint32{1, 2, 3}},
		{Number: 1 << 60, Small: 200, Flag: true, Maybe: &n},
	}
}

func TestAFileThatEndsTooEarlySaysWhere(t *testing.T) {
	file := written(t, small())
	for n := range file {
		_, err := read(bytes.NewReader(file[:n]), 2)
		var fault *Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), fmt.Sprintf("the file ends at byte %d", n)) {
			t.Fatalf("of %d bytes %d: %v", len(file), n, err)
		}
	}
}

func TestABitThatWasFlippedIsFound(t *testing.T) {
	file := written(t, small())
	first := bytes.Index(file, []byte("sample 0"))
	second := bytes.Index(file, []byte("sample 1"))
	for at := range file {
		for bit := range 8 {
			file[at] ^= 1 << bit
			_, err := read(bytes.NewReader(file), 2)
			file[at] ^= 1 << bit
			var fault *Fault
			if !errors.As(err, &fault) {
				t.Fatalf("bit %d of byte %d: %v", bit, at, err)
			}
			if in := fault.Section; at > first+8 && at < second-2 && in != "sample 0" || at > second+8 && in == "sample 0" {
				t.Fatalf("bit %d of byte %d is in another section than %q: %v", bit, at, in, err)
			}
		}
	}
}

func TestFaultsOfAFileHaveTheirWords(t *testing.T) {
	file := written(t, small())
	newer := bytes.Clone(file)
	newer[len(magic)+3] = Version + 1
	cut := bytes.Index(file, []byte("sample 0")) - 2
	for _, c := range []struct {
		name string
		file []byte
		n    int
		want string
	}{
		{"nothing", nil, 2, "at byte 0 of the file: the file ends at byte 0, in the middle"},
		{"something else", bytes.Repeat([]byte("x"), 50), 2, "at byte 0 of the file: this is no file with the state of a network: it does not begin as one"},
		{"a newer version", newer, 2, fmt.Sprintf("at byte 0 of the file: the file has version %d of the format, and this canisterd reads versions up to %d: read it with the canisterd that wrote it, or a newer one", Version+1, Version)},
		{"another order", file[:cut:cut], 0, "at byte 20 of the file: the file ends at byte 20, in the middle"},
		{"a section too many", file, 1, "at byte 90 of the file: there is a section more than is known"},
		{"a section too few", file, 3, `at byte 165 of the file: section "sample 2" is missing`},
		{"more after the end", append(bytes.Clone(file), 0), 2, "at byte 165 of the file: something comes after the end of the archive"},
	} {
		if _, err := read(bytes.NewReader(c.file), c.n); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, err, c.want)
		}
	}
}

func TestASectionThatIsReadAsAnotherIsAFault(t *testing.T) {
	var file bytes.Buffer
	c := NewWriter(&file)
	c.Section("numbers", func() {
		n := uint64(300)
		Number(c, &n)
		Number(c, &n)
	})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name string
		read func(c *Coder)
		want string
	}{
		{"other", func(*Coder) {}, `at byte 20 of the file: there is section "numbers" where "other" must be`},
		{"numbers", func(c *Coder) { var n uint64; Number(c, &n) }, `section "numbers", byte 2 of its content, in the frame at byte 29 of the file: there is more than is known: 2 bytes`},
		{"numbers", func(c *Coder) { var n uint8; Number(c, &n) }, `section "numbers", byte 2 of its content, in the frame at byte 29 of the file: the number 300 is too large`},
		{"numbers", func(c *Coder) { var n uint64; AtMost(c, &n, 299) }, `section "numbers", byte 2 of its content, in the frame at byte 29 of the file: the number 300 is too large: at most 299 is possible`},
		{"numbers", func(c *Coder) { var b []byte; c.Bytes(&b, 10) }, `section "numbers", byte 2 of its content, in the frame at byte 29 of the file: there are 299 of something of which at most 10 are possible`},
		{"numbers", func(c *Coder) { var b []byte; c.Bytes(&b, 1000) }, `section "numbers", at byte 40 of the file: the section ends in the middle of a value`},
		{"numbers", func(c *Coder) { c.Fail("it is %s", "wrong"); c.Fail("again") }, `section "numbers", byte 0 of its content, in the frame at byte 20 of the file: it is wrong`},
	} {
		c := NewReader(bytes.NewReader(file.Bytes()))
		c.Section(x.name, func() { x.read(c) })
		if err := c.Close(); err == nil || err.Error() != x.want {
			t.Errorf("got %q, want %q", err, x.want)
		}
	}
}

// broken is a writer that fails after a number of bytes.
type broken int

var errBroken = errors.New("no space left")

func (b *broken) Write(p []byte) (int, error) {
	if *b -= broken(len(p)); *b < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestAWriterThatFailsEndsTheFile(t *testing.T) {
	for room := range 200 {
		b := broken(room)
		c := NewWriter(&b)
		for i, s := range small() {
			c.Section(fmt.Sprint("sample ", i), func() { s.archive(c) })
		}
		if err := c.Close(); !errors.Is(err, errBroken) {
			t.Fatalf("with room for %d bytes: %v", room, err)
		}
	}
}

func TestPagesAreReadAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const pages = 200
		type page struct {
			number uint64
			fill   byte
		}
		var all []page
		for n := uint64(0); n < pages; n++ {
			n += rapid.Uint64Range(0, 40).Draw(t, "gap")
			for count := rapid.Uint64Range(1, 40).Draw(t, "count"); count > 0 && n < pages; count-- {
				all = append(all, page{n, byte(rapid.IntRange(0, 2).Draw(t, "fill"))})
				n++
			}
		}
		var file bytes.Buffer
		c := NewWriter(&file)
		c.Section("pages", func() {
			p := NewPages(c)
			for _, x := range all {
				p.Put(x.number, bytes.Repeat([]byte{x.fill}, PageSize))
			}
			p.Close()
		})
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		var got []page
		r := NewReader(&file)
		r.Section("pages", func() {
			ReadPages(r, pages, func(first, count uint64, content []byte) error {
				for i := range count {
					fill := byte(0)
					if content != nil {
						fill = content[i*PageSize+1]
					}
					got = append(got, page{first + i, fill})
				}
				return nil
			})
		})
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(all) != fmt.Sprint(got) {
			t.Fatalf("got %v, want %v", got, all)
		}
	})
}

func TestAFileOfAFewBytesDoesNotHoldManyPages(t *testing.T) {
	write := func(count int, limit uint64) []byte {
		var file bytes.Buffer
		c := NewWriter(&file)
		c.Section("pages", func() {
			c.zeros = maxZeroPages - limit
			p := NewPages(c)
			for n := range count {
				p.Put(uint64(n), nil)
			}
			p.Close()
		})
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	read := func(file []byte, left uint64) (pages uint64, err error) {
		c := NewReader(bytes.NewReader(file))
		c.Section("pages", func() {
			c.zeros = maxZeroPages - left
			ReadPages(c, 1000, func(_, count uint64, _ []byte) error {
				pages += count
				return nil
			})
		})
		return pages, c.Close()
	}
	file := write(200, 100)
	if pages, err := read(file, 100); pages != 200 || err != nil || len(file) < 500 {
		t.Errorf("%d pages are read of %d bytes: %v", pages, len(file), err)
	}
	if pages, err := read(file, 99); pages != 0 || err == nil || !strings.HasSuffix(err.Error(), "more than 16384 pages of zeros") {
		t.Errorf("%d pages are read: %v", pages, err)
	}
}

func TestZerosAndRepetitionsTakeNoSpace(t *testing.T) {
	var file bytes.Buffer
	c := NewWriter(&file)
	noise := make([]byte, 1000*PageSize)
	rand.NewChaCha8([32]byte{}).Read(noise)
	sizes := make(map[string]int)
	for _, name := range []string{"zeros", "text", "noise"} {
		before := file.Len()
		c.Section(name, func() {
			p := NewPages(c)
			for n := range 1000 {
				switch name {
				case "zeros":
					p.Put(uint64(n), zeroPage[:])
				case "text":
					p.Put(uint64(n), bytes.Repeat([]byte("text"), PageSize/4))
				case "noise":
					p.Put(uint64(n), noise[n*PageSize:][:PageSize])
				}
			}
			p.Close()
		})
		sizes[name] = file.Len() - before
	}
	if sizes["zeros"] > 40 || sizes["text"] > 40_000 || sizes["noise"] > 1001*PageSize {
		t.Errorf("1,000 pages take %v", sizes)
	}
}

// FuzzRead reads any bytes as what might be a file.
func FuzzRead(f *testing.F) {
	f.Add(written(f, small()))
	f.Fuzz(func(t *testing.T, file []byte) {
		all, err := read(bytes.NewReader(file), 2)
		if failed := Verify(bytes.NewReader(file)); err == nil && failed != nil {
			t.Fatalf("a file that can be read is damaged: %v", failed)
		}
		if err == nil && !bytes.Equal(written(t, all), file) && len(file) > 0 {
			if _, err := read(bytes.NewReader(written(t, all)), 2); err != nil {
				t.Fatalf("what was read cannot be read again: %v", err)
			}
		}
	})
}
