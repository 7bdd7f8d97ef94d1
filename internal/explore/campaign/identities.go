package campaign

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/explore/schedule"
)

// fileSender returns a sender for a file: its name if it has one.
func (c *Config) fileSender(id principal.Principal) string {
	if id.IsAnonymous() || id == principal.Management {
		return id.String() // the same everywhere
	}
	return c.Setup.NameOf(id)
}

// readSender converts a sender of a file: a principal, or the name of a canister or an identity.
func readSender(text string, canister func(string) (principal.Principal, bool)) (principal.Principal, error) {
	id, err := principal.Parse(text)
	if err == nil {
		return id, nil
	}
	if id, found := canister(text); found {
		return id, nil
	}
	return id, err
}

// identitiesOf returns the principals of the names in a file that are not those of canisters.
func (c *Config) identitiesOf(file *schedule.File) map[string]string {
	if c.Setup.Principal == nil {
		return nil
	}
	names := reference.Names(file.Property)
	for _, o := range slices.Concat(file.Before, file.Operations, file.Probed) {
		names = append(append(names, o.Sender), reference.Names(o.Argument)...)
	}
	for _, q := range file.Observe {
		names = append(append(names, q.Sender), reference.Names(q.Argument)...)
	}
	identities := make(map[string]string)
	for _, name := range names {
		id, found := c.Setup.Principal(name)
		if found && c.Setup.Base.Canister(id) == nil && id.String() != name {
			identities[name] = id.String()
		}
	}
	return identities
}

// Named returns a function that finds the canisters and identities of a file: as canister does, and identities that this
// does not know by the principals in the file.
func Named(file *schedule.File, canister func(name string) (principal.Principal, bool)) func(name string) (principal.Principal, bool) {
	return func(name string) (principal.Principal, bool) {
		if id, found := canister(name); found {
			return id, true
		}
		id, err := principal.Parse(file.Identities[name])
		return id, err == nil && id.Len() > 0
	}
}
