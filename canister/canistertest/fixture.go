package canistertest

import (
	"embed"
	"fmt"
)

//go:embed fixtures/*.wasm
var fixtures embed.FS

// Fixture is a module of the folder fixtures: the Motoko actors caller, clock, counter, heart and
// ledger, bank in Rust, kernels in C, and outcaller, which uses the newest Rust CDK.
func Fixture(name string) []byte {
	module, err := fixtures.ReadFile("fixtures/" + name + ".wasm")
	if err != nil {
		panic(fmt.Errorf("canistertest: there is no fixture %s: %w", name, err))
	}
	return module
}
