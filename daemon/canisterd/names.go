package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/daemon/project"
	"github.com/canisterd/canisterd/daemon/spelling"
)

// names are canister ids by name, of one network.
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

// directory holds the names of canisters in the network that a command is about.
type directory struct {
	ids   names
	names map[string]string // by id
	stale names             // names that the network lacks: the instance to which they were deployed last
	about network           // the network of the names
	err   error             // why the names are not known
}

// known returns the names deployed to the command's network from the current folder, or the nearest one above it that
// has some.
func (c *cli) known() *directory {
	if c.deployed == nil {
		c.deployed = &directory{ids: names{}, names: map[string]string{}, stale: names{}}
		c.deployed.err = c.lookUp(c.deployed)
	}
	return c.deployed
}

func (c *cli) lookUp(into *directory) error {
	store, _ := nearestStore(c.folder)
	if len(store.Networks) == 0 {
		return nil
	}
	var err error
	if into.about, err = c.network(c.context()); err != nil {
		return err
	}
	into.ids, into.stale = store.live(into.about), store.instances()
	for name, id := range into.ids {
		delete(into.stale, name)
		if other, found := into.names[id]; !found || name < other {
			into.names[id] = name
		}
	}
	return nil
}

// nearestStore returns the ids deployed from a folder, or the nearest one above it that has some, and that folder.
func nearestStore(folder string) (s *store, dir string) {
	dir, err := filepath.Abs(folder)
	for err == nil {
		if s, failed := readStore(dir); failed == nil && len(s.Networks) > 0 {
			return s, dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return &store{}, folder
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
		return "", fmt.Errorf("%s was deployed to a network that is gone: %s; deploy it again (canisterd deploy)", text, known.about.since())
	case len(all) == 0:
		return "", fmt.Errorf("%q is not the id of a canister, and no canisters were deployed from this folder to instance %s (canisterd deploy)%s", text, c.instanceName(), spelling.WhyNoPrincipal(text))
	}
	return "", fmt.Errorf("%q is neither the id of a canister nor the name of one that was deployed from this folder%s (there are %s)%s", text, spelling.Meant(text, all), strings.Join(all, ", "), spelling.WhyNoPrincipal(text))
}

// escaped replaces ${ in a text if it does not begin a project.Reference.
const escaped = "$${"

// withIDs replaces each ${NAME} by the id of the canister.
func (c *cli) withIDs(text string) (string, error) {
	const kept = "\x00" // in no valid text
	var unknown error
	text = project.Reference.ReplaceAllStringFunc(strings.ReplaceAll(text, escaped, kept), func(found string) string {
		id, err := c.canisterOf(found[2 : len(found)-1])
		if err != nil && unknown == nil {
			unknown = fmt.Errorf("%s: %w; write %s for the characters ${", found, err, escaped)
		}
		return id
	})
	return strings.ReplaceAll(text, kept, "${"), unknown
}

// principalOf parses a principal, or the name of a canister or of an identity.
func (c *cli) principalOf(text string) (string, error) {
	if p, err := principal.Parse(text); err == nil {
		return p.String(), nil
	}
	if id, known := c.known().ids[text]; known {
		return id, nil
	}
	if stored, err := readIdentities(); err == nil && stored.Identities[text] != nil {
		return stored.Identities[text].Principal, nil
	}
	_, err := c.canisterOf(text)
	return "", err
}

// nameOf returns the deployed name of a canister, or else its id.
func (c *cli) nameOf(id string) string {
	if name, found := c.known().names[id]; found {
		return name
	}
	return id
}

// namesIn returns the names that the nearest project gave the canisters of a network, also of one that nobody runs.
func (c *cli) namesIn(id string, ancestors []daemon.Ancestor) func(principal.Principal) string {
	store, _ := nearestStore(c.folder)
	shown := map[string]string{}
	for name, id := range store.live(networkWith(id, ancestors)) {
		if other, found := shown[id]; !found || name < other {
			shown[id] = name
		}
	}
	return func(id principal.Principal) string { return shown[id.String()] }
}
