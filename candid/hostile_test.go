package candid

import (
	"bytes"
	"errors"
	"math/big"
	"runtime"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// readers are the three ways to read a message; each target type accepts
// anything by subtyping or refuses it, none may cost much.
var readers = map[string]func(message []byte) error{
	"Decode": func(message []byte) error {
		_, _, err := Decode(message)
		return err
	},
	"DecodeTypes at no arguments": func(message []byte) error {
		_, err := DecodeTypes(message, nil)
		return err
	},
	"DecodeTypes at options": func(message []byte) error {
		_, err := DecodeTypes(message, []*Type{OptOf(VecOf(OptOf(TupleOf(OptOf(KindNat.Type())))))})
		return err
	},
	"Unmarshal": func(message []byte) error {
		var got *[]struct {
			N *[]*list `ic:"0"`
		}
		return Unmarshal(message, &got)
	},
}

func concat(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		case int:
			b = appendUleb(b, uint64(p))
		}
	}
	return b
}

// chain is a table of n types, each opt of the next, the last opt null.
func chain(n int) []byte {
	b := concat("DIDL", n)
	for i := range n - 1 {
		b = appendSleb(append(b, 0x6e), int64(i+1))
	}
	return append(b, 0x6e, 0x7f)
}

func hostileMessages() map[string][]byte {
	return map[string][]byte{
		"a record that contains itself":          []byte("DIDL\x01\x6c\x01\x00\x00\x01\x00"),
		"a length of 2^62":                       concat("DIDL\x01\x6d\x7b\x01\x00", 1<<62),
		"a text of 2^63-1 bytes":                 concat("DIDL\x00\x01\x71", 1<<63-1),
		"a vec of 2^40 nulls":                    concat("DIDL\x01\x6d\x7f\x01\x00", 1<<40),
		"a vec of a billion empty records":       concat("DIDL\x02\x6d\x01\x6c\x00\x01\x00", 1_000_000_000),
		"a table of 2^60 types":                  concat("DIDL", 1<<60),
		"a table of a million types":             concat("DIDL", 1_000_000, bytes.Repeat([]byte{0x6e, 0x7f}, 1_000_000), "\x00"),
		"a record of a million fields":           concat("DIDL\x01\x6c", 1_000_000, bytes.Repeat([]byte{1, 0x7f}, 1_000_000), "\x00"),
		"a million arguments":                    concat("DIDL\x00", 1_000_000, bytes.Repeat([]byte{0x7f}, 1_000_000)),
		"options a million deep":                 concat("DIDL\x01\x6e\x00\x01\x00", bytes.Repeat([]byte{1}, 1_000_000), "\x00"),
		"vecs a million deep":                    concat("DIDL\x01\x6d\x00\x01\x00", bytes.Repeat([]byte{1}, 1_000_000), "\x00"),
		"nine thousand types and a false option": concat(chain(9000), "\x01\x00", bytes.Repeat([]byte{1}, 8999), "\x02"),
		"many options of nothing":                concat("DIDL\x02\x6d\x01\x6e\x70\x01\x00", 400_000, bytes.Repeat([]byte{1}, 400_000), "\x00"),
	}
}

// allocated is how many bytes a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestHostileMessagesAreRefusedCheaply(t *testing.T) {
	for name, message := range hostileMessages() {
		for reader, read := range readers {
			var err error
			used := allocated(func() { err = read(message) })
			var reason *DecodeError
			if !errors.As(err, &reason) {
				t.Errorf("%s by %s: got %v", name, reader, err)
			}
			most := uint64(40<<20 + 200*len(message))
			if used > most {
				t.Errorf("%s by %s: %d MiB were allocated for %d bytes", name, reader, used>>20, len(message))
			}
		}
	}
}

// longNumbers are a nat and two ints of a number of bytes.
func longNumbers(t testing.TB, bytes uint) []Value {
	t.Helper()
	n := new(big.Int).Lsh(big.NewInt(1), 8*bytes)
	n.Sub(n, big.NewInt(12345))
	nat, err := NatOfBig(n)
	if err != nil {
		t.Fatal(err)
	}
	return []Value{nat, IntOfBig(n), IntOfBig(new(big.Int).Neg(n))}
}

// roundTrip writes and reads values.
func roundTrip(t testing.TB, values []Value) (message []byte, got []Value) {
	t.Helper()
	message, err := EncodeValues(values...)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err = Decode(message); err != nil {
		t.Fatal(err)
	}
	return message, got
}

// BenchmarkRatioLongNumbers measures their time. A conversion that does more than a constant number of operations with
// whole numbers allocates a result for each.
func TestLongNumbersCostTheirLength(t *testing.T) {
	for _, bytes := range []uint{32 << 10, 128 << 10, 512 << 10} {
		values := longNumbers(t, bytes)
		message, got := roundTrip(t, values)
		if !Equal(Vec(got), Vec(values)) {
			t.Fatalf("a number of %d KiB does not round-trip", bytes>>10)
		}
		used := allocated(func() { roundTrip(t, values) })
		if used > 10*uint64(len(message)) {
			t.Errorf("three numbers of %d KiB allocate %d bytes, more than 10 for each of the %d of their message", bytes>>10, used, len(message))
		}
		if n := testing.AllocsPerRun(3, func() { roundTrip(t, values) }); n > 100 {
			t.Errorf("three numbers of %d KiB make %v allocations", bytes>>10, n)
		}
	}
}

// BenchmarkRatioLongNumbers writes and reads three numbers of 128 KiB. The floor is a copy of the message.
func BenchmarkRatioLongNumbers(b *testing.B) {
	values := longNumbers(b, 128<<10)
	message, _ := roundTrip(b, values)
	ratio.Compare(b, 60, ratio.Each(func() { roundTrip(b, values) }), ratio.Each(func() { keep = append([]byte(nil), message...) }))
}

func TestIntegersRoundTripAtEveryLength(t *testing.T) {
	for bits := range 200 {
		for _, delta := range []int64{-1, 0, 1} {
			n := new(big.Int).Lsh(big.NewInt(1), uint(bits))
			n.Add(n, big.NewInt(delta))
			for _, i := range []*big.Int{n, new(big.Int).Neg(n)} {
				d := decoder{in: appendInt(nil, IntOfBig(i))}
				if got, err := d.int(); err != nil || got.Big().Cmp(i) != 0 || d.pos != len(d.in) {
					t.Fatalf("int %s: got %s, %v", i, got, err)
				}
			}
			nat, err := NatOfBig(n)
			if err != nil {
				t.Fatal(err)
			}
			d := decoder{in: appendNat(nil, nat)}
			if got, err := d.nat(); err != nil || got.Cmp(nat) != 0 {
				t.Fatalf("nat %s: got %s, %v", n, got, err)
			}
		}
	}
}

func TestComparingTypesEndsForTypesThatUnfoldForever(t *testing.T) {
	// Two cycles of coprime lengths meet in as many pairs as their product.
	cycle := func(n int) *Type {
		types := make([]Type, n)
		for i := range types {
			types[i] = Type{kind: KindVec, elem: &types[(i+1)%n]}
		}
		return &types[0]
	}
	if !Subtype(cycle(101), cycle(103)) {
		t.Error("vecs of vecs for ever are equal")
	}
	if err := CheckSubtype(cycle(446), cycle(447)); err != nil {
		t.Errorf("199,362 pairs: %v", err)
	}
	if err := CheckSubtype(cycle(447), cycle(448)); err == nil || !strings.Contains(err.Error(), "more than 200000 pairs") {
		t.Errorf("200,256 pairs were compared: %v", err)
	}
}

func TestValuesNestedTooDeepAreNotWritten(t *testing.T) {
	typ, define := Recursive("Deep")
	define(OptOf(typ))
	v := Value(Opt{})
	for range MaxDepth + 1 {
		v = Opt{v}
	}
	if _, err := Encode([]Value{v}, []*Type{typ}); err == nil {
		t.Error("it was written")
	}
	if _, err := Conform(v, typ); err == nil {
		t.Error("it was conformed")
	}
	if _, err := TypeOf(v); err == nil {
		t.Error("it was given a type")
	}
	_ = Format(v)
}
