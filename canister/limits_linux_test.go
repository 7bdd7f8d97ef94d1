package canister_test

import (
	"testing"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/test/canistertest"
)

// Linux maps the heap, so that what is not touched takes nothing; elsewhere it is copied.
func TestTheHeapGrowsToThreeGiBByDefault(t *testing.T) {
	p := canistertest.NewPlace(t)
	c := p.Canister(p.Wat(`(module (memory 49151) (func (export "canister_update u") (drop (memory.grow (i32.const 1)))))`), nil)
	if out := p.Update(c, "u", nil); out.Failure != nil || c.MemoryUsage().Heap != 3_221_225_472 {
		t.Fatalf("the heap has %d bytes: %v", c.MemoryUsage().Heap, out.Failure)
	}
	failed(t, c, p.Update(c, "u", nil), intercanister.CanisterWasmMemoryLimitExceeded, "Canister exceeded its current Wasm memory limit of 3221225472 bytes. "+
		"The peak Wasm memory usage was 3221291008 bytes. If the canister reaches 4GiB, then it may stop functioning and may become unrecoverable. "+
		"Please reach out to the canister owner to investigate the reason for the increased memory usage. "+
		"It might be necessary to move data from the Wasm memory to the stable memory. If such high Wasm memory usage is expected and safe, "+
		"then the developer can increase the Wasm memory limit in the canister settings.")
}
