package wasi_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/component/wasi"
)

func Example() {
	ctx := context.Background()
	binary, err := os.ReadFile("../testdata/wasi/clerk.wasm")
	if err != nil {
		panic(err)
	}
	clerk, err := component.Compile(ctx, binary)
	if err != nil {
		panic(err)
	}
	defer clerk.Close(ctx)
	host := wasi.New(wasi.Options{Args: []string{"clerk", "wait"}, Stdout: os.Stdout, Start: time.Unix(1_600_000_000, 0)})
	instance, err := host.Instantiate(ctx, clerk, nil)
	if err != nil {
		panic(err)
	}
	code, err := wasi.Run(ctx, instance, wasi.Command(clerk))
	fmt.Println(code, err)
	// Output:
	// [1] after 3600 s, from 1600000000 to 1600003600
	// both after 7200 s
	// 0 <nil>
}
