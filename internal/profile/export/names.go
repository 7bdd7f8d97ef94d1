package export

import (
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/profile"
)

// Names returns the name of a canister; empty if it has none. nil: there are no names.
type Names func(principal.Principal) string

func (n Names) of(id principal.Principal) string {
	if n != nil {
		if name := n(id); name != "" {
			return printable(name)
		}
	}
	return id.String()
}

// frame is a symbol under the name of its canister. Symbols with the same frame are the same to people: a module may
// have several functions of one name.
type frame struct {
	kind                  profile.Kind
	canister, name, entry string
}

// unplaced is the frame of what a profile without room counts at its root.
const unplaced = "(without a frame)"

func (n Names) frame(s *profile.Symbol) frame {
	return frame{kind: s.Kind, canister: n.of(s.Canister), name: s.Name, entry: s.Entry}
}

// label returns the text of a frame on one line, without the canister of a function.
func (f frame) label() string {
	name := printable(f.name)
	switch f.kind {
	case profile.Entry:
		if name != "" {
			name = "." + name
		}
		return f.canister + name + " (" + printable(f.entry) + ")"
	case profile.Await:
		return "⏸ " + f.canister + "." + name
	}
	if name == "" {
		return "(no name)"
	}
	return name
}

// withoutHash returns a frame without what rustc appends to a symbol, which changes with each build. The names of most
// functions come without it (canister/internal/demangle).
func (f frame) withoutHash() frame {
	const mark, digits = "::h", 16
	at := len(f.name) - digits - len(mark)
	if f.kind == profile.Function && at > 0 && f.name[at:at+len(mark)] == mark && strings.Trim(f.name[at+len(mark):], "0123456789abcdef") == "" {
		f.name = f.name[:at]
	}
	return f
}

// printable returns text on one line in which nothing is hidden: control characters, line breaks and changes of the
// writing direction become escapes.
func printable(text string) string {
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// grouped formats a number in groups of three digits.
func grouped(n uint64) string { return cycles.Of(n).Grouped() }

// counted formats a number of things.
func counted(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return grouped(n) + " " + thing + "s"
}

// percent formats a share of a sum.
func percent(n, of uint64) string {
	if of == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 1, 64) + "%"
}
