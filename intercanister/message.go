package intercanister

import (
	"fmt"
	"unicode/utf8"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/timers"
)

// CallID identifies one outgoing call of a subnet: the future that waits for its response. Ids are assigned in order
// and never reused; 0 means none.
type CallID uint64

// ContextID identifies one call context of a subnet. Ids are assigned in order and never reused; 0 means none.
type ContextID uint64

// Closure is a callback function of a canister: an index into its table and an opaque environment (interface
// specification, "ic0.call_new"). For a canister with 32-bit memory Env holds a 32-bit value.
type Closure struct {
	Fn  uint32
	Env uint64
}

// Request is a call as its sender made it.
type Request struct {
	Call     CallID // the sender's future, settled by the response
	Sender   principal.Principal
	Receiver principal.Principal
	Method   string
	Payload  []byte // argument, owned by the request, never modified
	Cycles   cycles.Amount
	Deadline uint64        // nanoseconds; 0 for a call with guaranteed response
	Expiry   timers.Handle // if it waits for its execution and has a deadline
}

// Response settles a call: exactly one of Reply and Reject is used.
type Response struct {
	Reply  []byte  // argument of the reply if Reject is nil
	Reject *Reject // nil for a reply
	Refund cycles.Amount
}

// Reject is a negative answer to a call. It is part of the replicated state: its text is exactly the replica's.
type Reject struct {
	Code  RejectCode
	Error ErrorCode
	Text  string
	// HideErrorCode means that calling canisters read the text without the error code before it: texts of the network
	// itself and of the management canister, and all answers to calls of a composite query.
	HideErrorCode bool
}

// Rejectf returns a reject with the reject code that belongs to the error code.
func Rejectf(code ErrorCode, format string, args ...any) *Reject {
	return &Reject{Code: code.Reject(), Error: code, Text: fmt.Sprintf(format, args...)}
}

// RejectResponseDropped returns the reject for the caller of a best-effort call whose response was lost: the outcome is
// unknown.
func RejectResponseDropped() *Reject {
	return Rejectf(ResponseDropped, "Response was dropped.").WithoutErrorCode()
}

// Elide shortens a text that is too long for a reject: it keeps the first half of the allowed length, and as much of
// the end as fits.
func Elide(text string) string {
	const dots = "..."
	if len(text) <= MaxRejectTextBytes {
		return text
	}
	head := MaxRejectTextBytes / 2
	tail := len(text) - (MaxRejectTextBytes - len(dots) - head)
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + dots + text[tail:]
}

// Message returns the text that a calling canister reads with ic0.msg_reject_msg_copy: for an explicit ic0.msg_reject
// exactly the callee's text, otherwise with the error code before it.
func (r *Reject) Message() string {
	if !r.showsErrorCode() {
		return r.Text
	}
	return r.Error.String() + ": " + r.Text
}

// PayloadBytes returns the size of the content of a response, which its caller pays for: the reply, or a byte for the
// reject code and the text as the caller reads it.
func (r *Response) PayloadBytes() int {
	switch {
	case r.Reject == nil:
		return len(r.Reply)
	case r.Reject.showsErrorCode():
		return 1 + len("IC0000: ") + len(r.Reject.Text)
	}
	return 1 + len(r.Reject.Text)
}

// showsErrorCode reports whether callers read the error code before the text.
func (r *Reject) showsErrorCode() bool {
	return !r.HideErrorCode && (r.Code != CanisterReject || r.Error != CanisterRejectedMessage)
}

// WithoutErrorCode returns the reject with a text that calling canisters read unchanged.
func (r *Reject) WithoutErrorCode() *Reject {
	r.HideErrorCode = true
	return r
}

// WithoutCode returns the reject for readers who never see its error code: a copy, or nil for nil.
func (r *Reject) WithoutCode() *Reject {
	if r == nil || r.HideErrorCode {
		return r
	}
	bare := *r
	return bare.WithoutErrorCode()
}

// String returns code and text, for people. Rejects from outside have no error code. The text of nil is that of fmt, which
// would recover from a fault for it.
func (r *Reject) String() string {
	if r == nil {
		return "<nil>"
	}
	if r.Error == 0 {
		return fmt.Sprintf("%s: %s", r.Code, r.Text)
	}
	return fmt.Sprintf("%s (%s): %s", r.Code, r.Error, r.Text)
}
