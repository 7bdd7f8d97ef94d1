package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/identity"
	"github.com/canisterd/canisterd/internal/project"
)

// sender returns the principal that makes calls: --as, or the one of --identity, or of the identity in use. "" is
// anonymous.
func (c *cli) sender() (string, error) {
	switch {
	case c.as != "" && c.identity != "":
		return "", errors.New("use either --as or --identity, not both")
	case c.as != "":
		sender, err := c.principalOf(c.as)
		if err != nil {
			return "", fmt.Errorf("--as: %w", err)
		}
		return sender, nil
	}
	all, err := identity.Read()
	if err != nil && c.identity == "" {
		return "", nil // without a home no identity is in use
	}
	name := c.identity
	if name == "" && err == nil {
		name = all.Current
	}
	switch {
	case name == "" || name == identity.Anonymous:
		return "", nil
	case err == nil && all.Identities[name] != nil:
		return all.Identities[name].Principal, nil
	}
	if c.identity == "" {
		return "", fmt.Errorf("identity %s is in use but does not exist: choose another (canisterd identity use)", name)
	}
	_, key, err := identity.ReadKey(name)
	if errors.Is(err, fs.ErrNotExist) && project.NameForm.MatchString(name) {
		return "", fmt.Errorf("--identity %s is neither an identity (canisterd identity list) nor a PEM file", name)
	}
	if err != nil {
		return "", err
	}
	return key.Principal(), nil
}

// shown returns a sender, with "" as anonymous.
func shown(sender string) string {
	if sender == "" {
		return principal.Anonymous.String()
	}
	return sender
}
