package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// The rejects of the subnet itself, with the replica's texts.

// internalError is what the replica appends to errors that should not happen.
const internalError = "\nThis is an internal error on the IC. Please report it to IC devs on the forum: https://forum.dfinity.org"

const documentation = " See documentation: https://internetcomputer.org/docs/current/references/execution-errors#"

func rejectNotFound(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotFound, "Canister %s not found", id)
}

// rejectReceiverNotFound rejects a request to a canister that does not exist.
func rejectReceiverNotFound(id principal.Principal) *intercanister.Reject {
	return rejectNotFound(id).WithoutErrorCode()
}

func rejectNoRoute(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotFound, "No route to canister %s", id).WithoutErrorCode()
}

// rejectSubnetDeleted rejects a call that a subnet had accepted when it was deleted.
func rejectSubnetDeleted(subnet principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotFound, "Subnet %s was deleted before it answered the call", subnet).WithoutErrorCode()
}

// rejectQueryStopped rejects a query of a stopped canister; nil if it is not stopped.
func rejectQueryStopped(c *canister.Canister) *intercanister.Reject {
	if c.Status != canister.Stopped {
		return nil
	}
	return intercanister.Rejectf(intercanister.CanisterStopped, "Canister %s is stopped and therefore does not have a CallContextManager", c.ID)
}

// rejectNotRunning rejects a message before its execution; nil if the canister is running.
func rejectNotRunning(c *canister.Canister) *intercanister.Reject {
	switch c.Status {
	case canister.Stopping:
		return intercanister.Rejectf(intercanister.CanisterStopping, "Canister %s is not running", c.ID)
	case canister.Stopped:
		return intercanister.Rejectf(intercanister.CanisterStopped, "Canister %s is not running", c.ID)
	}
	return nil
}

// rejectIngress rejects a user's message that is about to enter; nil if the canister is running.
func rejectIngress(c *canister.Canister) *intercanister.Reject {
	switch c.Status {
	case canister.Stopping:
		return intercanister.Rejectf(intercanister.CanisterStopping, "Canister %s is stopping", c.ID)
	case canister.Stopped:
		return intercanister.Rejectf(intercanister.CanisterStopped, "Canister %s is stopped", c.ID)
	}
	return nil
}

// rejectRequest rejects a request that arrives; nil if the canister is running.
func rejectRequest(c *canister.Canister) *intercanister.Reject {
	if reject := rejectIngress(c); reject != nil {
		return reject.WithoutErrorCode()
	}
	return nil
}

func rejectEmpty(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterWasmModuleNotFound,
		"Error from Canister %s: Attempted to execute a message, but the canister contains no Wasm module..\n"+
			"Please install code to this canister before calling it.%swasm-module-not-found", id, documentation)
}

func rejectEmptyIngress() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterWasmModuleNotFound, "Requested canister has no wasm module")
}

func rejectNoMethod(id principal.Principal, kind, method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterMethodNotFound,
		"Error from Canister %s: Canister has no %s method '%s'..\n"+
			"Check that the method being called is exported by the target canister.%smethod-not-found", id, kind, method, documentation)
}

func rejectComposite() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CompositeQueryCalledInReplicatedMode, "Composite query cannot be called in replicated mode")
}

// grouped formats an amount as the replica prints cycles.
func grouped(a cycles.Amount) string { return a.Grouped() }

func rejectFrozenQuery(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterOutOfCycles,
		"Canister %s is unable to process query calls because it's frozen. Please top up the canister with cycles and try again.", id)
}

func rejectTooFewCycles(c *canister.Canister, attached, minimum cycles.Amount) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InsufficientCyclesInCall,
		"Canister %s requires at least %s cycles with a call, but %s were attached", c.ID, grouped(minimum), grouped(attached))
}

func rejectQueueFull() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterQueueFull, "Maximum queue capacity %d reached", intercanister.QueueCapacity)
}

// rejectInputFull rejects a request that finds no room in the queue of its receiver.
func rejectInputFull(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterQueueFull, "Canister %s input queue is full", id).WithoutErrorCode()
}

// rejectNoMessageMemory rejects a request for which the subnet lacks message memory, with the room that its response
// may need.
func rejectNoMessageMemory(bytes uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterOutOfMemory, "Cannot induct request. Out of memory: requested %d", bytes).WithoutErrorCode()
}

// rejectUnsent rejects a request that is still on its subnet. The replica gives it no error code.
func rejectUnsent() *intercanister.Reject {
	return (&intercanister.Reject{Code: intercanister.SysTransient, Text: "Request timed out."}).WithoutErrorCode()
}

// rejectTooLarge rejects a request to another subnet that is allowed only on the same subnet.
func rejectTooLarge(sender principal.Principal, size, limit int) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterContractViolation,
		"Canister %s violated contract: attempted to send a message of size %d exceeding the limit %d", sender, size, limit).WithoutErrorCode()
}

// rejectCloudEngine rejects a call that may not leave or enter a cloud engine. The replica gives it no error code.
func rejectCloudEngine() *intercanister.Reject {
	text := "Unbounded-wait calls and calls with cycles are not allowed to CloudEngine subnets"
	return (&intercanister.Reject{Code: intercanister.SysFatal, Text: text}).WithoutErrorCode()
}

func rejectIngressExpired() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.IngressMessageTimeout, "Ingress message timed out waiting to start executing.")
}

func rejectHistoryFull(capacity int) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.IngressHistoryFull, "Maximum ingress history capacity %d reached", capacity)
}

func rejectCallExpired() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.DeadlineExpired, "Call deadline has expired.").WithoutErrorCode()
}

func rejectUninstalled() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Canister has been uninstalled.")
}

// rejectNoReply rejects a call that can no longer be answered.
func rejectNoReply(c *intercanister.Context) *intercanister.Reject {
	if c.Origin.Kind == intercanister.FromIngress {
		return intercanister.Rejectf(intercanister.CanisterDidNotReply, "Canister %s did not reply to the call", c.Canister)
	}
	return intercanister.Rejectf(intercanister.CanisterDidNotReply, "No response").WithoutErrorCode()
}

func rejectStopTimeout() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.StopCanisterRequestTimeout, "Stop canister request timed out")
}

// rejectRestarted has two texts, for users and for canisters.
func rejectRestarted(id principal.Principal, origin intercanister.OriginKind) *intercanister.Reject {
	text := "Canister %s's stop request was cancelled."
	if origin == intercanister.FromCanister {
		text = "Canister %s's stop request cancelled"
	}
	return intercanister.Rejectf(intercanister.CanisterStoppingCancelled, text, id)
}

func rejectCanisterExists(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterAlreadyInstalled, "Canister %s is already installed."+internalError, id)
}

func rejectNotHosted(id, subnet principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotHostedBySubnet, "Unsuccessful validation of specified ID: Specified CanisterId %s is not hosted by subnet %s."+internalError, id, subnet)
}

func rejectTooManyCanisters(subnet principal.Principal, most int) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.MaxNumberOfCanistersReached, "Subnet %s has reached the allowed canister limit of %d canisters. Retry creating the canister.\nTry creating the canister on another subnet."+documentation+"maximum-number-of-canisters-reached", subnet, most)
}

func rejectNoCanisterIDs(subnet principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.SubnetOversubscribed, "Subnet %s has surpassed its canister ID allocation", subnet)
}

func rejectNotAccepted(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Error from Canister %s: Canister rejected the message", id)
}

// withErrorCode returns a reject for a user. A user always sees an error code: the first of its kind if the reject has
// none.
func withErrorCode(reject *intercanister.Reject) *intercanister.Reject {
	if reject == nil || reject.Error != 0 {
		return reject
	}
	whole := *reject
	whole.Error = map[intercanister.RejectCode]intercanister.ErrorCode{
		intercanister.SysFatal: intercanister.SubnetOversubscribed, intercanister.SysTransient: intercanister.CanisterQueueFull,
		intercanister.DestinationInvalid: intercanister.CanisterNotFound, intercanister.CanisterError: intercanister.CanisterTrapped,
	}[whole.Code]
	return &whole
}
