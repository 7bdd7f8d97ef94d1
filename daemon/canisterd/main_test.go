package main

import (
	"context"
	"os"
	"testing"
)

// TestMain lets daemons of tests start the test binary as their compile worker. Without it, the
// worker would run the tests again, which start workers, and so on.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == compileWorkerName {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
