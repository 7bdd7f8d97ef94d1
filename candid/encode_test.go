package candid

import (
	"bytes"
	"math/big"
	"strings"
	"testing"
)

func record(t *testing.T, fields ...Field) *Type {
	t.Helper()
	r, err := RecordOf(fields...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestValuesThatDoNotFitTheirTypeAreNotWritten(t *testing.T) {
	text := KindText.Type()
	field := record(t, Field{Named("a"), KindNat.Type()})
	cases, err := VariantOf(Field{Named("a"), text})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		v      Value
		typ    *Type
		reason string
	}{
		{nil, text, "there is no value at type text"},
		{IntOf(1), KindNat.Type(), "of type int cannot be written at type nat"},
		{NatOf(1), KindNat8.Type(), "of type nat cannot be written at type nat8"},
		{Null{}, text, "of type null"},
		{Text("\xff"), text, "valid UTF-8"},
		{Bool(true), KindEmpty.Type(), "at type empty"},
		{NatOf(1), OptOf(KindNat.Type()), "of type nat cannot be written at type opt nat"},
		{Vec{Nat8(1), NatOf(1)}, blobType, "vec element 1: a value of type nat"},
		{Text("x"), blobType, "of type text cannot be written at type blob"},
		{Blob{1}, VecOf(text), "at type vec text"},
		{Vec{Text("x"), Null{}}, VecOf(text), "vec element 1"},
		{Record{}, field, "the record has no field a"},
		{Record{{Named("a"), NatOf(1)}, {Named("b"), NatOf(1)}}, field, "field b is not in the type"},
		{Record{{Named("a"), Text("")}}, field, "field a: a value of type text"},
		{Variant{Named("b"), Null{}}, cases, "has no case b"},
		{Variant{Named("a"), Null{}}, cases, "case a: a value of type null"},
		{Variant{Named("a"), nil}, cases, "there is no value"},
	} {
		message, err := Encode([]Value{c.v}, []*Type{c.typ})
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s at %s: %x, %v, want %s", Format(c.v), c.typ, message, err, c.reason)
		}
	}
	if _, err := Encode([]Value{Null{}}, nil); err == nil {
		t.Error("a value without a type was written")
	}
}

func TestWhatMayStandAtAnotherTypeIsWritten(t *testing.T) {
	empty := record(t, Field{Named("a"), OptOf(KindNat.Type())}, Field{Named("b"), KindReserved.Type()})
	for _, c := range []struct {
		v    Value
		typ  *Type
		want Value
	}{
		{NatOf(1 << 63), KindInt.Type(), NatOf(1 << 63).Int()},
		{Null{}, OptOf(KindText.Type()), Opt{}},
		{Text("x"), KindReserved.Type(), Reserved{}},
		{Vec{Nat8(1), Nat8(2)}, blobType, Blob{1, 2}},
		{Blob{}, VecOf(KindText.Type()), Vec{}},
		{Service{}, KindPrincipal.Type(), Principal{}},
		{Record{}, empty, Record{{Named("a"), Opt{}}, {Named("b"), Reserved{}}}},
	} {
		message, err := Encode([]Value{c.v}, []*Type{c.typ})
		if err != nil {
			t.Errorf("%s at %s: %v", Format(c.v), c.typ, err)
			continue
		}
		if got, _, err := Decode(message); err != nil || !Equal(got[0], c.want) {
			t.Errorf("%s at %s: got %v, %v", Format(c.v), c.typ, got, err)
		}
	}
}

func TestNumbersOfGoTakeTheKindTheirTagAsksFor(t *testing.T) {
	type numbers struct {
		A int64    `ic:"0,nat"`
		B uint16   `ic:"1,int"`
		C big.Int  `ic:"2,nat"`
		D []uint8  `ic:"3,nat"`
		E *big.Int `ic:"4"`
	}
	var want numbers
	want.A, want.B, want.D, want.E = 1, 2, []uint8{3}, big.NewInt(-5)
	want.C.SetUint64(1 << 63)
	message := marshal(t, want)
	args, err := ParseArgsAt(`(record { 1; 2; 9_223_372_036_854_775_808; vec { 3 }; opt -5 })`, mustTypes[numbers](t))
	if err != nil {
		t.Fatal(err)
	}
	if same, err := Encode(args, mustTypes[numbers](t)); err != nil || !bytes.Equal(same, message) {
		t.Errorf("got %x, want %x, %v", message, same, err)
	}
	var got numbers
	if err := Unmarshal(message, &got); err != nil || got.A != 1 || got.B != 2 || got.C.Cmp(&want.C) != 0 || got.E.Cmp(want.E) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, args := range []string{
		`(record { 1 : nat; -2; 0 : nat; vec {}; null })`,
		`(record { 9_223_372_036_854_775_808 : nat; 2; 0 : nat; vec {}; null })`,
		`(record { 1 : nat; 65_536; 0 : nat; vec {}; null })`,
		`(record { 1 : nat; 2; 0 : nat; vec { 256 : nat }; null })`,
	} {
		if err := Unmarshal(text(t, args), &got); err == nil || !strings.Contains(err.Error(), "does not fit") {
			t.Errorf("%s: got %v", args, err)
		}
	}
	for _, bad := range []any{numbers{A: -1}, func() numbers { n := numbers{}; n.C.SetInt64(-1); return n }()} {
		if _, err := Marshal(bad); err == nil {
			t.Errorf("%+v was written", bad)
		}
	}
}

func mustTypes[T any](t *testing.T) []*Type {
	t.Helper()
	typ, err := TypeFor[T]()
	if err != nil {
		t.Fatal(err)
	}
	return []*Type{typ}
}

func TestTypesTellWhatTheyAreMadeOf(t *testing.T) {
	typ, define := Recursive("T")
	define(record(t, Field{Named("a"), blobType}, Field{Named("next"), OptOf(typ)}))
	if typ.Kind() != KindRecord || typ.Name() != "T" || typ.String() != "T" || len(typ.Fields()) != 2 ||
		!typ.Fields()[0].Type.IsBlob() || typ.Fields()[1].Type.Elem() != typ {
		t.Errorf("got %s = %s", typ, typ.Definition())
	}
	if got := typ.Definition(); got != "record { a : blob; next : opt T }" {
		t.Errorf("got %s", got)
	}
	if err := CheckSubtype(VecOf(typ), VecOf(record(t, Field{Named("a"), KindText.Type()}))); err == nil ||
		err.Error() != "in the elements of a vec, field a: blob is not a subtype of text: they are different kinds of types" {
		t.Errorf("got %v", err)
	}
}
