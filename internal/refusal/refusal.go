// Package refusal is the answer to a request that is not taken: nothing happened, and
// nothing of it is recorded.
//
// It owns the kinds of refusal. It must not know how a protocol says them: HTTP statuses
// are made in api/ic, gRPC codes in api/control.
package refusal

import "fmt"

// Kind is why a request is refused.
type Kind uint8

// The kinds.
const (
	Invalid     Kind = iota // malformed, or not for this network
	Forbidden               // not allowed for this sender
	NotFound                // about something that is not there
	Unsupported             // not a method of what it is sent to
	Conflict                // not possible in the present state
	TooLarge                // more bytes than allowed
	Full                    // beyond a limit that other requests use up as well
	Unavailable             // not served at the moment
	Kinds                   // how many there are
)

var names = [Kinds]string{"invalid", "forbidden", "not_found", "unsupported", "conflict", "too_large", "full", "unavailable"}

// String is the name in lower case.
func (k Kind) String() string { return names[k] }

// Refusal is a request that is refused. The text is for its sender.
type Refusal struct {
	Kind Kind
	Text string
}

// New returns a refusal. The arguments are as for fmt.Sprintf.
func New(kind Kind, format string, args ...any) *Refusal {
	return &Refusal{kind, fmt.Sprintf(format, args...)}
}

// Error is the text.
func (r *Refusal) Error() string { return r.Text }
