package canistertest

import (
	"embed"
	"fmt"
)

//go:embed fixtures/*.wasm fixtures/class/*.wasm fixtures/outcaller/outcaller.did
var fixtures embed.FS

// Fixture is a module of the folder fixtures: the Motoko actors caller, clock, counter, heart and
// ledger, the actor class class/branch, bank in Rust, panics in Rust with debug information, kernels in C, and outcaller,
// assets and orders, which use the newest Rust CDK; orders has its data in stable structures.
func Fixture(name string) []byte {
	module, err := fixtures.ReadFile("fixtures/" + name + ".wasm")
	if err != nil {
		panic(fmt.Errorf("canistertest: there is no fixture %s: %w", name, err))
	}
	return module
}

// OutcallerInterface is the Candid interface of the fixture outcaller.
func OutcallerInterface() string {
	text, err := fixtures.ReadFile("fixtures/outcaller/outcaller.did")
	if err != nil {
		panic(fmt.Errorf("canistertest: the interface of outcaller: %w", err))
	}
	return string(text)
}
