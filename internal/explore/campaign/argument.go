package campaign

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
)

// Files hold arguments as Candid text, in which ${NAME} is a canister or an identity: a schedule can be read, and replayed
// in a network with other ids. Arguments whose text does not encode to the same bytes are in hexadecimal.

// fileArgument returns an argument for a file.
func (c *Config) fileArgument(arg []byte) string {
	inHex := hex.EncodeToString(arg)
	values, _, err := candid.Decode(arg)
	if err != nil {
		return inHex
	}
	ids := make(map[string]principal.Principal)
	text := reference.Write(reference.Escape(candid.FormatArgs(values)), func(p principal.Principal) string {
		name := c.Setup.NameOf(p)
		if known, used := ids[name]; name == p.String() || used && known != p {
			return ""
		}
		ids[name] = p
		return name
	})
	again, err := readArgument(text, func(name string) (principal.Principal, bool) { id, ok := ids[name]; return id, ok })
	if err != nil || !bytes.Equal(again, arg) {
		return inHex
	}
	return text
}

// readArgument converts an argument of a file; canister finds a principal by its name or id.
func readArgument(text string, canister func(name string) (principal.Principal, bool)) (arg []byte, err error) {
	if !strings.HasPrefix(text, "(") {
		if arg, err = hex.DecodeString(text); err != nil {
			return nil, fmt.Errorf("expected Candid text in parentheses, or hex, got %q", text)
		}
		return arg, nil
	}
	text, err = reference.Resolve(text, func(name string) (string, error) {
		id, err := lookUp(name, canister)
		return id.String(), err
	})
	if err != nil {
		return nil, err
	}
	values, err := candid.ParseArgs(text)
	if err != nil {
		return nil, err
	}
	return candid.EncodeValues(values...)
}
