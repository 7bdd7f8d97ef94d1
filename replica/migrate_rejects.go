package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// The texts of the replica for a canister that cannot be renamed or is migrating.

func rejectMovedNotStopped(id principal.Principal, doing string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotStopped,
		"Canister %s must be stopped before it is %sed.\nStop the canister before %sing. See documentation: ", id, doing, doing)
}

func rejectMovedSnapshots(id principal.Principal, doing string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNonEmpty,
		"Canister %s must not have any snapshots before it is %sed.\nDelete all snapshots before %sing. See documentation: ", id, doing, doing)
}

// rejectMigrating rejects a request that comes to the former subnet of its receiver.
func rejectMigrating(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterQueueFull, "Canister %s is migrating", id).WithoutErrorCode()
}
