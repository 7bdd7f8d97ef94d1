package management

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// The Bitcoin methods belong to two canisters that know the Bitcoin network: calls are forwarded unchanged, with their
// attached cycles. A network without these canisters rejects them like any call of a missing canister.

// bitcoinNetwork is bitcoin_network, with the names that the replica also accepts.
type bitcoinNetwork struct {
	Mainnet        *candid.Null `ic:"mainnet,variant"`
	Testnet        *candid.Null `ic:"testnet,variant"`
	Regtest        *candid.Null `ic:"regtest,variant"`
	MainnetCapital *candid.Null `ic:"Mainnet,variant"`
	TestnetCapital *candid.Null `ic:"Testnet,variant"`
	RegtestCapital *candid.Null `ic:"Regtest,variant"`
}

// The ids of the Bitcoin canisters on mainnet; regtest is the testnet's.
const (
	bitcoinMainnet = "ghsi2-tqaaa-aaaan-aaaca-cai"
	bitcoinTestnet = "g4xu7-jiaaa-aaaan-aaaaq-cai"
)

// canister returns the Bitcoin canister of a network.
func (n *bitcoinNetwork) canister() principal.Principal {
	if n.Mainnet != nil || n.MainnetCapital != nil {
		return principal.MustParse(bitcoinMainnet)
	}
	return principal.MustParse(bitcoinTestnet)
}

// noBitcoin answers a call that reached a subnet instead of a Bitcoin canister.
func noBitcoin[A any](*state.ManagementCall, *A) state.Answer { return state.Fail(rejectNoBitcoin()) }

// bitcoinMethods returns the methods of the Bitcoin network.
func bitcoinMethods() []method {
	return []method{
		withHandler(method{name: "bitcoin_get_balance", result: of[uint64](), users: notByIngress}, read, noBitcoin[bitcoinBalanceArg]),
		withHandler(method{name: "bitcoin_get_utxos", result: of[bitcoinUtxosResult](), users: notByIngress}, read, noBitcoin[bitcoinUtxosArg]),
		withHandler(method{name: "bitcoin_get_block_headers", result: of[bitcoinHeadersResult](), users: notByIngress}, read, noBitcoin[bitcoinHeadersArg]),
		withHandler(method{name: "bitcoin_send_transaction", users: notByIngress}, read, noBitcoin[bitcoinSendArg]),
		withHandler(method{name: "bitcoin_get_current_fee_percentiles", result: of[[]uint64](), users: notByIngress}, read, noBitcoin[bitcoinFeesArg]),
	}
}
