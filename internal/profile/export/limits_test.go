package export_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
)

// triangle is a recursion to a depth, and further functions next to its first frame. Their names have a character of 3
// bytes.
func triangle(depth, further int) *profile.Profile {
	g := &grower{*recursion(depth - 1)}
	for i := range further {
		g.node(profile.Root, profile.Charge, bank, string(rune('一'+i)), "", calls(1, 1))
	}
	return &g.Profile
}

func TestTheStacksOfAFileHave8388608Frames(t *testing.T) {
	const depth, further = 4095, 2048
	for added, want := range []int{depth, depth - 1} {
		deepest, frames := 0, 0
		p := triangle(depth, further+added)
		for _, s := range parsed(t, p).Sample {
			frames, deepest = frames+len(s.Location), max(deepest, len(s.Location))
		}
		if deepest != want || frames > 8_388_608 {
			t.Errorf("a profile with %d frames more has %d frames, at most %d deep, want %d", added, frames, deepest, want)
		}
		if added == 0 && frames != 8_388_608 {
			t.Errorf("the stacks have %d frames", frames)
		}
		if deep := depthInSpeedscope(t, p, depth-1); deep != want {
			t.Errorf("the stacks of the Speedscope file are %d deep, want %d", deep, want)
		}
	}
}

// depthInSpeedscope returns how many frames a stack of the Speedscope file of a profile has. It counts the commas between
// them: decoding all numbers takes several times as long.
func depthInSpeedscope(t *testing.T, p *profile.Profile, stack int) int {
	t.Helper()
	var out strings.Builder
	if err := export.Speedscope(&out, p, names, "deep"); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Profiles []struct{ Samples []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(out.String()), &file); err != nil {
		t.Fatal(err)
	}
	return 1 + bytes.Count(file.Profiles[0].Samples[stack], []byte(","))
}

func TestFoldedStacksHave64MiBOfNames(t *testing.T) {
	const depth, further = 8191, 2047 // a byte is left; a level less saves two bytes
	for added, want := range []int{depth, depth - 2} {
		deepest := 0
		for line := range strings.Lines(folded(t, triangle(depth, further+added))) {
			deepest = max(deepest, 1+strings.Count(line, ";"))
		}
		if deepest != want {
			t.Errorf("with %d frames more the stacks are %d deep, want %d", added, deepest, want)
		}
	}
}

func TestAFrameOfAFoldedStackHas160Characters(t *testing.T) {
	for length, want := range map[int]string{160: strings.Repeat("é", 160), 161: strings.Repeat("é", 159) + "…"} {
		var g grower
		g.node(profile.Root, profile.Host, bank, strings.Repeat("é", length), "", calls(1, 5))
		if got := folded(t, &g.Profile); got != want+" 5\n" {
			t.Errorf("a name of %d characters is written as %q", length, got)
		}
	}
}

// padded returns the unpacked file of a profile with a field of a total size, which is not read.
func padded(t *testing.T, size int) []byte {
	t.Helper()
	file := unzipped(t, written(t, withdrawals(1)))
	const documentation = 15
	file = protowire.AppendTag(file, documentation, protowire.BytesType)
	padding := size - len(file) - protowire.SizeVarint(uint64(size))
	return protowire.AppendBytes(file, make([]byte, padding))
}

// read returns the error of reading a file.
func read(file []byte) error {
	_, err := export.Read(bytes.NewReader(file))
	return err
}

func wantLimit(t *testing.T, what string, fits, exceeds error, want string) {
	t.Helper()
	if fits != nil {
		t.Errorf("%s at the limit: %v", what, fits)
	}
	if exceeds == nil || !strings.Contains(exceeds.Error(), want) {
		t.Errorf("%s above the limit: the error is %v, want %q", what, exceeds, want)
	}
}

func TestAFileHas128MiBWithoutCompression(t *testing.T) {
	const limit = 128 << 20
	wantLimit(t, "a file", read(zipped(t, padded(t, limit))), read(zipped(t, padded(t, limit+1))), "134_217_728 bytes without compression")
}

// stored returns a file in the form of a compressed one, with a name of a length that gzip ignores.
func stored(t *testing.T, unpacked []byte, name int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	w.Name = strings.Repeat("x", name)
	if _, err := w.Write(unpacked); err != nil || w.Close() != nil {
		t.Fatal("compressing failed")
	}
	return out.Bytes()
}

func TestAFileHas64MiB(t *testing.T) {
	const limit = 64 << 20
	file := func(size int) []byte {
		const name = 100 // bytes, about
		inside := stored(t, padded(t, size), 0)
		data := padded(t, 2*size-len(inside)-name)
		return stored(t, data, size-len(stored(t, data, 1))+1)
	}
	for _, size := range []int{limit, limit + 1} {
		if n := len(file(size)); n != size {
			t.Fatalf("the file has %d bytes, want %d", n, size)
		}
	}
	wantLimit(t, "a file", read(file(limit)), read(file(limit+1)), "more than 67_108_864 bytes: profile less")
}

func TestAFileHas2097152StringsFunctionsAndLocations(t *testing.T) {
	head := unzipped(t, written(t, withdrawals(1)))
	entries := 0
	for rest := head; len(rest) > 0; {
		number, kind, n := protowire.ConsumeTag(rest)
		if number == 1 || number >= 3 && number <= 6 {
			entries++
		}
		rest = rest[n+protowire.ConsumeFieldValue(number, kind, rest[n:]):]
	}
	file := func(n int) []byte {
		return zipped(t, append(bytes.Clone(head), bytes.Repeat([]byte{0x32, 0}, n-entries)...))
	}
	wantLimit(t, "a file", read(file(2_097_152)), read(file(2_097_153)), "more than 2_097_152 strings")
}

func TestTheSamplesThatAreReadHave8388608Frames(t *testing.T) {
	head := unzipped(t, written(t, &profile.Profile{}))
	file := func(frames int) []byte {
		sample := protowire.AppendTag(nil, 1, protowire.BytesType)
		sample = protowire.AppendBytes(sample, bytes.Repeat([]byte{1}, frames))
		sample = append(sample, 0x12, 4, 0, 0, 0, 0)
		return zipped(t, protowire.AppendBytes(protowire.AppendTag(bytes.Clone(head), 2, protowire.BytesType), sample))
	}
	wantLimit(t, "a file", read(file(8_388_608)), read(file(8_388_609)), "more than 8_388_608 frames")
}

func TestAProfileThatIsReadHasTheNodesAndNamesOfAProfile(t *testing.T) {
	const wide, deep = 511, 512 // 511 nodes with 512 each, and the root
	var g grower
	for i := range wide {
		at := g.node(profile.Root, profile.Function, bank, fmt.Sprint("f", i), "", calls(1, 1))
		for j := range deep {
			g.node(at, profile.Host, bank, fmt.Sprint("g", j), "", calls(1, 1))
		}
	}
	full := written(t, &g.Profile)
	got, err := export.Read(bytes.NewReader(full))
	if err != nil || len(got.Nodes) != profile.MaxNodes {
		t.Fatalf("a full profile is not read: %v", err)
	}
	sample := []byte{0x12, 10, 0x0a, 2, 2, 2, 0x12, 4, 0, 0, 0, 0} // the first function below itself
	wantLimit(t, "a profile", nil, read(zipped(t, append(unzipped(t, full), sample...))), "more than 262_144 nodes or 8_388_608 bytes of names")
}
