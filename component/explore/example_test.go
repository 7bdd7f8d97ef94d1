package explore_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/component/explore"
)

func ExampleExplore() {
	ctx := context.Background()
	binary, err := os.ReadFile("../testdata/valid/races.wasm")
	if err != nil {
		panic(err)
	}
	bank, err := component.Compile(ctx, binary)
	if err != nil {
		panic(err)
	}
	defer bank.Close(ctx)
	program := func(ctx context.Context, run *explore.Run) error {
		instance, err := bank.Instantiate(ctx, nil, component.WithScheduler(run))
		if err != nil {
			return err
		}
		defer instance.Close(ctx)
		if _, err := instance.Call(ctx, "shop#buy"); err != nil {
			return err
		}
		total, err := instance.Call(ctx, "bank#total")
		if err == nil && total != uint32(100) {
			err = fmt.Errorf("the bank has %d, want 100", total)
		}
		return err
	}
	report, err := explore.Explore(ctx, program, explore.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(report)

	// The schedule goes into a file, for a test that replays it.
	text, err := report.Findings[0].Schedule.MarshalText()
	if err != nil {
		panic(err)
	}
	var schedule explore.Schedule
	if err := schedule.UnmarshalText(text); err != nil {
		panic(err)
	}
	switch err := explore.Replay(ctx, program, schedule); {
	case errors.Is(err, explore.ErrStale):
		fmt.Println("stale:", err)
	case err != nil:
		fmt.Println("replayed:", err)
	}
	// Output:
	// the bank has 99, want 100
	//   choice 3, thread 1 of 2: call 1 of instance 10 before call 1 of instance 8
	// 5 runs, 1 finding. All orders were run.
	// replayed: the bank has 99, want 100
}
