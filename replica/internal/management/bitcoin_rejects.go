package management

import "github.com/canisterd/canisterd/intercanister"

func rejectNoBitcoin() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "No bitcoin canisters available.")
}
