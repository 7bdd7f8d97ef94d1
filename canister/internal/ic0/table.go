package ic0

import (
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// Modules are the host modules to link: "ic0" and "ic0_64".
func Modules() []wasm.HostModule { return nil }

// Signature gives the signature of a function of the System API; it has the shape rewrite.Options asks for.
func Signature(name string, wide bool) (params, results []byte, ok bool) { return nil, nil, false }
