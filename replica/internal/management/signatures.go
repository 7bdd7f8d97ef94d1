package management

import (
	"strings"

	"github.com/canisterd/canisterd/candid"
)

// shape is the Go type of an argument or result.
type shape func() (*candid.Type, error)

func of[T any]() shape { return candid.TypeFor[T] }

// The answer of the Bitcoin canisters, which is not read here.
type bitcoinUtxosResult struct {
	Utxos []struct {
		Outpoint struct {
			Transaction []byte `ic:"txid"`
			Index       uint32 `ic:"vout"`
		} `ic:"outpoint"`
		Value  uint64 `ic:"value"`
		Height uint32 `ic:"height"`
	} `ic:"utxos"`
	Tip    []byte  `ic:"tip_block_hash"`
	Height uint32  `ic:"tip_height"`
	Page   *[]byte `ic:"next_page"`
}

type bitcoinHeadersResult struct {
	Height  uint32   `ic:"tip_height"`
	Headers [][]byte `ic:"block_headers"`
}

// Interface returns the Candid interface of the management canister, as text.
func Interface() string {
	var methods []candid.Method
	for _, m := range table() {
		signature := candid.Signature{Args: typesOf(m.argument), Results: typesOf(m.result)}
		if m.onlyQueriedByUsers() {
			signature.Annotation = candid.Query
		}
		function, err := candid.FuncOf(signature)
		if err != nil {
			panic("management: the signature of " + m.name + ": " + err.Error())
		}
		methods = append(methods, candid.Method{Name: m.name, Type: function})
	}
	service, err := candid.ServiceOf(methods...)
	if err != nil {
		panic("management: the interface: " + err.Error())
	}
	return "service : " + strings.TrimPrefix(service.Definition(), "service ")
}

func typesOf(s shape) []*candid.Type {
	if s == nil {
		return nil
	}
	t, err := s()
	if err != nil {
		panic("management: a Go type without a Candid type: " + err.Error())
	}
	return []*candid.Type{t}
}
