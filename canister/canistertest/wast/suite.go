package wast

import (
	"os"
	"path/filepath"
	"testing"
)

// Suite gives the paths of the official test suite's scripts, sorted. The
// suite is in the folder wasm-testsuite under CANISTERD_DATA, by default
// ../shared/data beside the repository; without it the test is skipped.
func Suite(tb testing.TB) []string {
	tb.Helper()
	data := os.Getenv("CANISTERD_DATA")
	if data == "" {
		data = filepath.Join(repository(tb), "..", "shared", "data")
	}
	scripts, err := filepath.Glob(filepath.Join(data, "wasm-testsuite", "*.wast"))
	if err != nil {
		tb.Fatalf("looking for the WebAssembly test suite: %v", err)
	}
	if len(scripts) == 0 {
		tb.Skipf("no WebAssembly test suite in %s: set CANISTERD_DATA to the folder that holds wasm-testsuite", data)
	}
	return scripts
}

func repository(tb testing.TB) string {
	folder, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			tb.Fatal("no go.mod above the test's folder")
		}
		folder = parent
	}
}
