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
