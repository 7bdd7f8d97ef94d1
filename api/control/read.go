package control

import (
	"strconv"

	"github.com/canisterd/canisterd/candid/principal"
)

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// readPrincipal parses a principal that must be set.
func readPrincipal(field, text string) (*principal.Principal, error) {
	if text == "" {
		return nil, MissingField.Refuse(field, "a principal, such as aaaaa-aa")
	}
	p, err := principal.Parse(text)
	if err != nil {
		return nil, BadField.Refuse(field, strconv.Quote(text), err.Error())
	}
	return &p, nil
}
