package canister_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/canistertest"
)

func componentFile(t testing.TB, name string) []byte {
	t.Helper()
	binary, err := os.ReadFile("internal/components/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// interfaceOf reads the interface that the linker made.
func interfaceOf(t testing.TB, m *canister.Module) *did.File {
	t.Helper()
	section, ok := m.Section("candid:service")
	if !ok {
		t.Fatal("the module has no interface")
	}
	file, err := did.Parse(string(section.Content))
	if err != nil {
		t.Fatalf("%v\n%s", err, section.Content)
	}
	return file
}

func TestTasksOfAComponentFollowTheRulesOfItsABI(t *testing.T) {
	place := canistertest.NewPlace(t)
	m := place.Module(componentFile(t, "tasks.wasm"))
	c, file := place.Canister(m, nil), interfaceOf(t, m)
	for _, call := range []struct{ method, args, want string }{
		{"started", "()", "(5 : nat32)"},
		{"exit", "()", "exit exited without a result"},
		{"exit_twice", "()", "exit_twice returned twice"},
		{"wait_alone", "()", "wait_alone waits, and has made no call that could wake it"},
		{"wait_nowhere", "()", "unknown handle index 7"},
		{"bad_code", "()", "a callback returned a code that does not exist"},
		{"cancel", "()", "the component confirmed a cancellation that did not happen"},
		{"block", "()", "only a callback can wait in a canister"},
		{"drop", "()", "unknown handle index 5"},
		{"cancel_call", "()", "unknown handle index 5"},
		{"join", "()", "unknown handle index 5"},
		{"poll", "()", "(0 : nat32)"},
		{"turn", "(3)", "(11 : nat32)"},
		{"choose", "(0)", "(100 : nat32)"},
		{"choose", "(1)", "(200 : nat32)"},
		{"choose", "(2)", "Canister trapped"},
		{"half", "(3, 4.5)", "(3.75 : float64)"},
		{"twice", "()", "(3.75 : float64)"},
		{"half_down", "(3)", "(1.5 : float32)"},
		{"close_door", "()", "()"},
		{"started", "()", "the component takes no calls now (backpressure)"},
	} {
		if got := called(t, place, c, file, call.method, call.args); !strings.Contains(got, call.want) {
			t.Errorf("%s%s: got %s, want %s", call.method, call.args, got, call.want)
		}
	}
}

// TestMemoryOfAnotherLinkerIsTheReasonOfATrap changes the number that the linked code compares with the one in the memory, as a
// linker of another version does.
func TestMemoryOfAnotherLinkerIsTheReasonOfATrap(t *testing.T) {
	linked, err := canister.LinkComponent(componentFile(t, "tasks.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	comparison := []byte{0x28, 0, 0x80, 1, 0x41} // i32.load offset=128, i32.const
	at := bytes.Index(linked, comparison)
	if at < 0 {
		t.Fatal("the module does not compare")
	}
	linked[at+len(comparison)] ^= 1
	place := canistertest.NewPlace(t)
	m := place.Module(linked)
	c, file := place.Canister(m, nil), interfaceOf(t, m)
	for _, method := range []string{"started", "poll"} {
		if got := called(t, place, c, file, method, "()"); !strings.Contains(got, "made by another version of canisterd: upgrade the canister") {
			t.Errorf("%s: %s", method, got)
		}
	}
}

// TestArgumentsOfComponentsTakeAFewStepsForEachByte reads messages of at most 200 KB that stand for many values.
func TestArgumentsOfComponentsTakeAFewStepsForEachByte(t *testing.T) {
	const cases, values, most = 5000, 50_000, 2_000_000_000
	records := []byte("DIDL\x3c\x6c\x00") // 60 records, each with two fields of the one before
	for i := range byte(59) {
		records = append(records, 0x6c, 2, 0, i, 1, i)
	}
	variants := append([]byte("DIDL\x02\x6d\x01\x6b"), binary.AppendUvarint(nil, cases)...) // a vec of a variant with many cases
	for i := range uint64(cases) {
		variants = append(binary.AppendUvarint(variants, i), 0x7f)
	}
	variants = binary.AppendUvarint(append(variants, 1, 0), values)
	place := canistertest.NewPlace(t)
	c := place.Canister(place.Module(componentFile(t, "till.wasm")), nil)
	for _, message := range []struct {
		name, method string
		bytes        []byte
	}{
		{"a surplus argument of records", "started", append(records, 1, 59)},
		{"a surplus argument of variants", "started", append(variants, bytes.Repeat(binary.AppendUvarint(nil, cases-1), values)...)},
		{"a list that names its length alone", "take_each", binary.AppendUvarint([]byte("DIDL\x01\x6d\x6f\x01\x00"), 30_000_000)},
	} {
		out := place.Update(c, message.method, message.bytes)
		if out.Failure == nil || !strings.Contains(out.Failure.Text, "takes more steps to read than the limit of 100000, and 10 for each byte") {
			t.Errorf("%s: %v", message.name, out.Failure)
		}
		if out.Instructions > most {
			t.Errorf("%s takes %d instructions, want at most %d", message.name, out.Instructions, most)
		}
		t.Logf("%s: %d bytes, %d instructions", message.name, len(message.bytes), out.Instructions)
	}
}

func TestAnAllocatorThatDoesNotGrowTheMemoryIsTheReasonOfATrap(t *testing.T) {
	binary, err := os.ReadFile("../component/testdata/valid/greeter.wasm")
	if err != nil {
		t.Fatal(err)
	}
	place := canistertest.NewPlace(t)
	in := canister.Install{Module: place.Module(binary), Caller: canistertest.Controller}
	out := place.Empty().Install(&place.Subnet, &in)
	if want := "'the allocator of the component gave memory outside its memory: a canister needs "; out.Failure == nil || !strings.Contains(out.Failure.Text, want) {
		t.Errorf("got %v, want a text with %q", out.Failure, want)
	}
}

// called calls a method with arguments as text, and returns its reply or its failure.
func called(t testing.TB, place *canistertest.Place, c *canister.Canister, file *did.File, name, args string) string {
	t.Helper()
	text, err := calledWith(place, c, file, name, args)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// calledWith is called with an error for a method or arguments that do not exist.
func calledWith(place *canistertest.Place, c *canister.Canister, file *did.File, name, args string) (string, error) {
	message, err := argumentOf(file, name, args)
	if err != nil {
		return "", err
	}
	out := place.Update(c, name, message)
	switch {
	case out.Failure != nil:
		return out.Failure.Text, nil
	case out.Response == nil:
		return "no response", nil
	case out.Response.Reject != nil:
		return out.Response.Reject.Text, nil
	}
	method, _ := file.Method(name)
	reply, err := candid.DecodeTypes(out.Response.Reply, did.Types(method.Results))
	return candid.FormatArgs(reply), err
}

// argumentOf encodes arguments of a method, which are text.
func argumentOf(file *did.File, name, args string) ([]byte, error) {
	method, ok := file.Method(name)
	if !ok {
		return nil, fmt.Errorf("there is no method %s in\n%s", name, file)
	}
	types := did.Types(method.Args)
	values, err := candid.ParseArgsAt(args, types)
	if err != nil {
		return nil, err
	}
	return candid.Encode(values, types)
}

// TestValuesOfComponentsAreThoseOfCandid sends values of all types, and of types that are a little different, through a
// component: it must take what Candid's rules say that it takes, and see the values that they say.
func TestValuesOfComponentsAreThoseOfCandid(t *testing.T) {
	place := canistertest.NewPlace(t)
	m := place.Module(componentFile(t, "till.wasm"))
	c := place.Canister(m, nil)
	echo, _ := interfaceOf(t, m).Method("echo")
	want := []*candid.Type{echo.Args[0].Type}
	taken, refused := 0, 0
	for seed := range uint64(600) {
		d := &drawing{rand.New(rand.NewPCG(seed, 1))}
		typ := want[0]
		if d.IntN(3) > 0 {
			typ = d.near(typ, 3)
		}
		value := d.value(typ)
		message, err := candid.Encode([]candid.Value{value}, []*candid.Type{typ})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		err = candid.CheckSubtype(typ, want[0])
		out := place.Update(c, "echo", message)
		switch {
		case (err == nil) != (out.Failure == nil):
			t.Fatalf("seed %d: Candid says %v, the component %v, for\n%s\nof the type %s", seed, err, out.Failure, candid.Format(value), typ)
		case err != nil:
			refused++
		default:
			taken++
			expected, err := candid.DecodeTypes(message, want)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if reply := out.Response.Reply; !sameValues(reply, expected, want) {
				got, err := candid.DecodeTypes(reply, want)
				t.Fatalf("seed %d: got %s (%v), want %s", seed, candid.FormatArgs(got), err, candid.FormatArgs(expected))
			}
		}
	}
	if taken < 150 || refused < 150 {
		t.Errorf("%d values were taken and %d refused: the test is weak", taken, refused)
	}
}

func sameValues(reply []byte, expected []candid.Value, types []*candid.Type) bool {
	got, err := candid.DecodeTypes(reply, types)
	return err == nil && len(got) == 1 && candid.Equal(got[0], expected[0])
}

// drawing draws values, and types near others.
type drawing struct{ *rand.Rand }

// near changes one part of a type, n levels down at most.
func (d *drawing) near(t *candid.Type, n int) *candid.Type {
	if n == 0 || d.IntN(4) == 0 {
		return d.changed(t)
	}
	switch {
	case t.Kind() == candid.KindOpt:
		return candid.OptOf(d.near(t.Elem(), n-1))
	case t.Kind() == candid.KindVec:
		return candid.VecOf(d.near(t.Elem(), n-1))
	case len(t.Fields()) > 0:
		fields := append([]candid.Field(nil), t.Fields()...)
		i := d.IntN(len(fields))
		fields[i].Type = d.near(fields[i].Type, n-1)
		return d.made(t.Kind(), fields)
	}
	return d.changed(t)
}

func (d *drawing) made(kind candid.Kind, fields []candid.Field) *candid.Type {
	make := candid.RecordOf
	if kind == candid.KindVariant {
		make = candid.VariantOf
	}
	t, err := make(fields...)
	if err != nil {
		panic(err)
	}
	return t
}

func (d *drawing) changed(t *candid.Type) *candid.Type {
	named := func(name string) *candid.Type { t, _ := candid.PrimitiveByName(name); return t }
	fields := append([]candid.Field(nil), t.Fields()...)
	switch choice := d.IntN(6); {
	case choice == 0:
		return candid.OptOf(t)
	case choice == 1 && t.Kind() == candid.KindOpt:
		return t.Elem()
	case choice == 2 && len(fields) > 1:
		i := d.IntN(len(fields))
		return d.made(t.Kind(), append(fields[:i], fields[i+1:]...))
	case choice == 3 && len(fields) > 0:
		more := candid.VecOf(d.made(candid.KindRecord, []candid.Field{{Label: candid.Named("more"), Type: named("text")}}))
		return d.made(t.Kind(), append(fields, candid.Field{Label: candid.Named("more"), Type: more}))
	case choice == 4 && t.Kind() == candid.KindInt:
		return named("nat")
	}
	return named([]string{"nat", "int", "nat8", "int64", "text", "null", "reserved", "principal", "bool", "float64"}[d.IntN(10)])
}

func (d *drawing) value(t *candid.Type) candid.Value {
	switch t.Kind() {
	case candid.KindNull:
		return candid.Null{}
	case candid.KindReserved:
		return candid.Reserved{}
	case candid.KindText:
		return candid.Text([]string{"", "Ada", "gr\u00fc\u00df dich", "\U0001f980\U0001f980", "a longer text, which does not fit into a buffer of the runtime" + string(make([]byte, 300))}[d.IntN(5)])
	case candid.KindPrincipal:
		return candid.Principal(principal.Canister(d.Uint64N(1000)))
	case candid.KindOpt:
		if d.IntN(3) == 0 {
			return candid.Opt{}
		}
		return candid.Opt{Value: d.value(t.Elem())}
	case candid.KindVec:
		return d.vec(t)
	case candid.KindRecord:
		var r candid.Record
		for _, f := range t.Fields() {
			r = append(r, candid.FieldValue{Label: f.Label, Value: d.value(f.Type)})
		}
		return r
	case candid.KindVariant:
		f := t.Fields()[d.IntN(len(t.Fields()))]
		return candid.Variant{Label: f.Label, Value: d.value(f.Type)}
	}
	return d.number(t)
}

func (d *drawing) vec(t *candid.Type) candid.Value {
	if t.IsBlob() {
		return candid.Blob(make([]byte, d.IntN(400)))
	}
	var v candid.Vec
	for range d.IntN(4) {
		v = append(v, d.value(t.Elem()))
	}
	return v
}

func (d *drawing) number(t *candid.Type) candid.Value {
	n := d.Uint64() >> d.IntN(64)
	switch t.Kind() {
	case candid.KindBool:
		return candid.Bool(n&1 == 1)
	case candid.KindNat8:
		return candid.Nat8(n)
	case candid.KindNat16:
		return candid.Nat16(n)
	case candid.KindNat32: // a char
		return candid.Nat32(n % 0xd800)
	case candid.KindNat64:
		return candid.Nat64(n)
	case candid.KindInt8:
		return candid.Int8(n)
	case candid.KindInt16:
		return candid.Int16(n)
	case candid.KindInt32:
		return candid.Int32(n)
	case candid.KindInt64:
		return candid.Int64(n)
	case candid.KindFloat32:
		return candid.Float32(n)
	case candid.KindFloat64:
		return candid.Float64(n)
	}
	big := new(big.Int).Lsh(new(big.Int).SetUint64(n), uint(d.IntN(200)))
	if t.Kind() == candid.KindNat {
		natural, _ := candid.NatOfBig(big)
		return natural
	}
	if n&2 == 2 {
		big.Neg(big)
	}
	return candid.IntOfBig(big)
}
