package canisterd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
)

// ErrWaiting is the error of a call that is not answered before time passes, a held message is released or an outcall
// is answered. The call continues.
var ErrWaiting = errors.New("nothing more happens before time passes or a held message is released")

// Refusal is a request that the network refused, such as a time in the past: nothing happened.
type Refusal = refusal.Refusal

// RejectCode says who is to blame for a rejected call (interface specification, "Reject codes").
type RejectCode = intercanister.RejectCode

// The reject codes.
const (
	SysFatal           = intercanister.SysFatal
	SysTransient       = intercanister.SysTransient
	DestinationInvalid = intercanister.DestinationInvalid
	CanisterReject     = intercanister.CanisterReject
	CanisterError      = intercanister.CanisterError
	SysUnknown         = intercanister.SysUnknown
)

// Reject is the error of a rejected call: by the canister, because its code failed, or by the network.
type Reject struct {
	Canister  principal.Principal // the callee
	Method    string
	Code      RejectCode
	ErrorCode string // such as IC0503; "" if the canister rejects with its own code
	Message   string // the replica's text, or the canister's
	// Backtrace is where code failed, innermost first; empty if none did. It continues beyond the callee in the
	// canisters that called one another.
	Backtrace []Frame
	name      string
}

// Frame is a line of a backtrace.
type Frame struct {
	Canister principal.Principal
	Function string // of the module, or the called method
}

// Error returns the text of the reject, with its backtrace unless the message has one.
func (r *Reject) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s.%s: rejected with code %d", r.name, r.Method, r.Code)
	if r.ErrorCode != "" {
		fmt.Fprintf(&text, " (%s)", r.ErrorCode)
	}
	text.WriteString(": " + r.Message)
	if len(r.Backtrace) > 0 && !strings.Contains(r.Message, "\nCanister Backtrace:\n") {
		text.WriteString("\nbacktrace, innermost first:")
		for _, f := range r.Backtrace {
			fmt.Fprintf(&text, "\n  %s in %s", f.Function, f.Canister)
		}
	}
	return text.String()
}

// rejected returns the error for a reject of a call.
func (c *Canister) rejected(method string, r *intercanister.Reject, backtrace []replica.Frame) error {
	out := &Reject{Canister: c.id, Method: method, Code: r.Code, Message: r.Text, name: c.network.called(c.id)}
	if r.Error != 0 {
		out.ErrorCode = r.Error.String()
	}
	for _, f := range backtrace {
		out.Backtrace = append(out.Backtrace, Frame{f.Canister, strings.ToValidUTF8(f.Function, "\uFFFD")})
	}
	return out
}
