package candid

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"runtime"
	"strings"
	"testing"
	"time"
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

func TestHostileMessagesAreRefusedCheaply(t *testing.T) {
	for name, message := range hostileMessages() {
		for reader, read := range readers {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := read(message)
			runtime.ReadMemStats(&after)
			var reason *DecodeError
			if !errors.As(err, &reason) {
				t.Errorf("%s by %s: got %v", name, reader, err)
			}
			most := uint64(40<<20 + 200*len(message))
			if used := after.TotalAlloc - before.TotalAlloc; used > most {
				t.Errorf("%s by %s: %d MiB were allocated for %d bytes", name, reader, used>>20, len(message))
			}
		}
	}
}

func TestLongNumbersCostTheirLength(t *testing.T) {
	n := new(big.Int).Lsh(big.NewInt(1), 8*128<<10)
	n.Sub(n, big.NewInt(12345))
	nat, err := NatOfBig(n)
	if err != nil {
		t.Fatal(err)
	}
	values := []Value{nat, IntOfBig(n), IntOfBig(new(big.Int).Neg(n))}
	least := time.Duration(math.MaxInt64)
	floor := least
	for range 5 { // the processor may be taken away during some of them
		start := time.Now()
		message, err := EncodeValues(values...)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Decode(message)
		if err != nil || !Equal(Vec(got), Vec(values)) {
			t.Fatalf("a number of 128 KiB does not round-trip: %v", err)
		}
		copied := time.Now()
		for range 1000 {
			keep = append([]byte(nil), message...)
		}
		least, floor = min(least, copied.Sub(start)), min(floor, time.Since(copied))
	}
	if least > 20*floor {
		t.Errorf("three numbers of 128 KiB took %v, a thousand copies of the message %v", least, floor)
	}
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
