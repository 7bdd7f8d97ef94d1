package component_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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

func ExampleInstance_Start() {
	ctx := context.Background()
	waiting := compile(ctx, "testdata/valid/waiting.wasm")
	defer waiting.Close(ctx)
	instance, err := waiting.Instantiate(ctx, component.Imports{
		"fetch": component.AsyncFunc(func(_ context.Context, args []any, done *component.Completion) {
			go done.Return(args[0].(uint32) * 100)
		}),
	})
	if err != nil {
		panic(err)
	}
	first, err := instance.Start(ctx, "double", uint32(1))
	if err != nil {
		panic(err)
	}
	second, err := instance.Start(ctx, "double", uint32(2))
	if err != nil {
		panic(err)
	}
	fmt.Println(second.Wait(ctx))
	fmt.Println(first.Wait(ctx))
	// Output:
	// 400 <nil>
	// 200 <nil>
}

func ExampleStreamOf() {
	ctx := context.Background()
	waiting := compile(ctx, "testdata/valid/waiting.wasm")
	defer waiting.Close(ctx)
	noFetch := component.AsyncFunc(func(_ context.Context, _ []any, done *component.Completion) { done.Return(uint32(0)) })
	instance, err := waiting.Instantiate(ctx, component.Imports{"fetch": noFetch})
	if err != nil {
		panic(err)
	}
	result, err := instance.Call(ctx, "shout", component.StreamOf(strings.NewReader("a stream")))
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(result.(*component.Stream))
	fmt.Println(string(text), err)
	// Output:
	// A STREAM <nil>
}

func ExampleWithScheduler() {
	ctx := context.Background()
	waiting := compile(ctx, "testdata/valid/waiting.wasm")
	defer waiting.Close(ctx)
	noFetch := component.AsyncFunc(func(_ context.Context, _ []any, done *component.Completion) { done.Return(uint32(0)) })
	instance, err := waiting.Instantiate(ctx, component.Imports{"fetch": noFetch}, component.WithScheduler(last{}))
	if err != nil {
		panic(err)
	}
	// Both calls yield twice, then return how many calls returned before.
	first, _ := instance.Start(ctx, "turn", uint32(2))
	second, _ := instance.Start(ctx, "turn", uint32(2))
	fmt.Println(first.Wait(ctx))
	fmt.Println(second.Wait(ctx))
	// Output:
	// 1 <nil>
	// 0 <nil>
}

// last is a scheduler that resumes the thread that became ready last.
type last struct{}

func (last) Choose(kind component.ChoiceKind, options []component.Option) int {
	if kind == component.ChooseThread {
		return len(options) - 1
	}
	return 0
}

func compile(ctx context.Context, file string) *component.Component {
	binary, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	c, err := component.Compile(ctx, binary)
	if err != nil {
		panic(err)
	}
	return c
}
