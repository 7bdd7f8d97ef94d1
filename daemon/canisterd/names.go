package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon/project"
	"github.com/canisterd/canisterd/daemon/spelling"
)

// names are canister ids by name, of one network.
type names map[string]string

// defaultInstance is the one that commands are about where no other is named.
const defaultInstance = "default"

// instanceName is the instance commands are about, by the name the daemon has for it.
func (c *cli) instanceName() string {
	if c.instance == "" {
		return defaultInstance
	}
	return c.instance
}

// directory is which canisters have names in the network that a command is about.
type directory struct {
	ids   names
	names map[string]string // by id
	stale names             // of names that the network does not have: the instance they were deployed to last
	about network           // what the names were compared with
	err   error             // why it is not known
}

// known are the names deployed from the present folder, or the one above it that has some, to the network that the
// command is about.
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

// nearestStore has the ids that were given in a folder, or in the one above it that has some, and is where that is.
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

// context is the command's context.
func (c *cli) context() context.Context {
	if c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}

// canisterOf is the id of a canister that is named by its id or by the name it was deployed under.
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

// escaped stands for ${ in a text if it does not begin a project.Reference.
const escaped = "$${"

// withIDs puts the ids of canisters into the places where ${NAME} names them.
func (c *cli) withIDs(text string) (string, error) {
	const kept = "\x00" // in no text that is valid
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

// principalOf is a principal that is written as one, or as the name of a canister or of an identity.
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

// nameOf is the name a canister was deployed under, or else its id.
func (c *cli) nameOf(id string) string {
	if name, found := c.known().names[id]; found {
		return name
	}
	return id
}
