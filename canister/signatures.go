package canister

import (
	"sync"

	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/wasi"
)

// signatures are the types of the functions that modules may import, by name.
type signatures struct {
	narrow, wide map[string]ic0.Signature // of the System API
	wasi         map[string]ic0.Signature // of WASI preview 1
}

// theSignatures returns the signatures that all engines share. They are read-only.
var theSignatures = sync.OnceValue(func() *signatures {
	return &signatures{narrow: ic0.Signatures(false), wide: ic0.Signatures(true), wasi: wasi.Signatures()}
})

// systemAPI returns the type of a function of the System API.
func (all *signatures) systemAPI(name string, wide bool) (params, results []byte, ok bool) {
	table := all.narrow
	if wide {
		table = all.wide
	}
	s, ok := table[name]
	return s.Params, s.Results, ok
}

// ofWASI returns the type of a function of WASI preview 1.
func (all *signatures) ofWASI(name string) (params, results []byte, ok bool) {
	s, ok := all.wasi[name]
	return s.Params, s.Results, ok
}
