package canister_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/test/canistertest"
)

// FuzzComponentsBecomeCanisters links components. One that cannot be a canister is refused with a reason, and the module of any
// other is valid. A sample of these modules, by the hashes of the components, is also compiled, which takes much longer: the
// canister is installed and answers each method, or traps.
func FuzzComponentsBecomeCanisters(f *testing.F) {
	const sample = 32
	p := canistertest.NewPlace(f)
	p.Subnet.Limits.Message, p.Subnet.Limits.Query, p.Subnet.Limits.Install = 2_000_000, 2_000_000, 2_000_000
	p.Subnet.Limits.SubnetMemory = 1 << 30
	for _, pattern := range []string{"internal/components/testdata/*.wasm", "../component/testdata/valid/*.wasm", "../component/testdata/refused/*.wasm"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			binary, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			if len(binary) < 8<<10 { // larger ones are too slow to look for variations of them
				f.Add(binary)
			}
		}
	}
	noArguments, err := candid.Encode(nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, binary []byte) {
		linked, err := canister.LinkComponent(binary)
		if err != nil {
			if err.Error() == "" {
				t.Error("a component is refused without a reason")
			}
			return
		}
		if sha256.Sum256(binary)[0]%sample != 0 {
			return
		}
		m, reject := p.Engine.Prepare(t.Context(), linked)
		if reject != nil {
			t.Fatalf("the linked module is not prepared: %v", reject)
		}
		c := canister.New(principal.Canister(1), p.Subnet.Time, canister.DefaultSettings(canistertest.Controller))
		c.Balance = cycles.Of(canistertest.Balance)
		defer c.Close()
		if out := c.Install(&p.Subnet, &canister.Install{Module: m, Caller: canistertest.Controller}); out.Failure != nil {
			return // its start function traps
		}
		for _, method := range m.Methods() {
			if method.Kind == canister.UpdateMethod {
				p.Update(c, method.Name, noArguments)
			} else {
				p.Query(c, method.Name, noArguments)
			}
		}
	})
}
