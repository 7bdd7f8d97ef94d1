//go:build !linux

package wasm

import "os"

func mappedKinds() []HeapKind { return nil }

func faultsAreCounted() bool { return false }

func openProcess() *os.File { return nil }

func newMappedHeap(hs *heapSpace, _ *slot, _ int64, _ bool) (heap, error) {
	panic("wasm: heaps of kind " + string(hs.kind) + " exist on Linux alone")
}
