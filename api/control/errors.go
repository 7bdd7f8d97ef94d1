package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/driver"
)

// Domain is the domain of every google.rpc.ErrorInfo.
const Domain = "canisterd"

// Reason is why an RPC is refused: the part that clients can rely on. Its name never changes, its text may.
type Reason struct {
	Name     string // of google.rpc.ErrorInfo
	Code     codes.Code
	Text     string   // with verbs for the arguments of Refuse
	Keys     []string // of the metadata, one per argument; "" for an argument that is only in the text
	Optional []string // further keys of the metadata, which only some refusals have
	Advice   string   // names RPCs and fields; it follows the text, and is in the metadata for clients with advice of their own
}

var reasons []*Reason

// reason declares a reason; only variables of the package call it.
func reason(name string, code codes.Code, text string, keys ...string) *Reason {
	r := &Reason{Name: name, Code: code, Text: text, Keys: keys}
	reasons = append(reasons, r)
	return r
}

// advise sets the advice of a reason that is being declared.
func (r *Reason) advise(advice string) *Reason {
	r.Advice = advice
	return r
}

// optional sets the optional keys of a reason that is being declared.
func (r *Reason) optional(keys ...string) *Reason {
	r.Optional = keys
	return r
}

// Reasons returns all reasons, ordered by name.
func Reasons() []*Reason {
	return slices.SortedFunc(slices.Values(reasons), func(a, b *Reason) int { return cmp.Compare(a.Name, b.Name) })
}

// Reasons that all services share.
var (
	// BadField is for a field with an invalid value: field, value, what is allowed or why not.
	BadField = instanceReasons[instance.BadField]
	// MissingField is for a required field: field, what to set.
	MissingField    = reason("MISSING_FIELD", codes.InvalidArgument, "%s is not set: %s", "field", "problem")
	Bug             = reason("BUG", codes.Internal, "internal error, which is a bug in canisterd: %v")
	stateDamaged    = reason("STATE_DAMAGED", codes.DataLoss, "%v", "", "state_dir")
	Unexpected      = reason("UNEXPECTED", codes.Internal, "unexpected error: %v")
	deadlinePassed  = reason("DEADLINE_PASSED", codes.DeadlineExceeded, "the deadline has passed: %v")
	givenUp         = reason("GIVEN_UP", codes.Canceled, "the client has canceled the request: %v")
	requestUndone   = reason("REQUEST_UNDONE", codes.Aborted, "%v")
	instanceStopped = reason("INSTANCE_STOPPED", codes.Unavailable, "the instance has stopped: %v")
	requestUnknown  = reason("REQUEST_UNKNOWN", codes.NotFound, "%v")
	messageRefused  = reason("MESSAGE_REFUSED", codes.InvalidArgument, "%s", "", "kind")
	messageTooLarge = reason("MESSAGE_TOO_LARGE", codes.ResourceExhausted, "%s", "", "kind")
	memorySpent     = reason("MEMORY_SPENT", codes.ResourceExhausted, "%v", "", "budget", "wanted", "used", "limit")
	overloaded      = reason("OVERLOADED", codes.Unavailable, "%s", "", "kind")
)

// Error is the error of a refused RPC.
type Error struct {
	Reason   *Reason
	Text     string
	Metadata map[string]string
}

// Refuse returns a refusal for a reason, with the arguments of its text; those with a key are its metadata. Anything
// too long for the trailers of an answer is cut off.
func (r *Reason) Refuse(args ...any) *Error {
	in := args[:min(len(args), countVerbs(r.Text))]
	refusal := &Error{Reason: r, Text: shortened(fmt.Sprintf(r.Text, in...), maxErrorText)}
	for i, key := range r.Keys {
		if key != "" && i < len(args) {
			refusal = refusal.With(key, fmt.Sprint(args[i]))
		}
	}
	if r.Advice != "" {
		refusal.Text += ": " + r.Advice
		refusal = refusal.With("advice", r.Advice)
	}
	return refusal
}

// shortened returns a UTF-8 text of at most a number of bytes: a longer text ends with ….
func shortened(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	end := most - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// countVerbs returns how many arguments a text takes; later ones are only for the metadata.
func countVerbs(text string) (n int) {
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		if i++; i < len(text) && text[i] != '%' {
			n++
		}
	}
	return n
}

// With adds to the metadata.
func (r *Error) With(key, value string) *Error {
	if r.Metadata == nil {
		r.Metadata = make(map[string]string)
	}
	r.Metadata[key] = shortened(value, maxErrorValue)
	return r
}

// Error returns the text.
func (r *Error) Error() string { return r.Text }

// GRPCStatus returns the code, the text and a google.rpc.ErrorInfo.
func (r *Error) GRPCStatus() *status.Status {
	s := status.New(r.Reason.Code, r.Text)
	detailed, err := s.WithDetails(&errdetails.ErrorInfo{Reason: r.Reason.Name, Domain: Domain, Metadata: r.Metadata})
	if err != nil {
		return s
	}
	return detailed
}

// refusalOf returns the refusal for any error of a handler; nil if the error has its own status, or is nil.
func refusalOf(err error) *Error {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused
	}
	refused, isRefusal := errors.AsType[*refusal.Refusal](err)
	if isRefusal && instanceReasons[refused.Reason] != nil {
		return instanceReasons[refused.Reason].Refuse(refused.Arguments...)
	}
	if exceeded, ok := errors.AsType[*budget.Exceeded](err); ok {
		return memorySpent.Refuse(exceeded, exceeded.Name, exceeded.Wanted, exceeded.Used, exceeded.Limit)
	}
	if isRefusal && !errors.Is(err, driver.ErrClosed) {
		return reasonOf(refused.Kind).Refuse(refused.Text, refused.Kind)
	}
	if _, ok := errors.AsType[interface {
		error
		GRPCStatus() *status.Status
	}](err); ok {
		return nil
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return deadlinePassed.Refuse(err)
	case errors.Is(err, context.Canceled):
		return givenUp.Refuse(err)
	case errors.Is(err, driver.ErrUnknown):
		return requestUnknown.Refuse(err)
	case errors.Is(err, driver.ErrRestored):
		return requestUndone.Refuse(err)
	case errors.Is(err, driver.ErrClosed):
		return instanceStopped.Refuse(err)
	}
	if damaged := contain.DamageIn(err); damaged != nil {
		return stateDamaged.Refuse(err, damaged.Folder)
	}
	if bug, ok := errors.AsType[*contain.Bug](err); ok {
		return Bug.Refuse(bug.Panic)
	}
	return Unexpected.Refuse(err)
}

// reasonOf returns the reason for a refusal for which no service has its own.
func reasonOf(kind refusal.Kind) *Reason {
	switch kind {
	case refusal.TooLarge:
		return messageTooLarge
	case refusal.Full, refusal.Unavailable:
		return overloaded
	}
	return messageRefused
}

// quoted returns a client's text for an error, shortened if it is long.
func quoted(text string) string {
	return strconv.Quote(shortened(text, maxQuoted))
}
