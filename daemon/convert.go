package daemon

import "github.com/canisterd/canisterd/canister"

// Polyfill makes a module that needs WASI into one that imports only the System API (canister.Polyfill).
func Polyfill(module []byte) ([]byte, error) { return canister.Polyfill(module) }

// LinkComponent links a component into a module that imports only the System API (canister.LinkComponent).
func LinkComponent(binary []byte) ([]byte, error) { return canister.LinkComponent(binary) }
