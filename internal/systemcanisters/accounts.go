package systemcanisters

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// funded are the account identifiers that have ICP from the start, as in PocketIC: two of dfx, and the one of the anonymous
// principal.
var funded = []string{
	"5b315d2f6702cb3a27d826161797d7b2c2e131cd312aece51d4d5574d1247087",
	"2b8fbde99de881f695f279d2a892b1137bfe81a42d7694e064b1be58701e1138",
	"1c7a48ba6a562aa9eaa2481a9049cdf0433b9738c992d698c31d8abf89cadc79",
}

// fundedAccounts are these accounts with their ICP.
func fundedAccounts() []fundedAccount {
	all := make([]fundedAccount, len(funded))
	for i, text := range funded {
		id, err := hex.DecodeString(text)
		if err != nil {
			panic(err) // a constant of this file
		}
		all[i] = fundedAccount{id, fundedE8s}
	}
	return all
}

// accountOf is the account identifier of a principal, in hexadecimal: a checksum, and a hash of the principal and of a
// subaccount of zeros.
func accountOf(owner principal.Principal) string {
	hash := sha256.Sum224(append(append([]byte("\x0aaccount-id"), owner.Bytes()...), make([]byte, 32)...))
	return hex.EncodeToString(append(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(hash[:])), hash[:]...))
}

type (
	publishedTokens struct {
		E8s uint64 `ic:"e8s"`
	}
	publishedBalance struct {
		Account string          `ic:"0,tuple"`
		Amount  publishedTokens `ic:"1,tuple"`
	}
	publishedLedgerInit struct {
		Minting   string                `ic:"minting_account"`
		Balances  []publishedBalance    `ic:"initial_values"`
		Whitelist []principal.Principal `ic:"send_whitelist"`
		Fee       *publishedTokens      `ic:"transfer_fee"`
		Symbol    *string               `ic:"token_symbol"`
		Name      *string               `ic:"token_name"`
	}
	publishedLedger struct {
		Init *publishedLedgerInit `ic:"Init,variant"`
	}
)

// publishedLedgerArg is the argument of the published ledger: the same accounts have the same ICP as in the one here.
func publishedLedgerArg() ([]byte, error) {
	symbol, name := "ICP", "Internet Computer"
	arg := publishedLedgerInit{
		Minting: accountOf(principal.Canister(governanceIndex)), Whitelist: []principal.Principal{},
		Fee: &publishedTokens{10_000}, Symbol: &symbol, Name: &name,
	}
	for _, account := range funded {
		arg.Balances = append(arg.Balances, publishedBalance{account, publishedTokens{fundedE8s}})
	}
	return candid.Marshal(publishedLedger{&arg})
}
