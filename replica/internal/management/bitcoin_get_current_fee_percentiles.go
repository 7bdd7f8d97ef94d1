package management

import "github.com/canisterd/canisterd/candid/principal"

// bitcoinFeesArg is the argument of bitcoin_get_current_fee_percentiles, which is deprecated.
type bitcoinFeesArg struct {
	Network bitcoinNetwork `ic:"network"`
}

func (a *bitcoinFeesArg) destination() principal.Principal { return a.Network.canister() }
