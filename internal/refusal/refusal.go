// Package refusal describes why a request was refused. A refused request has no effect, and nothing of it is recorded.
//
// It owns the kinds of refusals, and the form of the tables in which packages declare their reasons. It must not know how
// a protocol says them: HTTP statuses are made in api/ic, gRPC codes in api/control.
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
	Exists                  // the name is taken
	TooLarge                // more bytes than allowed
	Full                    // beyond a limit that other requests use up as well
	Unavailable             // not served at the moment
	Damaged                 // what it is about cannot be read any more
	Kinds                   // how many there are
)

var names = [Kinds]string{"invalid", "forbidden", "not_found", "unsupported", "conflict", "exists", "too_large", "full", "unavailable", "damaged"}

// String is the name in lower case.
func (k Kind) String() string { return names[k] }

// Reason is why requests are refused. A package that refuses requests declares its reasons in a table.
type Reason struct {
	Name string // for programs: it never changes. Empty for a reason that only people read
	Kind Kind
	Text string   // with verbs for the arguments of Refuse
	Keys []string // names of the arguments for programs; empty for an argument that is only in the text
}

// Table is the reasons of one package.
type Table []*Reason

// Add adds a reason. Only variables of the package that has the table call it.
func (t *Table) Add(name string, kind Kind, text string, keys ...string) *Reason {
	r := &Reason{Name: name, Kind: kind, Text: text, Keys: keys}
	*t = append(*t, r)
	return r
}

// Refuse returns a refusal, with the arguments of the text.
func (r *Reason) Refuse(args ...any) *Refusal {
	return &Refusal{Kind: r.Kind, Text: fmt.Sprintf(r.Text, args...), Reason: r, Arguments: args}
}

// Refusal is a request that is refused. The text is for its sender.
type Refusal struct {
	Kind      Kind
	Text      string
	Reason    *Reason // nil for a text of its own
	Arguments []any   // of the reason
}

// New returns a refusal with a text of its own. The arguments are as for fmt.Sprintf.
func New(kind Kind, format string, args ...any) *Refusal {
	return &Refusal{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// Error is the text.
func (r *Refusal) Error() string { return r.Text }
