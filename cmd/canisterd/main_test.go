package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/collector"
)

// asCommand is set where the test binary stands for canisterd: in the programs that pages start.
const asCommand = "CANISTERD_TEST_COMMAND"

// TestMain lets daemons of tests start the test binary as their compile worker, explorations as their worker, and pages as
// canisterd. Without it, the worker would run the tests again, which start workers, and so on.
func TestMain(m *testing.M) {
	worker := len(os.Args) > 1 && (os.Args[1] == compileWorkerName || os.Args[1] == "explore")
	if worker || os.Getenv(asCommand) != "" {
		main()
	}
	if cache := os.Getenv(asFloor); cache != "" {
		if err := serveFloor(cache); err != nil {
			fmt.Fprintln(os.Stderr, "the floor of updates over gRPC:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	collector.Seldom()
	code := canistertest.Main(m)
	if err := os.RemoveAll(binaryFolder); err != nil {
		fmt.Fprintln(os.Stderr, "removing the binary of benchmarks:", err)
		code = 1
	}
	os.Exit(code)
}

// binaryFolder has the binary that benchmarks run; empty until one needs it. TestMain removes it.
var binaryFolder string
