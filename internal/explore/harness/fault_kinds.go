package harness

import (
	"fmt"
	"slices"
	"strings"
)

// faultKind describes a kind of faults for people.
type faultKind struct {
	name        string // in schedule files
	words       string // what happens to the message
	explanation string // what happens, and what the kind needs
}

// faultKinds are the kinds by number. NoFault has no name.
var faultKinds = [...]faultKind{
	NoFault:           {},
	RejectTransient:   {"reject_transient", "is rejected with SYS_TRANSIENT", "the network rejects a call, and its callee does not see it"},
	RejectDestination: {"reject_destination", "is rejected with DESTINATION_INVALID", "a call is rejected because its callee is gone"},
	RejectError:       {"reject_error", "is rejected with CANISTER_ERROR", "a call is rejected because its callee traps; the callee's state stays"},
	RejectCanister:    {"reject_canister", "is rejected with CANISTER_REJECT", "the code of the callee rejects a call; the callee's state stays"},
	Unknown:           {"unknown", "is not executed, and its caller gets SYS_UNKNOWN", "a best-effort call is lost: the callee does not run, and the caller gets SYS_UNKNOWN"},
	LostAnswer:        {"lost_answer", "is executed, but its caller gets SYS_UNKNOWN", "the answer to a best-effort call is lost: the callee has run, and the caller gets SYS_UNKNOWN, as for unknown"},
	TrapCallback:      {"trap_callback", "traps in its callback", "a callback exceeds the instruction limit; the cleanup runs"},
	TrapCleanup:       {"trap_cleanup", "traps in its callback and in the cleanup", "a callback exceeds the instruction limit, and so does its cleanup"},
	NoCalls:           {"no_calls", "cannot make calls (call_perform is not 0)", "a message cannot make calls: ic0.call_perform does not return 0"},
	Silent:            {"silent", "is never answered", "a canister of --untrusted never answers a call"},
	FireTimer:         {"fire_timer", "is followed by the global timer of its canister", "the global timer of a canister fires after a message, before it is due"},
	PassTime:          {"pass_time", "is followed by time until the next timer or deadline", "after a message, the round ends and time passes until the next timer or the next deadline of a call; heartbeats run"},
	Stop:              {"stop", "comes when its canister was asked to stop", "a canister is asked to stop between a call and its answer; it is started again when no message is left"},
	Upgrade:           {"upgrade", "comes after an upgrade of its canister", "a canister of --upgrade is upgraded between a call and its answer"},
	SendTwice:         {"send_twice", "is sent twice by its user", "the user sends the message of an operation of --twice again, and both are executed"},
	OtherAnswer:       {"other_answer", "has another answer of the list", "an HTTP outcall gets an answer of --outcall other than the first"},
}

// FaultKinds returns all kinds except NoFault.
func FaultKinds() (all []FaultKind) {
	for k := RejectTransient; int(k) < len(faultKinds); k++ {
		all = append(all, k)
	}
	return all
}

// String returns the name of the kind in schedule files.
func (k FaultKind) String() string { return faultKinds[k].name }

// Words say what happens to the message: "is rejected with SYS_TRANSIENT".
func (k FaultKind) Words() string { return faultKinds[k].words }

// Explanation says what happens, and which flag a kind needs.
func (k FaultKind) Explanation() string { return faultKinds[k].explanation }

// ParseFault returns the kind with a name.
func ParseFault(name string) (FaultKind, error) {
	all := FaultKinds()
	at := slices.IndexFunc(all, func(k FaultKind) bool { return k.String() == name })
	if at < 0 {
		names := make([]string, len(all))
		for i, k := range all {
			names[i] = k.String()
		}
		return NoFault, fmt.Errorf("invalid fault %q: expected one of %s", name, strings.Join(names, ", "))
	}
	return all[at], nil
}
