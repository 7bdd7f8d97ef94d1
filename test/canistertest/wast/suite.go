package wast

import (
	"os"
	"path/filepath"
	"testing"
)

// Suite gives the paths of the official test suite's scripts, sorted: those of the folder wasm-testsuite ([Data]).
func Suite(tb testing.TB) []string {
	tb.Helper()
	return Data(tb, "wasm-testsuite/*.wast")
}

// Data gives the paths of conformance data with a pattern, sorted. It is under the folder that CANISTERD_DATA names, by
// default ../shared/data beside the repository; without it the test is skipped.
func Data(tb testing.TB, pattern string) []string {
	tb.Helper()
	data := os.Getenv("CANISTERD_DATA")
	if data == "" {
		data = filepath.Join(repository(tb), "..", "shared", "data")
	}
	files, err := filepath.Glob(filepath.Join(data, pattern))
	if err != nil {
		tb.Fatalf("looking for %s: %v", pattern, err)
	}
	if len(files) == 0 {
		tb.Skipf("no %s in %s: set CANISTERD_DATA to the folder that holds them", pattern, data)
	}
	return files
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
