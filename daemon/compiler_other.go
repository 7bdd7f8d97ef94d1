//go:build !linux

package daemon

import "runtime/debug"

// limitWorker bounds the memory of this process as far as possible: the collector works harder near the limit, and the
// estimate of the time bounds the memory too. A hard limit is not available here.
func limitWorker() { debug.SetMemoryLimit(maxWorkerMemory / 2) }
