package candid

import (
	"bytes"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// many is a vec of records that differ, with a part of every type that is in blocks.
func many(n int) Vec {
	all := make(Vec, n)
	for i := range all {
		all[i] = Record{
			{Numbered(0), NatOf(uint64(i) << 40)},
			{Numbered(1), IntOf(-int64(i))},
			{Numbered(2), Text(strings.Repeat("x", i%(2*maxSharedText)))},
			{Numbered(3), Record{{Numbered(7), Text("inner")}}},
		}
	}
	return all
}

func TestValuesThatShareMemoryKeepTheirTypesAndContents(t *testing.T) {
	want := many(1000)
	typ, err := TypeOf(want)
	if err != nil {
		t.Fatal(err)
	}
	message, err := Encode([]Value{want}, []*Type{typ})
	if err != nil {
		t.Fatal(err)
	}
	atTypes, err := DecodeTypes(message, []*Type{typ})
	if err != nil {
		t.Fatal(err)
	}
	own, _, err := Decode(message)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	for i := range message {
		message[i] = 0xff // the values have copies
	}
	for _, got := range []Value{atTypes[0], own[0]} {
		if !reflect.DeepEqual(got, Value(want)) {
			t.Errorf("got %s", clip(Format(got)))
		}
	}
}

func TestBlocksGrowAndRoomDoesNotOverlap(t *testing.T) {
	const most = 127 // numbers of 8 bytes
	var b block[int]
	var sizes []int
	for n := range 4 * most {
		room := append(b.take(1), -1) // must not reach into the next room
		room[0] = n
		if sizes == nil || sizes[len(sizes)-1] != len(b.parts) {
			sizes = append(sizes, len(b.parts))
		}
	}
	if want := []int{1, 2, 4, 8, 16, 32, 64, most}; !reflect.DeepEqual(sizes, want) {
		t.Errorf("the blocks have %d elements, want %d", sizes, want)
	}
	if room := b.take(3 * most); len(room) != 3*most {
		t.Errorf("got room for %d elements, want %d", len(room), 3*most)
	}
}

func TestAMessageOfRecordsIsReadWithFewAllocations(t *testing.T) {
	type entry struct {
		Name  string `ic:"name"`
		Count uint64 `ic:"count,nat"`
	}
	entries := make([]entry, 1000)
	for i := range entries {
		entries[i] = entry{"the name of an entry", uint64(i)}
	}
	message, err := Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	typ, err := TypeFor[[]entry]()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		most float64
		do   func() error
	}{
		"Marshal":     {20, func() error { _, err := Marshal(entries); return err }},
		"Unmarshal":   {50, func() error { return Unmarshal(message, &entries) }},
		"DecodeTypes": {400, func() error { _, err := DecodeTypes(message, []*Type{typ}); return err }},
	} {
		got := testing.AllocsPerRun(10, func() {
			if err := c.do(); err != nil {
				t.Fatal(err)
			}
		})
		if got > c.most {
			t.Errorf("%s makes %v allocations, want at most %v", name, got, c.most)
		}
	}
}

func TestATextThatIsKeptKeepsLittleOfItsMessage(t *testing.T) {
	const texts, messages = 2_000, 100
	type entry struct {
		Name string `ic:"name"`
	}
	entries := make([]entry, texts)
	for i := range entries {
		entries[i].Name = strings.Repeat("n", 1+i%maxSharedText)
	}
	message, err := Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	types := mustTypes[[]entry](t)
	for reader, c := range map[string]struct {
		most int // bytes for each text
		read func(i int) any
	}{
		"Unmarshal": {2 * maxTextBlock, func(i int) any {
			var got []entry
			if err := Unmarshal(message, &got); err != nil {
				t.Fatal(err)
			}
			return got[i].Name
		}},
		"DecodeTypes": {8 * maxTextBlock, func(i int) any { // the texts of a block are in several blocks of bytes
			got, err := DecodeTypes(message, types)
			if err != nil {
				t.Fatal(err)
			}
			return got[0].(Vec)[i].(Record)[0].Value
		}},
	} {
		var kept [messages]any
		before := heapBytes()
		for i := range kept {
			kept[i] = c.read(texts/2 + i)
		}
		if grown := heapBytes() - before; grown > messages*c.most {
			t.Errorf("%s: %d texts keep %d bytes, want at most %d each", reader, messages, grown, c.most)
		}
		runtime.KeepAlive(&kept)
	}
}

// heapBytes returns the bytes of the heap that are in use.
func heapBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestTextsOfRecordsAreReadAndCheckedAtAllLengths(t *testing.T) {
	type entry struct {
		Name string `ic:"name"`
	}
	for length := 1; length < maxSharedText+8; length++ {
		for at := range length {
			for _, part := range []string{"a", "\x80", "\xff", "é", "€"} {
				text := strings.Repeat("a", at) + part + strings.Repeat("b", length-at-1)
				valid := strings.Repeat("x", len(text))
				message, err := Marshal([]entry{{valid}, {""}, {valid}})
				if err != nil {
					t.Fatal(err)
				}
				var got []entry
				err = Unmarshal(bytes.ReplaceAll(message, []byte(valid), []byte(text)), &got)
				if utf8.ValidString(text) != (err == nil) || err == nil && !slices.Equal(got, []entry{{text}, {""}, {text}}) {
					t.Fatalf("%q: %q, %v", text, got, err)
				}
			}
		}
	}
}

func TestTextsOfAllLengthsAreCheckedLikeByTheStandardLibrary(t *testing.T) {
	for length := range 40 {
		ascii := bytes.Repeat([]byte("a"), length)
		if !validText(ascii) {
			t.Errorf("%d bytes of ASCII are not a text", length)
		}
		for at := range ascii {
			for _, part := range []string{"\x80", "\xff", "é", "€"} {
				text := slices.Concat(ascii[:at], []byte(part), ascii[at+1:])
				if validText(text) != utf8.Valid(text) {
					t.Errorf("%q: %v", text, validText(text))
				}
			}
		}
	}
}
