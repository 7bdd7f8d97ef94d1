package candid

import (
	"reflect"
	"testing"

	agent "github.com/aviate-labs/agent-go/candid"
	agentidl "github.com/aviate-labs/agent-go/candid/idl"
	agentprincipal "github.com/aviate-labs/agent-go/principal"
	older "github.com/aviate-labs/candid-go/idl"
	"pgregory.net/rapid"
)

// The two public Go libraries are oracles where they are right. Left out,
// because they are wrong there:
//
//   - int8, int16, int32 and int64 below −127 and the like: agent-go and
//     candid-go write int32(−65535) as −255;
//   - names that are not ASCII: both hash runes instead of bytes;
//   - reading and writing again a record or a variant: the ids they read are
//     hashed a second time as names, or no value is found (so records and
//     variants are compared through Go structs, in each direction by itself);
//   - nat and int by candid-go: it reads values that its own writer refuses;
//   - service references by both, func references by candid-go: "EOF";
//   - everything hostile: see the tests of hostile messages.

type agentRecord struct {
	Name  string       `ic:"name"`
	Count agentidl.Nat `ic:"count"`
	Note  *string      `ic:"note,omitempty"`
	Tags  []string     `ic:"tags"`
	Inner agentInner   `ic:"inner"`
	Kind  agentVariant `ic:"kind"`
	More  *agentInner  `ic:"more"`
	List  []agentInner `ic:"list"`
}

type agentInner struct {
	A bool   `ic:"a"`
	B uint64 `ic:"b"`
}

type agentVariant struct {
	Ok  *string       `ic:"ok,variant"`
	Err *agentInner   `ic:"err,variant"`
	Num *agentidl.Int `ic:"num,variant"`
}

type ourRecord struct {
	Name  string       `ic:"name"`
	Count Nat          `ic:"count"`
	Note  *string      `ic:"note"`
	Tags  []string     `ic:"tags"`
	Inner agentInner   `ic:"inner"`
	Kind  ourVariant   `ic:"kind"`
	More  *agentInner  `ic:"more"`
	List  []agentInner `ic:"list"`
}

type ourVariant struct {
	Ok  *string     `ic:"ok,variant"`
	Err *agentInner `ic:"err,variant"`
	Num *Int        `ic:"num,variant"`
}

// pairs of Go values that mean the same to agent-go and to us.
func pairsOfValues() map[string][2]any {
	word, n := "w", agentidl.NewInt(-70)
	our := IntOf(-70)
	inner := agentInner{true, 1 << 40}
	return map[string][2]any{
		"nat":       {agentidl.NewNat(uint(300)), NatOf(300)},
		"int":       {agentidl.NewInt(-300), IntOf(-300)},
		"large nat": {agentidl.NewNatFromString("340282366920938463463374607431768211456"), literalNat("340282366920938463463374607431768211456")},
		"text":      {"héllo", "héllo"},
		"opt":       {&word, &word},
		"blob":      {[]byte{0, 1, 255}, []byte{0, 1, 255}},
		"principal": {agentprincipal.MustDecode("w7x7r-cok77-xa"), mustPrincipal("w7x7r-cok77-xa")},
		"variant":   {agentVariant{Num: &n}, ourVariant{Num: &our}},
		"record": {
			agentRecord{"n", agentidl.NewNat(uint(5)), &word, []string{"a", "b"}, inner, agentVariant{Err: &inner}, &inner, []agentInner{inner, {}}},
			ourRecord{"n", NatOf(5), &word, []string{"a", "b"}, inner, ourVariant{Err: &inner}, &inner, []agentInner{inner, {}}},
		},
	}
}

func literalNat(digits string) Nat {
	v, err := ParseValueAt(digits, KindNat.Type())
	if err != nil {
		panic(err)
	}
	return v.(Nat)
}

func mustPrincipal(text string) Principal {
	v, err := ParseValue(`principal "` + text + `"`)
	if err != nil {
		panic(err)
	}
	return v.(Principal)
}

func TestAgentGoAndWeReadEachOthersGoValues(t *testing.T) {
	for name, pair := range pairsOfValues() {
		theirs, ours := pair[0], pair[1]
		message, err := agent.Marshal([]any{theirs})
		if err != nil {
			t.Errorf("%s: agent-go cannot write it: %v", name, err)
			continue
		}
		got := reflect.New(reflect.TypeOf(ours))
		if err := Unmarshal(message, got.Interface()); err != nil || !reflect.DeepEqual(got.Elem().Interface(), ours) {
			t.Errorf("%s: from agent-go's %x we read %+v, %v", name, message, got.Elem(), err)
		}
		back := reflect.New(reflect.TypeOf(theirs))
		if err := agent.Unmarshal(marshal(t, ours), []any{back.Interface()}); err != nil || !reflect.DeepEqual(back.Elem().Interface(), theirs) {
			t.Errorf("%s: from our %x agent-go reads %+v, %v", name, marshal(t, ours), back.Elem(), err)
		}
	}
}

// simpleValue draws values both libraries are right about.
func simpleValue(oldToo bool) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		leaf := rapid.OneOf(
			rapid.Map(rapid.Bool(), func(b bool) Value { return Bool(b) }),
			rapid.Map(rapid.String(), func(s string) Value { return Text(s) }),
			rapid.Map(rapid.Uint8(), func(n uint8) Value { return Nat8(n) }),
			rapid.Map(rapid.Uint16(), func(n uint16) Value { return Nat16(n) }),
			rapid.Map(rapid.Uint32(), func(n uint32) Value { return Nat32(n) }),
			rapid.Map(rapid.Uint64(), func(n uint64) Value { return Nat64(n) }),
			rapid.Map(rapid.Float32Range(-1e30, 1e30), func(f float32) Value { return Float32(f) }),
			rapid.Map(rapid.Float64Range(-1e300, 1e300), func(f float64) Value { return Float64(f) }),
		)
		if !oldToo {
			leaf = rapid.OneOf(leaf,
				rapid.Map(rapid.Uint64(), func(n uint64) Value { return NatOf(n) }),
				rapid.Map(rapid.Int64(), func(i int64) Value { return IntOf(i) }),
			)
		}
		v := leaf.Draw(t, "leaf")
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 1:
			return Opt{v}
		case 2:
			if b, ok := v.(Nat8); ok {
				return Blob{byte(b), 0, byte(b)}
			}
			return Vec{v, v}
		}
		return v
	})
}

func TestWhatAgentGoReadsAndWritesAgainIsTheSame(t *testing.T) {
	values := simpleValue(false)
	rapid.Check(t, func(t *rapid.T) {
		v := values.Draw(t, "value")
		message, err := EncodeValues(v)
		if err != nil {
			t.Fatal(err)
		}
		types, read, err := agent.Decode(message)
		if err != nil {
			t.Fatalf("agent-go cannot read %s: %v", Format(v), err)
		}
		again, err := agent.Encode(types, read)
		if err != nil {
			t.Fatalf("agent-go cannot write %s: %v", Format(v), err)
		}
		got, _, err := Decode(again)
		if err != nil || !Equal(Vec(got), Vec{v}) {
			t.Fatalf("%s came back as %s, %v", Format(v), FormatArgs(got), err)
		}
	})
}

func TestWhatCandidGoReadsAndWritesAgainIsTheSame(t *testing.T) {
	values := simpleValue(true)
	rapid.Check(t, func(t *rapid.T) {
		v := values.Draw(t, "value")
		message, err := EncodeValues(v)
		if err != nil {
			t.Fatal(err)
		}
		types, read, err := older.Decode(message)
		if err != nil {
			t.Fatalf("candid-go cannot read %s: %v", Format(v), err)
		}
		again, err := older.Encode(types, read)
		if err != nil {
			t.Fatalf("candid-go cannot write %s: %v", Format(v), err)
		}
		got, _, err := Decode(again)
		if err != nil || !Equal(Vec(got), Vec{v}) {
			t.Fatalf("%s came back as %s, %v", Format(v), FormatArgs(got), err)
		}
	})
}
