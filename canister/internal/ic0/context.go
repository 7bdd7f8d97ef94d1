package ic0

import (
	"fmt"
	"slices"
	"strings"
)

// Context is an execution context of the System API (interface specification, "Overview of imports"): the kind of the
// running message determines which functions it may call.
type Context uint8

// The contexts, with the specification's letters.
const (
	Start            Context = iota // s: the module's start function
	Init                            // I: canister_init
	PostUpgrade                     // I: canister_post_upgrade
	PreUpgrade                      // G: canister_pre_upgrade
	Update                          // U: an update method
	ReplicatedQuery                 // RQ: a query method, called as an update
	Query                           // NRQ: a query method, called by a user's query
	TransformQuery                  // TQ: a query method that transforms the answer of an HTTP outcall
	CompositeQuery                  // CQ: a composite query method
	ReplyCallback                   // Ry
	RejectCallback                  // Rt
	CompositeReply                  // CRy: the reply callback of a composite query
	CompositeReject                 // CRt: the reject callback of a composite query
	Cleanup                         // C
	CompositeCleanup                // CC
	InspectMessage                  // F: canister_inspect_message
	Heartbeat                       // T: canister_heartbeat
	GlobalTimer                     // T: canister_global_timer
	LowMemory                       // T: canister_on_low_wasm_memory
	contexts
)

// String returns the replica's name of the context in its texts.
func (c Context) String() string {
	if c < contexts {
		return modes[c]
	}
	return fmt.Sprintf("context %d", uint8(c))
}

// modes are the replica's terms for the contexts, as in `"ic0_call_new" cannot be executed in start mode`.
var modes = [contexts]string{
	Start: "start", Init: "init", PostUpgrade: "init", PreUpgrade: "pre upgrade",
	Update: "update", ReplicatedQuery: "replicated query", Query: "non replicated query",
	TransformQuery: "non replicated query", CompositeQuery: "composite query",
	ReplyCallback: "reply callback", RejectCallback: "reject callback",
	CompositeReply: "composite reply callback", CompositeReject: "composite reject callback",
	Cleanup: "cleanup", CompositeCleanup: "composite cleanup",
	InspectMessage: "inspect message", Heartbeat: "heartbeat", GlobalTimer: "global timer", LowMemory: "on low Wasm memory",
}

// Entry returns the export that the system calls in this context, or "" if the message specifies what runs.
func (c Context) Entry() string {
	switch c {
	case Init:
		return "canister_init"
	case PreUpgrade:
		return "canister_pre_upgrade"
	case PostUpgrade:
		return "canister_post_upgrade"
	case InspectMessage:
		return "canister_inspect_message"
	case Heartbeat:
		return "canister_heartbeat"
	case GlobalTimer:
		return "canister_global_timer"
	case LowMemory:
		return "canister_on_low_wasm_memory"
	}
	return ""
}

// set is a set of contexts.
type set uint32

func of(all ...Context) set {
	var s set
	for _, c := range all {
		s |= 1 << c
	}
	return s
}

func (s set) has(c Context) bool { return s>>c&1 != 0 }

var replicated = of(Start, Init, PostUpgrade, PreUpgrade, Update, ReplicatedQuery,
	ReplyCallback, RejectCallback, Cleanup, Heartbeat, GlobalTimer, LowMemory)

// Replicated reports whether every node of the subnet runs the message:
// ic0.in_replicated_execution.
func (c Context) Replicated() bool { return replicated.has(c) }

// Keeps reports whether the changes of the canister's memories and certified data are kept when the message succeeds.
func (c Context) Keeps() bool { return replicated.has(c) && c != ReplicatedQuery }

// letters are the specification's letters of the contexts.
var letters = [contexts]string{
	Start: "s", Init: "I", PostUpgrade: "I", PreUpgrade: "G", Update: "U", ReplicatedQuery: "RQ", Query: "NRQ", TransformQuery: "TQ",
	CompositeQuery: "CQ", ReplyCallback: "Ry", RejectCallback: "Rt", CompositeReply: "CRy", CompositeReject: "CRt", Cleanup: "C",
	CompositeCleanup: "CC", InspectMessage: "F", Heartbeat: "T", GlobalTimer: "T", LowMemory: "T",
}

// String returns the set in the specification's letters; * is every context except s.
func (s set) String() string {
	if s&anywhere == anywhere {
		if s.has(Start) {
			return "* s"
		}
		return "*"
	}
	var words []string
	for c := range contexts {
		if s.has(c) && !slices.Contains(words, letters[c]) {
			words = append(words, letters[c])
		}
	}
	return strings.Join(words, " ")
}
