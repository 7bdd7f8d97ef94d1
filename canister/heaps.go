package canister

import "github.com/canisterd/canisterd/canister/internal/wasm"

// HeapKinds returns the ways to track heaps that this machine supports, the best first: "scan" and "pagemap" ask the
// kernel which pages a message wrote, "copy" compares all of them.
func HeapKinds() (names []string) {
	for _, kind := range wasm.HeapKinds() {
		names = append(names, string(kind))
	}
	return names
}
