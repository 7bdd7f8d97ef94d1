package management

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// rejectOtherSubnet is for a call that reached this subnet by its own id and
// asks about another.
func rejectOtherSubnet(asked, here principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Provided target subnet ID %s does not match current subnet ID %s.", asked, here)
}
