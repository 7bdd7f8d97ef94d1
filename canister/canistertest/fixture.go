package canistertest

import (
	"embed"
	"fmt"
)

//go:embed fixtures/*.wasm
var fixtures embed.FS

// Fixture is the module of a Motoko actor of the folder fixtures: caller, clock, counter, heart or
// ledger.
func Fixture(name string) []byte {
	module, err := fixtures.ReadFile("fixtures/" + name + ".wasm")
	if err != nil {
		panic(fmt.Errorf("canistertest: there is no fixture %s: %w", name, err))
	}
	return module
}
