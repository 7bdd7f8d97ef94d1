package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/identity"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/candid/reference"
)

// names are principals by name: ids of canisters in one network, or principals of identities.
type names map[string]string

// defaultInstance is the instance of commands that name no other.
const defaultInstance = "default"

// instanceName returns the daemon's name of the instance that commands are about.
func (c *cli) instanceName() string {
	if c.instance == "" {
		return defaultInstance
	}
	return c.instance
}

// directory holds the names of canisters in the network that a command is about, and of the user's identities.
type directory struct {
	ids        names
	identities names
	names      map[string]string // of canisters and identities by principal; a canister comes first
	interfaces names             // paths of the interfaces that the project gives canisters, by name
	stale      names             // names that the network lacks: the instance to which they were deployed last
	about      network           // the network of the names
	err        error             // why the names are not known
}

// known returns the names deployed to the command's network from the current folder, or the nearest one above it that
// has some, and the names of identities.
func (c *cli) known() *directory {
	if c.deployed == nil {
		c.deployed = &directory{ids: names{}, identities: identityPrincipals(), names: map[string]string{}, interfaces: names{}, stale: names{}}
		c.deployed.err = c.lookUp(c.deployed)
		c.deployed.invert(c.deployed.ids)
		c.deployed.invert(c.deployed.identities)
	}
	return c.deployed
}

// identityPrincipals returns the principals of the user's identities. Without a home there are none.
func identityPrincipals() names {
	all := names{}
	if stored, err := identity.Read(); err == nil {
		for name, key := range stored.Identities {
			all[name] = key.Principal
		}
	}
	return all
}

// invert adds names to those by principal: the first of several, unless the principal has a name.
func (d *directory) invert(all names) {
	for _, name := range sortedKeys(all) {
		if d.names[all[name]] == "" {
			d.names[all[name]] = name
		}
	}
}

// isCanister reports whether a principal is the id of a canister with a name.
func (d *directory) isCanister(id string) bool {
	name, known := d.names[id]
	return known && d.ids[name] == id
}

// ownIdentities returns the principals of the identities whose names no canister has.
func (d *directory) ownIdentities() names {
	all := d.principals()
	maps.DeleteFunc(all, func(name, _ string) bool { return d.ids[name] != "" })
	return all
}

// principals returns the principals of canisters and identities by name. A canister comes before an identity.
func (d *directory) principals() names {
	all := names{identity.Anonymous: principal.Anonymous.String()}
	maps.Copy(all, d.identities)
	maps.Copy(all, d.ids)
	return all
}

func (c *cli) lookUp(into *directory) error {
	store, folder := deployed.Nearest(c.folder)
	if len(store.Networks) == 0 {
		return nil
	}
	var err error
	if into.about, err = c.network(c.context()); err != nil {
		return err
	}
	into.ids, into.stale = store.Live(into.about.Network), store.Instances()
	for name, stored := range store.Known(into.about.Network) {
		delete(into.stale, name)
		if stored.Candid != "" {
			into.interfaces[name] = filepath.Join(folder, stored.Candid)
		}
	}
	return nil
}

// context returns the command's context.
func (c *cli) context() context.Context {
	if c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}

// canisterOf returns the id of a canister that is given by its id or by its deployed name.
func (c *cli) canisterOf(text string) (string, error) {
	id, err := principal.Parse(text)
	if err == nil {
		return id.String(), nil
	}
	known := c.known()
	if named, ok := known.ids[text]; ok {
		return named, nil
	}
	all := slices.Sorted(maps.Keys(known.ids))
	switch {
	case strings.HasSuffix(text, "-cai"):
		return "", err
	case known.err != nil:
		return "", known.err
	case known.stale[text] != "" && known.stale[text] != c.instanceName():
		return "", fmt.Errorf("%s was deployed to instance %s, not to %s (-i %[2]s)", text, known.stale[text], c.instanceName())
	case known.stale[text] != "":
		return "", fmt.Errorf("%s was deployed to a network that no longer exists: %s; deploy it again (canisterd deploy)", text, known.about.since())
	case len(all) == 0:
		return "", fmt.Errorf("%q is not a canister id, and no canisters were deployed from this directory to instance %s (canisterd deploy)%s", text, c.instanceName(), reference.WhyNoPrincipal(text))
	}
	return "", fmt.Errorf("%q is neither a canister id nor the name of a canister deployed from this directory%s (deployed: %s)%s", text, reference.Meant(text, all), strings.Join(all, ", "), reference.WhyNoPrincipal(text))
}

// canistersOf returns the canisters of arguments.
func (c *cli) canistersOf(texts []string) ([]string, error) {
	ids := make([]string, len(texts))
	for i, text := range texts {
		id, err := c.canisterOf(text)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// interfacePath returns the path of the interface to use for a canister: the given one, or that of the project; "" for
// that of the module.
func (c *cli) interfacePath(canister, given string) string {
	if _, err := principal.Parse(canister); given != "" || err == nil {
		return given
	}
	return c.known().interfaces[canister]
}

// withIDs replaces each ${NAME} by the principal of a canister or an identity.
func (c *cli) withIDs(text string) (string, error) { return reference.Resolve(text, c.principalOf) }

// principalOf returns a principal, or the one of the canister or the identity with a name. A canister comes first.
func (c *cli) principalOf(text string) (string, error) {
	if p, err := principal.Parse(text); err == nil {
		return p.String(), nil
	}
	known := c.known()
	if id, found := known.principals()[text]; found {
		return id, nil
	}
	if strings.HasSuffix(text, "-cai") || known.err != nil || known.stale[text] != "" {
		return c.canisterOf(text)
	}
	return "", fmt.Errorf("%q is neither a principal nor the name of a canister (%s) or of an identity (%s)%s%s", text,
		listed(known.ids, "none deployed from this directory to instance "+c.instanceName()), listed(known.identities, "none; canisterd identity new creates one"),
		reference.Meant(text, sortedKeys(known.principals())), reference.WhyNoPrincipal(text))
}

// maxNamesListed limits the names of a kind in an error.
const maxNamesListed = 20

// listed returns names for an error, or a text if there are none.
func listed(all names, none string) string {
	list := sortedKeys(all)
	switch n := len(list); {
	case n == 0:
		return none
	case n > maxNamesListed:
		return fmt.Sprintf("%s and %d more", strings.Join(list[:maxNamesListed], ", "), n-maxNamesListed)
	}
	return strings.Join(list, ", ")
}

// nameOf returns the name of a canister or an identity, or else the principal.
func (c *cli) nameOf(id string) string {
	if name, found := c.known().names[id]; found {
		return name
	}
	return id
}

// namesIn returns the names that the nearest project gave the canisters of a network, which need not be running.
func (c *cli) namesIn(id string, ancestors []daemon.Ancestor) func(principal.Principal) string {
	store, _ := deployed.Nearest(c.folder)
	shown := map[string]string{}
	for name, id := range store.Live(deployed.NetworkOf(id, ancestors)) {
		if other, found := shown[id]; !found || name < other {
			shown[id] = name
		}
	}
	return func(id principal.Principal) string { return shown[id.String()] }
}

// withNames returns a text of the daemon with names in place of the principals that have some.
func (c *cli) withNames(text string) string {
	return reference.Show(text, func(id principal.Principal) string { return c.known().names[id.String()] })
}
