package management

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// The rejects of the management canister, with the replica's texts.

const documentation = " See documentation: https://internetcomputer.org/docs/current/references/execution-errors#"

// help returns the advice at the end of some texts; some advice has no page.
func help(advice, anchor string) string {
	if anchor == "" {
		return "\n" + advice + " See documentation: "
	}
	return "\n" + advice + documentation + anchor
}

// cut returns a reject with a text, which may repeat input of the caller, of at most the length of the replica's
// longest; it removes the middle.
func cut(r *intercanister.Reject) *intercanister.Reject {
	const dots = "..."
	if r == nil || len(r.Text) <= intercanister.MaxRejectTextBytes {
		return r
	}
	head := (intercanister.MaxRejectTextBytes - len(dots)) / 2
	tail := len(r.Text) - (intercanister.MaxRejectTextBytes - len(dots) - head)
	short := *r
	short.Text = strings.ToValidUTF8(r.Text[:head], "") + dots + strings.ToValidUTF8(r.Text[tail:], "")
	return &short
}

// Kinds of messages.

func rejectNotExposed(method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterMethodNotFound, "ic00 interface does not expose method %s", method)
}

func rejectNotByIngress(method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "ic00 method %s can not be called via ingress messages", method)
}

func rejectOnlyCanisters(method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Only canisters can call ic00 method %s", method)
}

func rejectPayload(method string, err error) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload, "Failed to parse payload for ic00 method %s: %s: %s",
		method, intercanister.InvalidManagementPayload, undecodable(err))
}

func rejectNotFoundIngress(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotFound, "Canister %s not found", id)
}

func rejectNotFoundQuery(id principal.Principal) *intercanister.Reject {
	return rejectNotFoundIngress(id)
}

func rejectOnlyControllers(id principal.Principal, method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterInvalidController, "Only controllers of canister %s can call ic00 method %s", id, method)
}

func rejectNoMethod(method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterMethodNotFound, "Management canister has no method '%s'", method)
}

func rejectNoQuery(method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterMethodNotFound, "Query method %s not found.", method)
}

func rejectOnlyQuery(method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "%s API is only accessible to end users in non-replicated mode", method)
}

// rejectFee rejects a call with too few attached cycles to pay for its request.
func rejectFee(method string, sent, fee cycles.Amount) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage,
		"%s request sent with %s cycles, but %s cycles are required.", method, grouped(sent), grouped(fee))
}

func rejectUser(method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterContractViolation, "%s cannot be called by a user.", method)
}

func rejectUndecodable(err error) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload, "%s", undecodable(err))
}

// undecodable returns the text for an argument that does not have the method's type.
func undecodable(err error) string {
	var whole *payloadError
	if errors.As(err, &whole) {
		return whole.text
	}
	return "Error decoding candid: " + err.Error()
}

// payloadError is a fault of an argument with its own text.
type payloadError struct{ text string }

func (e *payloadError) Error() string { return e.text }

func tooManyElements(limit int) error {
	return fmt.Errorf("Deserialize error: The number of elements exceeds maximum allowed %d", limit)
}

func rejectFar(subnet principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterContractViolation,
		"Incorrect sender subnet id: %s. Sender should be on the same subnet or on the NNS subnet.", subnet)
}

func rejectFarCreation() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterContractViolation,
		"Cannot create canister. Sender should be on the same subnet or on the NNS subnet.")
}

// Canisters and permissions.

func rejectNotFound(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotFound, "Canister %s not found.", id)
}

// rejectGone is rejectNotFound with advice, for methods that end something.
func rejectGone(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotFound, "Canister %s not found.%s", id,
		help("Check the ICP dashboard to ensure the canister exists.", "canister-not-found"))
}

func rejectController(r *state.Entry, caller principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterInvalidController,
		"Only the controllers of the canister %s can control it.\nCanister's controllers: %s\nSender's ID: %s%s",
		r.ID(), spaced(r.Canister.Settings.Controllers), caller,
		help("Execute this call from a controller of the target canister or add the current caller as a controller.", "invalid-controller"))
}

// rejectNeither rejects callers that neither control a canister nor are admins, on subnets that can have admins.
func rejectNeither(r *state.Entry, c *state.ManagementCall) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterInvalidControllerOrSubnetAdmin,
		"Only the controllers of the canister %s or subnet admins can control it.\nCanister's controllers: %s\nSubnet admins: %s\nSender's ID: %s%s",
		r.ID(), spaced(r.Canister.Settings.Controllers), spaced(c.State.Admins), c.Caller,
		help("Execute this call from a controller of the target canister or a subnet admin.", "invalid-controller-or-subnet-admin"))
}

func rejectAdmin(c *state.ManagementCall) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidSubnetAdmin,
		"Only subnet admins can call this method.\nSubnet admins: %s\nSender's ID: %s%s", spaced(c.State.Admins), c.Caller,
		help("Execute this call from a subnet admin.", "invalid-subnet-admin"))
}

func rejectNoAdmins(method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "%s is only available on subnets with subnet admins", method)
}

// spaced formats principals as the replica lists them.
func spaced(ids []principal.Principal) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	return strings.Join(names, " ")
}

func rejectStatusDenied(caller principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterStatusAccessDenied, "Caller %s is not allowed to read the canister status", caller)
}

func rejectLogsDenied(caller principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Caller %s is not allowed to access canister logs", caller)
}

func rejectDeleteSelf(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterInvalidController, "Canister %s cannot delete itself.%s", id,
		help("Delete the canister from one of its other controllers.", "delete-canister-self"))
}

func rejectNotStopped(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNotStopped, "Canister %s must be stopped before it is deleted.%s", id,
		help("Stop the canister before deleting it.", "delete-canister-not-stopped"))
}

func rejectQueueNotEmpty(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterQueueNotEmpty,
		"Canister %s has messages in its queues and cannot be deleted now. Please retry after some time.%s", id,
		help("Wait until the queues have been cleared to delete the canister and in the meantime stop the canister.", "delete-canister-queue-not-empty"))
}

func rejectCreationFee(fee, sent cycles.Amount) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InsufficientCyclesForCreateCanister,
		"Creating a canister requires a fee of %s that is deducted from the canister's initial balance but only %s cycles were received with the create_canister request.%s",
		grouped(fee), grouped(sent), help("Try sending more cycles with the request.", "create-canister-not-enough-cycles"))
}

func rejectSpecifiedID(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload,
		"The `specified_id` %s is invalid because it belongs to the canister allocation ranges of the test environment.%s", id,
		help("Use a `specified_id` that matches a canister ID on the ICP mainnet and a test environment that supports canister creation with `specified_id` (e.g., PocketIC).", ""))
}

func rejectOutOfCycles(r *state.Entry, missing cycles.Amount, caller principal.Principal) *intercanister.Reject {
	if !r.Controls(caller) {
		return intercanister.Rejectf(intercanister.CanisterOutOfCycles, "Canister %s is out of cycles", r.ID())
	}
	return intercanister.Rejectf(intercanister.CanisterOutOfCycles,
		"Canister %s is out of cycles: please top up the canister with at least %s additional cycles", r.ID(), grouped(missing))
}

// Code.

func rejectNonEmpty(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterNonEmpty,
		"Canister %s cannot be installed because the canister is not empty. Try installing with mode='reinstall' instead.%s", id,
		help("Check that you want to overwrite the canister and, if so, use mode='reinstall'.", "canister-not-empty"))
}

func rejectInstallOutOfCycles(cause *intercanister.Reject) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterOutOfCycles, "Canister installation failed with `%s`.%s", cause.Text,
		help("Top up the canister with more cycles.", "install-code-not-enough-cycles"))
}

func rejectChunkStore(format string, args ...any) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterContractViolation, "Error from Wasm chunk store: %s.%s", fmt.Sprintf(format, args...),
		help("Use the `stored_chunks` API to check which hashes are present or top up the canister if it is low on cycles.", "wasm-chunk-store-error"))
}

func rejectNoStore(store, subnet, target principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage,
		"InstallChunkedCode Error: Store canister %s was not found on subnet %s of target canister %s", store, subnet, target)
}

func rejectModuleHash(hash []byte) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterContractViolation, "Invalid wasm hash %s", listed(hash))
}

func rejectNoMetadata(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "The canister %s has no Wasm module and hence no metadata is available.", id)
}

func rejectNoSection(id principal.Principal, name string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "The canister %s has no metadata section with the name %s.", id, name)
}

// listed formats bytes as the replica prints them: [1, 2, 3].
func listed(raw []byte) string {
	out := []byte{'['}
	for i, b := range raw {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = strconv.AppendUint(out, uint64(b), 10)
	}
	return string(append(out, ']'))
}

// grouped formats a number with its digits in groups of three, as the replica prints cycles and natural numbers.
func grouped(n fmt.Stringer) string {
	digits := n.String()
	out := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, '_')
		}
		out = append(out, digits[i])
	}
	return string(out)
}

func rejectUpgradeEmpty(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterWasmModuleNotFound,
		"Error from Canister %s: Attempted to execute a message, but the canister contains no Wasm module..%s", id,
		help("Please install code to this canister before calling it.", "wasm-module-not-found"))
}
