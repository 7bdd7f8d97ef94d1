package component

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// started gives an instance of a program of testdata.
func started(t testing.TB, name string, imports Imports) *Instance {
	t.Helper()
	c, err := Compile(t.Context(), programs(t, "valid")[name])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	i, err := c.Instantiate(t.Context(), imports)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// returns calls a function that must return a value.
func (i *Instance) returns(t testing.TB, want any, name string, args ...any) {
	t.Helper()
	got, err := i.Call(t.Context(), name, args...)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s%v = %v, %v, want %v", name, args, got, err, want)
	}
}

func TestAFunctionOfStringsIsCalledAndCleansUpOnce(t *testing.T) {
	i := started(t, "greeter", nil)
	i.returns(t, "Hello, Ada", "greet", "Ada")
	i.returns(t, "Hello, Zoë ☃", "greet", "Zoë ☃")
	i.returns(t, uint32(2), "freed")
}

func TestResourcesAreLentMovedAndDestroyed(t *testing.T) {
	i := started(t, "accounts", nil)
	i.returns(t, uint32(7), "run", uint32(3), uint32(4))
	i.returns(t, uint32(4), "dropped")
	i.returns(t, uint32(11), "run", uint32(5), uint32(6))
	i.returns(t, uint32(10), "dropped")
}

func TestAnInstanceIsDeadAfterATrap(t *testing.T) {
	i := started(t, "accounts", nil)
	for range 2 {
		trap := new(Trap)
		if _, err := i.Call(t.Context(), "use-after-drop", uint32(1)); !errors.As(err, &trap) {
			t.Fatalf("%v, want a trap", err)
		}
	}
	_, err := i.Call(t.Context(), "dropped")
	if err == nil || err.Error() != "wasm trap: cannot enter component instance: a call runs in it, or trapped" {
		t.Errorf("a call after a trap: %v", err)
	}
}

func TestTheHostSuppliesFunctionsAndResources(t *testing.T) {
	var lines []string
	var dropped []uint32
	clock := &ResourceType{Dropped: func(_ context.Context, representation uint32) { dropped = append(dropped, representation) }}
	i := started(t, "counter", Imports{"host": Imports{
		"clock":              clock,
		"[constructor]clock": Func(func(context.Context, []any) (any, error) { return clock.New(9), nil }),
		"[method]clock.now": Func(func(_ context.Context, args []any) (any, error) {
			return uint64(args[0].(*Resource).Representation()) * 100, nil
		}),
		"log": Func(func(_ context.Context, args []any) (any, error) {
			lines = append(lines, args[0].(string))
			return Variant{Case: 0, Payload: uint32(len(lines))}, nil
		}),
	}})
	i.returns(t, uint64(901), "example:counter/run#run")
	i.returns(t, uint64(902), "example:counter/run#run")
	if want := []string{"it is late", "it is late"}; !reflect.DeepEqual(lines, want) {
		t.Errorf("lines %q, want %q", lines, want)
	}
	if want := []uint32{9, 9}; !reflect.DeepEqual(dropped, want) {
		t.Errorf("dropped %v, want %v", dropped, want)
	}
}

func TestFaultsOfTheHostNameTheImport(t *testing.T) {
	supplied := func(log any) (*Instance, error) {
		c, err := Compile(t.Context(), programs(t, "valid")["counter"])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close(context.Background()) })
		clock := &ResourceType{}
		imports := Imports{
			"clock":              clock,
			"[constructor]clock": Func(func(context.Context, []any) (any, error) { return clock.New(1), nil }),
			"[method]clock.now":  Func(func(context.Context, []any) (any, error) { return uint64(0), nil }),
		}
		if log != nil {
			imports["log"] = log
		}
		return c.Instantiate(t.Context(), Imports{"host": imports})
	}
	for want, log := range map[string]any{
		"the component imports host#log, which is not supplied":                                     nil,
		"the component imports host#log as a func, and the host supplies string":                    "log",
		"host#log: the disk is full":                                                                Func(func(context.Context, []any) (any, error) { return nil, errors.New("the disk is full") }),
		"the result of host#log: expected component.Variant for a value of type result, found bool": Func(func(context.Context, []any) (any, error) { return true, nil }),
		"the result of host#log: case 2 does not exist: the result has 2":                           Func(func(context.Context, []any) (any, error) { return Variant{Case: 2}, nil }),
	} {
		i, err := supplied(log)
		if err == nil {
			_, err = i.Call(t.Context(), "example:counter/run#run")
		}
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestCallsWithOtherArgumentsAreRefusedAndChangeNothing(t *testing.T) {
	i := started(t, "greeter", nil)
	for want, call := range map[string][]any{
		"the component does not export hello":                                                         {"hello"},
		"greet has 1 parameters, found 2 arguments":                                                   {"greet", "a", "b"},
		"argument name of greet: expected string for a value of type string, found int":               {"greet", 1},
		"argument name of greet: a string must be UTF-8":                                              {"greet", "\xff"},
		"argument name of greet: expected string for a value of type string, found component.Variant": {"greet", Variant{}},
	} {
		if _, err := i.Call(t.Context(), call[0].(string), call[1:]...); err == nil || err.Error() != want && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	i.returns(t, "Hello, Ada", "greet", "Ada")
}

// Each call is of a new instance: a trap ends one.
func TestResultsThatAreNoValuesTrapWithTheWordsOfTheSpecification(t *testing.T) {
	var report strings.Builder
	for _, call := range [][]any{
		{"char", uint32(0xd800)},
		{"char", uint32(0x110000)},
		{"enum", uint32(2)},
		{"record", uint32(2)},
		{"record", uint32(65532)},
		{"text", uint32(9), uint32(1)},
		{"text", uint32(10), uint32(1)},
		{"text", uint32(65530), uint32(7)},
		{"text", uint32(0), uint32(1 << 28)},
		{"text", uint32(0), uint32(1<<28 - 1)},
		{"wide", uint32(9), uint32(1)},
		{"wide", uint32(0), uint32(1 << 27)},
		{"list", uint32(4), uint32(1)},
		{"list", uint32(65528), uint32(2)},
		{"list", uint32(0), uint32(1 << 25)},
		{"take", []any{}},
		{"take", []any{uint16(1)}},
		{"fail"},
	} {
		_, err := started(t, "traps", nil).Call(t.Context(), call[0].(string), call[1:]...)
		trap := new(Trap)
		if !errors.As(err, &trap) {
			t.Errorf("%v: %v, want a trap", call, err)
			continue
		}
		text, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(&report, "%v: %s\n", call, text)
	}
	golden.Compare(t, "testdata/traps.txt", report.String())
}

func TestNaNsAreCanonical(t *testing.T) {
	if got := liftPrimitive(primF32, 0x7f800001).(float32); math.Float32bits(got) != 0x7fc00000 {
		t.Errorf("an f32 is %x", math.Float32bits(got))
	}
	if got := liftPrimitive(primF64, 0xfff0000000000001).(float64); math.Float64bits(got) != 0x7ff8000000000000 {
		t.Errorf("an f64 is %x", math.Float64bits(got))
	}
	if got := lowerPrimitive(math.Float32frombits(0xffc00001)); got != 0x7fc00000 {
		t.Errorf("a lowered f32 is %x", got)
	}
	if got := lowerPrimitive(math.Inf(-1)); got != 0xfff0000000000000 {
		t.Errorf("infinity is %x", got)
	}
}

func TestResourcesAreUsedOutsideByTheRulesOfHandles(t *testing.T) {
	var kept *Resource
	var dropped []uint32
	clock := &ResourceType{Dropped: func(_ context.Context, representation uint32) { dropped = append(dropped, representation) }}
	made := clock.New(1)
	i := started(t, "counter", Imports{"host": Imports{
		"clock":              clock,
		"[constructor]clock": Func(func(context.Context, []any) (any, error) { return made, nil }),
		"[method]clock.now": Func(func(_ context.Context, args []any) (any, error) {
			kept = args[0].(*Resource)
			return uint64(0), nil
		}),
		"log": Func(func(context.Context, []any) (any, error) { return Variant{Case: 1, Payload: "full"}, nil }),
	}})
	i.returns(t, uint64(math.MaxUint64), "example:counter/run#run")
	for name, r := range map[string]*Resource{"a borrowed one": kept, "a passed one": made} {
		if err := i.Drop(t.Context(), r); err == nil || !strings.Contains(err.Error(), "not there any more") {
			t.Errorf("%s is dropped: %v", name, err)
		}
	}
	if err := i.Drop(t.Context(), clock.New(5)); err != nil || !reflect.DeepEqual(dropped, []uint32{1, 5}) {
		t.Errorf("%v, dropped %v, want 1 and 5", err, dropped)
	}
	_, err := i.Call(t.Context(), "example:counter/run#run")
	if err == nil || !strings.Contains(err.Error(), "the resource cannot be passed as own") {
		t.Errorf("a resource is passed twice: %v", err)
	}
}

// Each component instantiates the one before 10 times.
func TestInstancesOfInstancesAreLimited(t *testing.T) {
	tree := func(levels int) error {
		c := build()
		for range levels {
			c = build(section(sectionComponent, c), section(sectionInstance, repeated(10, "\x00\x00\x00")))
		}
		compiled, err := Compile(t.Context(), []byte(c))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = compiled.Close(context.Background()) })
		_, err = compiled.Instantiate(t.Context(), nil)
		return err
	}
	if err := tree(3); err != nil {
		t.Errorf("1,111 instances: %v", err)
	}
	if err := tree(4); err == nil || !strings.Contains(err.Error(), "the limit of 10000 instances") {
		t.Errorf("11,111 instances: %v, want the limit", err)
	}
}

func TestABugOfAFunctionOfTheHostIsAPanicAndNoTrap(t *testing.T) {
	clock := &ResourceType{}
	i := started(t, "counter", Imports{"host": Imports{
		"clock":              clock,
		"[constructor]clock": Func(func(_ context.Context, args []any) (any, error) { return args[0], nil }),
		"[method]clock.now":  Func(func(context.Context, []any) (any, error) { return uint64(0), nil }),
		"log":                Func(func(context.Context, []any) (any, error) { return nil, nil }),
	}})
	defer func() {
		var bug runtime.Error
		if err, ok := recover().(error); !ok || !errors.As(err, &bug) {
			t.Errorf("%v, want the runtime error", err)
		}
	}()
	_, err := i.Call(t.Context(), "example:counter/run#run")
	t.Errorf("the call returned %v", err)
}

// traps gives the reason of the trap that f ends with.
func traps(f func()) (err error) {
	defer trapped(&err)
	f()
	return nil
}

func TestTheLimitsOfCallsAreTheLargestNumbersThatAreAccepted(t *testing.T) {
	instance := &instanceState{host: &host{}}
	for name, test := range map[string]struct {
		limit int
		run   func(n int)
	}{
		"bytes of a list":     {1<<28 - 1, func(n int) { listSize(n, 1) }},
		"bytes of all values": {1 << 30, func(n int) { a := &abi{}; a.charge(1); a.charge(uint64(n - 1)) }},
		"handles": {1_000_000, func(n int) {
			(&table[handleItem]{items: make([]handleItem, n), memory: &memoryBudget{limit: 1 << 30}}).add(&handle{})
		}},
		"instances":             {10_000, func(n int) { (&host{instances: n - 1}).count() }},
		"calls":                 {4_000_000, func(n int) { instance.host.tasks = n - 1; (&lifted{instance: instance}).newTask(nil) }},
		"elements of a copy":    {1<<28 - 1, func(n int) { (&abi{}).guestBuffer(nil, 0, uint32(n)) }},
		"blocked threads":       {10_000, func(n int) { takeStacks(t, n) }},
		"empty reads":           {100, func(n int) { readEmpty(n - 1) }},
		"backpressure":          {1<<16 - 1, func(n int) { instance.backpressure = 0; instance.changeBackpressure(n) }},
		"backpressure, inverse": {0, func(n int) { instance.backpressure = 0; instance.changeBackpressure(-n) }},
	} {
		if err := traps(func() { test.run(test.limit) }); err != nil {
			t.Errorf("%s: %d trap: %v", name, test.limit, err)
		}
		if err := traps(func() { test.run(test.limit + 1) }); err == nil {
			t.Errorf("%s: %d do not trap", name, test.limit+1)
		}
	}
}

// takeStacks takes the last of n stacks.
func takeStacks(t *testing.T, n int) {
	h := &host{stacks: make([]*stack, n-1), memory: memoryBudget{limit: 1 << 30}}
	s := h.takeStack(&thread{})
	t.Cleanup(s.stop)
}

// readEmpty reads a stream of a reader that gives nothing n times, then a byte.
func readEmpty(n int) {
	reader := readerFunc(func(p []byte) (int, error) {
		if n--; n >= 0 {
			return 0, nil
		}
		return copy(p, "x"), nil
	})
	StreamOf(reader).shared.source(&copyBuffer{element: primitiveTypes[primU8], bytes: make([]byte, 1), length: 1})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
