package management

import "github.com/canisterd/canisterd/candid/principal"

// bitcoinSendArg is the argument of bitcoin_send_transaction, which is deprecated.
type bitcoinSendArg struct {
	Transaction []byte         `ic:"transaction"`
	Network     bitcoinNetwork `ic:"network"`
}

func (a *bitcoinSendArg) destination() principal.Principal { return a.Network.canister() }
