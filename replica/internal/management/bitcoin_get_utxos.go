package management

import "github.com/canisterd/canisterd/candid/principal"

// bitcoinUtxosArg is the argument of bitcoin_get_utxos, which is deprecated.
type bitcoinUtxosArg struct {
	Address string         `ic:"address"`
	Network bitcoinNetwork `ic:"network"`
	Filter  *utxosFilter   `ic:"filter"`
}

type utxosFilter struct {
	MinConfirmations *uint32 `ic:"min_confirmations,variant"`
	Page             *[]byte `ic:"page,variant"`
}

func (a *bitcoinUtxosArg) destination() principal.Principal { return a.Network.canister() }
