package candid

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

// seeds are messages that reach most of the readers.
func seeds(f *testing.F) {
	f.Helper()
	add := func(args string) {
		values, err := ParseArgs(args)
		if err != nil {
			f.Fatal(err)
		}
		message, err := EncodeValues(values...)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(message)
	}
	add(`()`)
	add(`(record { a = opt 5; b = vec { "x"; "y" }; c = variant { ok = blob "\00\01" } }, null)`)
	add(`(1 : nat, -1, 1 : nat8, -1 : int16, 1.5, 1.5 : float32, true, principal "aaaaa-aa")`)
	add(`(func "aaaaa-aa".x, service "aaaaa-aa", vec { vec {} }, record { 1; record { "a" } })`)
	add(`(record { id = 5; name = opt "n"; extra = 7 : nat64; state = variant { number = 3 : nat } })`)
	for _, message := range hostileMessages() {
		if len(message) < 100 {
			f.Add(message)
		}
	}
	f.Add([]byte("DIDL\x02\x6e\x01\x6c\x02\xa0\xd2\xac\xa8\x04\x7c\x90\xed\xda\xe7\x04\x00\x01\x00\x01\x01\x01\x02\x00"))
	f.Add([]byte("DIDL\x02\x6a\x01\x71\x01\x7d\x00\x69\x01\x03foo\x00\x01\x01\x01\x03\xca\xff\xee"))
	f.Add([]byte("DIDL\x01\x67\x03ABC\x02\x00\x7e\x05\x00hello\x01"))
}

func limited(err error) bool {
	var e *DecodeError
	return errors.As(err, &e) && e.Kind == Limit
}

func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message []byte) {
		values, types, err := Decode(message)
		if err != nil {
			return
		}
		again, err := Encode(values, types)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		values2, err := DecodeTypes(again, types)
		if limited(err) {
			return
		}
		if err != nil || !Equal(Vec(values), Vec(values2)) {
			t.Fatalf("%s written and read again: %s, %v", FormatArgs(values), FormatArgs(values2), err)
		}
	})
}

// fuzzTypes are the types messages are read at.
func fuzzTypes(tb testing.TB) []*Type {
	tb.Helper()
	must := func(t *Type, err error) *Type {
		if err != nil {
			tb.Fatal(err)
		}
		return t
	}
	list, define := Recursive("List")
	define(OptOf(must(RecordOf(Field{Named("head"), KindInt.Type()}, Field{Named("tail"), list}))))
	forever, define := Recursive("Forever")
	define(OptOf(forever))
	fn := must(FuncOf(Signature{Args: []*Type{KindText.Type()}, Results: []*Type{list}}))
	return []*Type{
		list, forever, fn, must(ServiceOf(Method{"foo", fn})), KindPrincipal.Type(), KindReserved.Type(),
		OptOf(fn), blobType, VecOf(OptOf(KindInt.Type())), KindNull.Type(), OptOf(KindEmpty.Type()),
		must(VariantOf(Field{Named("ok"), OptOf(blobType)}, Field{Named("err"), KindText.Type()})),
		must(RecordOf(Field{Named("a"), OptOf(KindInt.Type())}, Field{Named("c"), OptOf(KindBool.Type())}, Field{Numbered(1), OptOf(forever)})),
	}
}

func FuzzDecodeTypes(f *testing.F) {
	seeds(f)
	types := fuzzTypes(f)
	f.Fuzz(func(t *testing.T, message []byte) {
		wire, wireTypes, decodeErr := Decode(message)
		for _, want := range types {
			expected := []*Type{want}
			values, err := DecodeTypes(message, expected)
			var reason *DecodeError
			if err != nil && !errors.As(err, &reason) {
				t.Fatalf("at %s: %v", want, err)
			}
			if err == nil && decodeErr != nil && !limited(decodeErr) {
				t.Fatalf("at %s a malformed message was read: %v", want, decodeErr)
			}
			if decodeErr == nil && err != nil && reason.Kind != Limit && len(wireTypes) > 0 && Subtype(wireTypes[0], want) && !endless(want, wireTypes[0]) {
				t.Fatalf("%s : %s is a subtype of %s and not read: %v", FormatArgs(wire), wireTypes[0], want, err)
			}
			if err != nil {
				continue
			}
			again, err := Encode(values, expected)
			if err != nil {
				t.Fatalf("at %s, what was read cannot be written: %v", want, err)
			}
			if values2, err := DecodeTypes(again, expected); !limited(err) && (err != nil || !Equal(Vec(values), Vec(values2))) {
				t.Fatalf("at %s: %s written and read again: %s, %v", want, FormatArgs(values), FormatArgs(values2), err)
			}
		}
	})
}

// endless is the one hole in soundness, which the official suite asks for: a value that is not an option, at a type of
// infinitely nested options.
func endless(want, got *Type) bool {
	return want.Name() == "Forever" && got.Kind() != KindOpt || want.Kind() == KindRecord
}

type fuzzTarget struct {
	ID    int       `ic:"id"`
	Name  *string   `ic:"name"`
	Extra **uint64  `ic:"extra"`
	State *state    `ic:"state"`
	List  *list     `ic:"list"`
	Blobs []*[]byte `ic:"blobs"`
	Held  Reserved  `ic:"held"`
	Call  *Func     `ic:"call"`
	Big   Int       `ic:"big"`
}

func FuzzUnmarshalAgreesWithDecodeTypes(f *testing.F) {
	seeds(f)
	name, n := "n", uint64(1)
	extra := &n
	blob := []byte("b")
	message, err := Marshal(fuzzTarget{
		Name: &name, Extra: &extra, State: &state{Stopped: &name}, List: &list{Tail: &list{}},
		Blobs: []*[]byte{nil, &blob}, Call: &Func{}, Big: IntOf(1),
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(message)
	typ, err := TypeFor[fuzzTarget]()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		var got fuzzTarget
		err := Unmarshal(message, &got)
		values, err2 := DecodeTypes(message, []*Type{typ})
		if limited(err) || limited(err2) {
			return
		}
		if (err == nil) != (err2 == nil) {
			if values != nil && hasWideNumber(values[0]) {
				return // fits the type and not the Go value
			}
			t.Fatalf("Unmarshal: %v; DecodeTypes: %v", err, err2)
		}
		if err != nil {
			return
		}
		a, err := Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Encode(values, []*Type{typ})
		if err != nil || !bytes.Equal(a, b) {
			t.Fatalf("Marshal %x, Encode %x, %v", a, b, err)
		}
		var again fuzzTarget
		if err := Unmarshal(a, &again); err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("%+v and again %+v, %v", got, again, err)
		}
	})
}

// hasWideNumber reports whether a value has a number of more than 63 bits.
func hasWideNumber(v Value) bool {
	switch v := v.(type) {
	case Nat:
		_, ok := v.Uint64()
		return !ok
	case Int:
		_, ok := v.Int64()
		return !ok
	case Opt:
		return v.Value != nil && hasWideNumber(v.Value)
	case Variant:
		return hasWideNumber(v.Value)
	case Record:
		for _, f := range v {
			if hasWideNumber(f.Value) {
				return true
			}
		}
	}
	return false
}

func FuzzParseArgs(f *testing.F) {
	for _, text := range []string{
		`(record { a = opt 5; "b c" = vec { "x"; "\u{1f402}\ff" }; 7 = variant { ok = blob "\00" } }, null)`,
		`(1 : nat, -1.5e3 : float32, 0x1.8p3, /* a /* b */ */ func "aaaaa-aa".x, (5 : int8)) // end`,
		`(vec { record { 1; 2 }; record { 3; 4 } } : vec record { nat8; opt int }, nan, -inf)`,
		`(vec { variant { a }; variant { b = vec {} } }, service "aaaaa-aa", principal "2vxsx-fae",)`,
	} {
		f.Add(text)
	}
	f.Add(`(opt record { head = 1; tail = opt record { head = 2 } })`)
	f.Add(`(variant { ok = "x" })`)
	f.Add(`(record { a = 1; b = 2; c = true; opt null })`)
	types := fuzzTypes(f)
	f.Fuzz(func(t *testing.T, text string) {
		values, err := ParseArgs(text)
		if err != nil {
			return
		}
		for _, typ := range types {
			checkTextAtType(t, text, typ)
		}
		for _, v := range values {
			if _, err := TypeOf(v); err == nil && Equal(v, v) && !hasNaN(v) {
				checkReadsBack(t, v)
			}
		}
	})
}

// checkTextAtType checks that what a text means at a type can be written, and
// read as the same.
func checkTextAtType(t *testing.T, text string, typ *Type) {
	t.Helper()
	types := []*Type{typ}
	values, err := ParseArgsAt(text, types)
	if err != nil {
		return
	}
	message, err := Encode(values, types)
	if err != nil {
		t.Fatalf("%s at %s cannot be written: %v", FormatArgs(values), typ, err)
	}
	if again, err := DecodeTypes(message, types); !limited(err) && (err != nil || !Equal(Vec(again), Vec(values))) {
		t.Fatalf("%s at %s comes back as %s, %v", FormatArgs(values), typ, FormatArgs(again), err)
	}
}

// hasNaN reports whether a value has a NaN, whose bits its text does not keep.
func hasNaN(v Value) bool {
	switch v := v.(type) {
	case Float32:
		return v != v
	case Float64:
		return v != v
	case Opt:
		return v.Value != nil && hasNaN(v.Value)
	case Variant:
		return hasNaN(v.Value)
	case Record:
		for _, f := range v {
			if hasNaN(f.Value) {
				return true
			}
		}
	case Vec:
		for _, e := range v {
			if hasNaN(e) {
				return true
			}
		}
	}
	return false
}
