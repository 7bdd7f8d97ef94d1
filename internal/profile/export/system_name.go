package export

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/textwidth"
)

// kindNames begin the system name of each kind.
var kindNames = [...]string{
	profile.Function: "function", profile.Host: "host", profile.Entry: "entry", profile.Charge: "charge", profile.Await: "await",
}

// systemName returns the text of a symbol that parseSystemName reads, without its canister.
func systemName(s *profile.Symbol) string {
	text := kindNames[s.Kind] + " "
	switch s.Kind {
	case profile.Function:
		text += strconv.FormatUint(uint64(s.Index), 10) + " "
	case profile.Entry:
		text += strconv.Quote(s.Entry) + " "
	}
	if printable(s.Name) != s.Name || strings.HasPrefix(s.Name, `"`) {
		return text + strconv.Quote(s.Name)
	}
	return text + s.Name
}

// parseSystemName reads a symbol, without its canister.
func parseSystemName(text string) (s profile.Symbol, err error) {
	wrong := func() (profile.Symbol, error) {
		return s, fmt.Errorf("system name %s is not that of a frame, such as %q", strconv.Quote(textwidth.Fit(text, MaxCells)), "function 12 bank::withdraw")
	}
	kind, rest, ok := strings.Cut(text, " ")
	for k, name := range kindNames {
		if name == kind {
			s.Kind = profile.Kind(k)
		}
	}
	if !ok || kindNames[s.Kind] != kind {
		return wrong()
	}
	switch s.Kind {
	case profile.Function:
		index, name, ok := strings.Cut(rest, " ")
		n, err := strconv.ParseUint(index, 10, 32)
		if err != nil || !ok {
			return wrong()
		}
		s.Index, rest = uint32(n), name
	case profile.Entry:
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil || !strings.HasPrefix(rest[len(quoted):], " ") {
			return wrong()
		}
		if s.Entry, err = strconv.Unquote(quoted); err != nil {
			return wrong()
		}
		rest = rest[len(quoted)+1:]
	}
	s.Name = rest
	if strings.HasPrefix(rest, `"`) {
		if s.Name, err = strconv.Unquote(rest); err != nil {
			return wrong()
		}
	}
	return s, nil
}
