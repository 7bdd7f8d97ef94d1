package management

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// rejectOtherSubnet rejects a call that was sent to this subnet's id and asks about another subnet.
func rejectOtherSubnet(asked, here principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Provided target subnet ID %s does not match current subnet ID %s.", asked, here)
}
