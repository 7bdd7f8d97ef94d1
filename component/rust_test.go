package component

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

// The program is testdata/rust: wit-bindgen in Rust, compiled for wasm32-unknown-unknown.
func TestAComponentInRustTakesOrders(t *testing.T) {
	const shop = "example:orders/shop#"
	i := started(t, "orders", Imports{"example:orders/prices": Imports{
		"price": Func(func(_ context.Context, args []any) (any, error) {
			if args[0] == "tea" {
				return Variant{Case: 0, Payload: uint64(250)}, nil
			}
			return Variant{Case: 1, Payload: "no " + args[0].(string)}, nil
		}),
	}})
	made, err := i.Call(t.Context(), shop+"[constructor]order", "Zoë")
	if err != nil {
		t.Fatal(err)
	}
	order := made.(*Resource)
	none, large := Variant{}, Variant{Case: 1, Payload: Enum(1)}
	two, one := []any{"tea", uint32(2), large}, []any{"tea", uint32(1), none}
	i.returns(t, Variant{Case: 0, Payload: uint64(500)}, shop+"[method]order.add", order, two)
	i.returns(t, Variant{Case: 0, Payload: uint64(750)}, shop+"[method]order.add", order, one)
	i.returns(t, Variant{Case: 1, Payload: Variant{Case: 0, Payload: "no milk"}}, shop+"[method]order.add", order, []any{"milk", uint32(1), none})
	i.returns(t, Variant{Case: 1, Payload: Variant{Case: 1}}, shop+"[method]order.add", order, []any{"tea", uint32(0), none})
	i.returns(t, []any{two, one}, shop+"[method]order.lines", order)
	i.returns(t, uint32(1), shop+"open-orders")
	i.returns(t, []any{"Zoë", uint64(750)}, shop+"[static]order.close", order)
	i.returns(t, uint32(0), shop+"open-orders")

	another, err := i.Call(t.Context(), shop+"[constructor]order", "Ada")
	if err != nil {
		t.Fatal(err)
	}
	i.returns(t, uint32(1), shop+"open-orders")
	if err := i.Drop(t.Context(), another.(*Resource)); err != nil {
		t.Error(err)
	}
	i.returns(t, uint32(0), shop+"open-orders")

	_, err = i.Call(t.Context(), shop+"[method]order.add", order, one)
	if want := "argument self of " + shop + "[method]order.add: the resource cannot be passed as borrow: it is not there any more, or only borrowed"; err == nil || err.Error() != want {
		t.Errorf("a closed order: %v, want %q", err, want)
	}
}

func TestAnErrorOfTheHostTrapsAComponentInRust(t *testing.T) {
	i := started(t, "orders", Imports{"example:orders/prices": Imports{
		"price": Func(func(context.Context, []any) (any, error) { return nil, errors.New("the host has no prices") }),
	}})
	order, err := i.Call(t.Context(), "example:orders/shop#[constructor]order", "Ada")
	if err != nil {
		t.Fatal(err)
	}
	_, err = i.Call(t.Context(), "example:orders/shop#[method]order.add", order, []any{"tea", uint32(1), Variant{}})
	if want := "wasm trap: example:orders/prices#price: the host has no prices"; err == nil || err.Error() != want || reflect.TypeOf(err) != reflect.TypeFor[*Trap]() {
		t.Errorf("%v, want %q", err, want)
	}
}

// The program is testdata/rust-async: functions that wait, in Rust.
func TestAComponentInRustWaitsForSeveralFunctionsOfTheHost(t *testing.T) {
	const counter = "example:desk/counter#"
	prices := map[string]*Completion{}
	i := started(t, "desk", Imports{"example:desk/market": Imports{
		"price": AsyncFunc(func(_ context.Context, args []any, done *Completion) { prices[args[0].(string)] = done }),
	}})
	quote := i.begin(t, counter+"quote", []any{"tea", "milk", "sugar"})
	if len(prices) != 3 {
		t.Fatalf("%d prices are asked for, want 3 at once", len(prices))
	}
	unknown := i.begin(t, counter+"quote", []any{"gold"})
	prices["gold"].Return(Variant{Case: 1, Payload: "no gold"})
	unknown.gives(t, Variant{Case: 1, Payload: "no gold"})
	for n, item := range []string{"sugar", "tea", "milk"} {
		prices[item].Return(Variant{Case: 0, Payload: uint64(100 * (n + 1))})
	}
	quote.gives(t, Variant{Case: 0, Payload: uint64(600)})

	cancelled := i.begin(t, counter+"quote", []any{"salt"})
	prices["salt"].Cancelled()
	if err := cancelled.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := cancelled.Wait(t.Context()); !errors.Is(err, ErrCancelled) {
		t.Errorf("%v, want ErrCancelled", err)
	}
}

func TestAComponentInRustReadsAndWritesStreams(t *testing.T) {
	i := started(t, "desk", Imports{"example:desk/market": Imports{"price": AsyncFunc(nil)}})
	text := strings.Repeat("streams of a component in Rust ", 100)
	shouted, err := i.Call(t.Context(), "example:desk/counter#shout", StreamOf(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(shouted.(*Stream)); err != nil || string(got) != strings.ToUpper(text) {
		t.Errorf("%v, %q", err, got)
	}
}
