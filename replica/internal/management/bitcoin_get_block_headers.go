package management

import "github.com/canisterd/canisterd/candid/principal"

// bitcoinHeadersArg is the argument of bitcoin_get_block_headers, which is deprecated.
type bitcoinHeadersArg struct {
	Start   uint32         `ic:"start_height"`
	End     *uint32        `ic:"end_height"`
	Network bitcoinNetwork `ic:"network"`
}

func (a *bitcoinHeadersArg) destination() principal.Principal { return a.Network.canister() }
