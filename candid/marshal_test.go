package candid

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
)

type canisterIDRecord struct {
	CanisterID principal.Principal `ic:"canister_id"`
}

type everything struct {
	Flag     bool                `ic:"flag"`
	Word     string              `ic:"word"`
	U8       uint8               `ic:"u8"`
	U64      uint64              `ic:"u64"`
	I16      int16               `ic:"i16"`
	I64      int64               `ic:"i64"`
	U        uint                `ic:"u"`
	I        int                 `ic:"i"`
	N        Nat                 `ic:"n"`
	Z        Int                 `ic:"z"`
	Cycles   uint64              `ic:"cycles,nat"`
	Delta    int32               `ic:"delta,int"`
	Big      big.Int             `ic:"big"`
	MaybeNat *uint64             `ic:"maybe_nat,nat"`
	Nats     []uint64            `ic:"nats,nat"`
	F32      float32             `ic:"f32"`
	F64      float64             `ic:"f64"`
	Blob     []byte              `ic:"blob"`
	Blobs    [][]byte            `ic:"blobs"`
	Who      principal.Principal `ic:"who"`
	Where    Service             `ic:"where"`
	Call     Func                `ic:"call"`
	Nothing  Null                `ic:"nothing"`
	Held     Reserved            `ic:"held"`
	Maybe    *string             `ic:"maybe"`
	Twice    **string            `ic:"twice"`
	Pair     pairOfTwo           `ic:"pair"`
	State    state               `ic:"state"`
	Hidden   func()              `ic:"-"`
	NoTag    string
	private  int //nolint:unused // that it is left out is the test
}

type pairOfTwo struct {
	A string `ic:"0"`
	B uint8  `ic:"1"`
}

type state struct {
	Running *Null   `ic:"running,variant"`
	Stopped *string `ic:"stopped,variant"`
	Number  *uint64 `ic:"number,variant,nat"`
}

type list struct {
	Head int   `ic:"head"`
	Tail *list `ic:"tail"`
}

func marshal(t *testing.T, args ...any) []byte {
	t.Helper()
	message, err := Marshal(args...)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func TestGoValuesRoundTripThroughAMessage(t *testing.T) {
	word, cycles := "☃", uint64(1)<<63
	pointer := &word
	huge, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)
	want := everything{
		Flag: true, Word: "word", U8: 255, U64: math.MaxUint64, I16: -2, I64: math.MinInt64, U: 7, I: -7,
		N: NatOf(300), Z: IntOf(-300), Cycles: 1 << 62, Delta: -5, MaybeNat: &cycles, Nats: []uint64{1, 2},
		F32: 1.5, F64: -2.5, Blob: []byte{1, 2}, Blobs: [][]byte{{}, {9}}, Who: principal.Canister(7),
		Where: Service(principal.Canister(8)), Call: Func{principal.Canister(9), "m"},
		Maybe: pointer, Twice: &pointer, Pair: pairOfTwo{"a", 1}, State: state{Number: &cycles}, NoTag: "noTag",
	}
	want.Big.Set(huge)
	var got everything
	if err := Unmarshal(marshal(t, want), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestStructsWriteTheMessageTheirTypeSays(t *testing.T) {
	message := marshal(t, canisterIDRecord{principal.MustFromBytes([]byte{0xca, 0xff, 0xee})}, uint8(1))
	want := "DIDL\x01\x6c\x01\xb3\xc4\xb1\xf2\x04\x68\x02\x00\x7b\x01\x03\xca\xff\xee\x01"
	if string(message) != want {
		t.Errorf("got %x, want %x", message, want)
	}
}

func TestRecursiveGoTypesRoundTrip(t *testing.T) {
	want := list{1, &list{2, &list{3, nil}}}
	var got list
	if err := Unmarshal(marshal(t, want), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	loop := &list{Head: 1}
	loop.Tail = loop
	if _, err := Marshal(*loop); err == nil {
		t.Error("a list that never ends was written")
	}
}

// text is the message of a textual argument list at its own types.
func text(t *testing.T, args string) []byte {
	t.Helper()
	values, err := ParseArgs(args)
	if err != nil {
		t.Fatal(err)
	}
	message, err := EncodeValues(values...)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func TestUnmarshalFollowsSubtyping(t *testing.T) {
	type wanted struct {
		ID    int     `ic:"id"`
		Name  *string `ic:"name"`
		Extra *uint64 `ic:"extra"`
		State *state  `ic:"state"`
	}
	for args, want := range map[string]string{
		`(record { id = 5 : nat; other = vec { 1 }; name = "n" })`:                  "5 n nil false",
		`(record { id = 5; extra = opt "not a number" })`:                           "5 nil nil false",
		`(record { id = 5; extra = opt (9 : nat64); state = variant { new = 1 } })`: "5 nil 9 false",
		`(record { id = 5; state = opt variant { stopped = "s" } }, "more")`:        "5 nil nil true",
		`(record { id = 5; name = null : reserved })`:                               "5 nil nil false",
	} {
		var got wanted
		if err := Unmarshal(text(t, args), &got); err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		name, extra := "nil", "nil"
		if got.Name != nil {
			name = *got.Name
		}
		if got.Extra != nil {
			extra = NatOf(*got.Extra).String()
		}
		shown := IntOf(int64(got.ID)).String() + " " + name + " " + extra
		shown += map[bool]string{true: " true", false: " false"}[got.State != nil && *got.State.Stopped == "s"]
		if shown != want {
			t.Errorf("%s: got %s, want %s", args, shown, want)
		}
	}
}

func TestUnmarshalSaysWhereAMessageDoesNotFit(t *testing.T) {
	type inner struct {
		Count uint8 `ic:"count"`
	}
	type outer struct {
		Items []inner `ic:"items"`
	}
	var got outer
	err := Unmarshal(text(t, `(record { items = vec { record { count = "x" } } })`), &got)
	if err == nil || !strings.Contains(err.Error(), "argument 0.items.vec element.count") || !strings.Contains(err.Error(), "text cannot be read as nat8") {
		t.Errorf("got %v", err)
	}
	if err := Unmarshal(text(t, `()`), &got); err == nil || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("got %v", err)
	}
}

func TestANumberTooLargeForItsGoTypeIsAnErrorEvenUnderAnOption(t *testing.T) {
	var got struct {
		N *uint64 `ic:"n,nat"`
	}
	if err := Unmarshal(text(t, `(record { n = opt (18446744073709551616 : nat) })`), &got); err == nil {
		t.Errorf("got %v", *got.N)
	}
}

type transform Func

func (transform) CandidType() *Type {
	return &Type{kind: KindFunc, fn: &Signature{Args: []*Type{blobType}, Results: []*Type{blobType}, Annotation: Query}}
}

func TestReferencesAreReadOnlyAtTheirDeclaredType(t *testing.T) {
	var got *transform
	want := transform{principal.Canister(1), "t"}
	if err := Unmarshal(marshal(t, want), &got); err != nil || got == nil || *got != want {
		t.Errorf("got %v, %v", got, err)
	}
	if err := Unmarshal(marshal(t, Func{principal.Canister(1), "t"}), &got); err != nil || got != nil {
		t.Errorf("a func of another type: got %v, %v", got, err)
	}
}

func TestGoTypesThatHaveNoCandidTypeAreRefused(t *testing.T) {
	for _, arg := range []any{
		nil,
		make(chan int),
		map[string]int{},
		struct {
			A int `ic:"a,tuple"`
		}{},
		struct {
			A int `ic:"a,wrong"`
		}{},
		struct {
			A *int `ic:"a,variant"`
			B int  `ic:"b"`
		}{},
		struct {
			A int `ic:"a"`
			B int `ic:"a"`
		}{},
		state{},
		"\xff",
	} {
		if message, err := Marshal(arg); err == nil {
			t.Errorf("%T was written as %x", arg, message)
		}
	}
}

func TestTheSkipQuotaBoundsWhatIsIgnored(t *testing.T) {
	message := marshal(t, canisterIDRecord{}, make([]byte, 20_000))
	var got canisterIDRecord
	if err := Unmarshal(message, &got); err != nil {
		t.Error(err)
	}
	err := Quota{Skip: 10_000}.Unmarshal(message, &got)
	if e, ok := err.(*DecodeError); !ok || e.Kind != Limit {
		t.Errorf("got %v", err)
	}
}

func TestBlobsAreCopiedNotShared(t *testing.T) {
	message := marshal(t, []byte("abc"))
	var got []byte
	if err := Unmarshal(message, &got); err != nil {
		t.Fatal(err)
	}
	clear(message)
	if !bytes.Equal(got, []byte("abc")) {
		t.Errorf("got %q", got)
	}
}

func TestUnmarshalInPlaceDoesNotCopyBlobs(t *testing.T) {
	type entry struct {
		Content []byte `ic:"content"`
		Name    string `ic:"name"`
	}
	message, err := Marshal(entry{[]byte("abc"), "abc"})
	if err != nil {
		t.Fatal(err)
	}
	var inPlace, copied entry
	if err := errors.Join(UnmarshalInPlace(message, &inPlace), Unmarshal(message, &copied)); err != nil {
		t.Fatal(err)
	}
	for i := range message {
		message[i] = 'x'
	}
	if string(inPlace.Content) != "xxx" || cap(inPlace.Content) != 3 || inPlace.Name != "abc" {
		t.Errorf("in place: %q with room for %d bytes, and %q", inPlace.Content, cap(inPlace.Content), inPlace.Name)
	}
	if string(copied.Content) != "abc" {
		t.Errorf("copied: %q", copied.Content)
	}
}
