package request

import (
	"errors"
	"strings"

	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Names finds the principals that texts name.
type Names interface {
	// Canister returns the id of a canister that is given by its id or its name.
	Canister(text string) (string, error)
	// Caller returns the principal that makes a call: the one with this name, or without a name the usual one.
	Caller(name string) (string, error)
	// Resolve replaces each ${NAME} in a text by a principal.
	Resolve(text string) (string, error)
}

// drawnArguments stands for arguments that are drawn.
const drawnArguments = "?"

// Operation reads an operation: CANISTER METHOD [ARGUMENTS] [as PRINCIPAL]. The arguments ? are drawn.
func Operation(text string, names Names) (*controlv1.ExploreOperation, error) {
	call, as := CutCaller(text)
	words := strings.SplitN(strings.TrimSpace(call), " ", 3)
	if len(words) < 2 {
		return nil, errors.New("expected CANISTER METHOD [ARGUMENTS] [as PRINCIPAL]")
	}
	id, err := names.Canister(words[0])
	if err != nil {
		return nil, err
	}
	sender, err := names.Caller(as)
	if err != nil {
		return nil, err
	}
	arguments, drawn := "", len(words) > 2 && strings.TrimSpace(words[2]) == drawnArguments
	if len(words) > 2 && !drawn {
		if arguments, err = names.Resolve(words[2]); err != nil {
			return nil, err
		}
	}
	return &controlv1.ExploreOperation{Call: &controlv1.Call{
		CanisterId: id, Method: words[1], Argument: Value(project.FromText(arguments)), Sender: sender,
	}, Title: text, Drawn: drawn}, nil
}

// CutCaller splits an operation at the last " as " outside string literals.
func CutCaller(text string) (call, as string) {
	const word = " as "
	at, quoted, escaped := -1, false, false
	for i := range len(text) {
		switch {
		case escaped:
			escaped = false
		case quoted && text[i] == '\\':
			escaped = true
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], word):
			at = i
		}
	}
	if at < 0 {
		return text, ""
	}
	return text[:at], strings.TrimSpace(text[at+len(word):])
}
