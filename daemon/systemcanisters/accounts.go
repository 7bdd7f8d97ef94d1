package systemcanisters

import "encoding/hex"

// funded are the account identifiers that have ICP from the start, as in PocketIC: two of dfx, and that of the anonymous
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
