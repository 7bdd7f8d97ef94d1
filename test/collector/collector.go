// Package collector makes the garbage collector of a test process run seldom. In tests that make many small networks or
// modules it takes up to a third of the processor time.
//
// It owns the limit of memory for such a process. It must not know what is tested.
package collector

import (
	"flag"
	"runtime/debug"
)

// Seldom makes the collector of this process run only where memory would exceed a limit. It is for packages whose tests
// do not measure memory, or collect garbage themselves before they do:
//
//	func TestMain(m *testing.M) {
//		collector.Seldom()
//		os.Exit(m.Run())
//	}
//
// Benchmarks run with the collector of the product: without it every allocation faults on fresh memory, and none pays for
// its collection.
func Seldom() {
	flag.Parse() // TestMain comes before testing does so
	if flag.Lookup("test.bench").Value.String() != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
}
