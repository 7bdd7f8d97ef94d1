package campaign

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// Files hold arguments as Candid text, in which ${NAME} is the id of a canister: a schedule can be read, and replayed in a
// network with other ids. Arguments whose text does not encode to the same bytes are in hexadecimal.
var (
	idText   = regexp.MustCompile(`[a-z0-9]{5}(-[a-z0-9]{1,5})+`)
	nameText = regexp.MustCompile(`\$\{([^}]+)\}`)
)

// fileArgument returns an argument for a file.
func (c *Config) fileArgument(arg []byte) string {
	inHex := hex.EncodeToString(arg)
	values, _, err := candid.Decode(arg)
	if err != nil {
		return inHex
	}
	text := candid.FormatArgs(values)
	if strings.Contains(text, "${") {
		return inHex // a literal would be read as a name
	}
	ids := make(map[string]principal.Principal)
	text = idText.ReplaceAllStringFunc(text, func(id string) string {
		p, err := principal.Parse(id)
		if err != nil || p == principal.Management {
			return id
		}
		name := c.Setup.NameOf(p)
		if known, used := ids[name]; name == id || strings.Contains(name, "}") || used && known != p {
			return id
		}
		ids[name] = p
		return "${" + name + "}"
	})
	again, err := readArgument(text, func(name string) (principal.Principal, bool) { id, ok := ids[name]; return id, ok })
	if err != nil || !bytes.Equal(again, arg) {
		return inHex
	}
	return text
}

// readArgument converts an argument of a file; canister finds a canister by its name or id.
func readArgument(text string, canister func(name string) (principal.Principal, bool)) (arg []byte, err error) {
	if !strings.HasPrefix(text, "(") {
		if arg, err = hex.DecodeString(text); err != nil {
			return nil, fmt.Errorf("expected Candid text in parentheses, or hex, got %q", text)
		}
		return arg, nil
	}
	var unknown error
	text = nameText.ReplaceAllStringFunc(text, func(name string) string {
		id, err := lookUp(name[2:len(name)-1], canister)
		if err != nil {
			unknown = errors.Join(unknown, err)
		}
		return id.String()
	})
	if unknown != nil {
		return nil, unknown
	}
	values, err := candid.ParseArgs(text)
	if err != nil {
		return nil, err
	}
	return candid.EncodeValues(values...)
}
