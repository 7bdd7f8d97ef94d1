package candid

import (
	"fmt"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
)

// ratio reports how many times the floor, timed in the same run, an operation
// takes.
func ratio(b *testing.B, floor, op func()) {
	b.Helper()
	var sink time.Duration
	for b.Loop() {
		start := time.Now()
		floor()
		middle := time.Now()
		op()
		sink += middle.Sub(start)
	}
	all := b.Elapsed()
	b.ReportMetric(float64(all-sink)/float64(sink), "×floor")
}

var keep []byte

func BenchmarkABlobOfOneMiBAgainstACopy(b *testing.B) {
	blob := make([]byte, 1<<20)
	for i := range blob {
		blob[i] = byte(i * 7)
	}
	message, err := Marshal(blob)
	if err != nil {
		b.Fatal(err)
	}
	values, types := []Value{Blob(blob)}, []*Type{blobType}
	floor := func() { keep = append(make([]byte, 0, len(blob)), blob...) }
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	for name, op := range map[string]func(){
		"Marshal":     func() { keep, err = Marshal(blob); must(err) },
		"Unmarshal":   func() { must(Unmarshal(message, &keep)) },
		"Encode":      func() { keep, err = Encode(values, types); must(err) },
		"Decode":      func() { _, _, err = Decode(message); must(err) },
		"DecodeTypes": func() { _, err = DecodeTypes(message, types); must(err) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(1 << 20)
			ratio(b, floor, op)
		})
	}
}

func BenchmarkACanisterIDRecordAgainstACopyOfItsBytes(b *testing.B) {
	record := canisterIDRecord{principal.Canister(42)}
	message, err := Marshal(record)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if keep, err = Marshal(record); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := Unmarshal(message, &record); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Copy", func(b *testing.B) {
		for b.Loop() {
			keep = append([]byte(nil), message...)
		}
	})
}

func BenchmarkAVecOfRecordsPerByte(b *testing.B) {
	type entry struct {
		Name  string  `ic:"name"`
		Count uint64  `ic:"count,nat"`
		Note  *string `ic:"note"`
	}
	entries := make([]entry, 1000)
	for i := range entries {
		entries[i] = entry{Name: fmt.Sprint("entry ", i), Count: uint64(i)}
	}
	message, err := Marshal(entries)
	if err != nil {
		b.Fatal(err)
	}
	types := []*Type{}
	typ, err := TypeFor[[]entry]()
	if err != nil {
		b.Fatal(err)
	}
	types = append(types, typ)
	floor := func() { keep = append([]byte(nil), message...) }
	b.Run("Marshal", func(b *testing.B) { ratio(b, floor, func() { keep, _ = Marshal(entries) }) })
	b.Run("Unmarshal", func(b *testing.B) { ratio(b, floor, func() { _ = Unmarshal(message, &entries) }) })
	b.Run("DecodeTypes", func(b *testing.B) { ratio(b, floor, func() { _, _ = DecodeTypes(message, types) }) })
}
