package component_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/canisterd/canisterd/component"
)

func ExampleValidate() {
	binary, err := os.ReadFile("testdata/refused/hidden-record.wasm")
	if err != nil {
		panic(err)
	}
	err = component.Validate(context.Background(), binary)
	fmt.Println(err)
	var invalid *component.Invalid
	if errors.As(err, &invalid) {
		fmt.Println("malformed:", invalid.Malformed, "offset:", invalid.Offset)
	}
	// Output:
	// invalid component: func not valid to be used as import (at offset 0x1b)
	// malformed: false offset: 27
}

func ExampleComponent_Instantiate() {
	ctx := context.Background()
	binary, err := os.ReadFile("testdata/valid/greeter.wasm")
	if err != nil {
		panic(err)
	}
	greeter, err := component.Compile(ctx, binary)
	if err != nil {
		panic(err)
	}
	defer greeter.Close(ctx)
	instance, err := greeter.Instantiate(ctx, nil)
	if err != nil {
		panic(err)
	}
	greeting, err := instance.Call(ctx, "greet", "Ada")
	fmt.Println(greeting, err)
	// Output:
	// Hello, Ada <nil>
}

func ExampleImports() {
	ctx := context.Background()
	binary, err := os.ReadFile("testdata/valid/counter.wasm")
	if err != nil {
		panic(err)
	}
	counter, err := component.Compile(ctx, binary)
	if err != nil {
		panic(err)
	}
	defer counter.Close(ctx)
	clock := &component.ResourceType{}
	instance, err := counter.Instantiate(ctx, component.Imports{"host": component.Imports{
		"clock":              clock,
		"[constructor]clock": component.Func(func(context.Context, []any) (any, error) { return clock.New(1), nil }),
		"[method]clock.now":  component.Func(func(context.Context, []any) (any, error) { return uint64(1000), nil }),
		"log": component.Func(func(_ context.Context, args []any) (any, error) {
			fmt.Println("log:", args[0])
			return component.Variant{Case: 0, Payload: uint32(1)}, nil
		}),
	}})
	if err != nil {
		panic(err)
	}
	fmt.Println(instance.Call(ctx, "example:counter/run#run"))
	// Output:
	// log: it is late
	// 1001 <nil>
}
