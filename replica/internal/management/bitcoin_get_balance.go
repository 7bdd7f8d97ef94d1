package management

import "github.com/canisterd/canisterd/candid/principal"

// bitcoinBalanceArg is the argument of bitcoin_get_balance, which is deprecated.
type bitcoinBalanceArg struct {
	Address          string         `ic:"address"`
	Network          bitcoinNetwork `ic:"network"`
	MinConfirmations *uint32        `ic:"min_confirmations"`
}

func (a *bitcoinBalanceArg) destination() principal.Principal { return a.Network.canister() }
