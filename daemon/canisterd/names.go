package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
)

// names are canister ids by name, of one network.
type names map[string]string

// instanceName is the instance commands are about, by the name the daemon has for it.
func (c *cli) instanceName() string {
	if c.instance == "" {
		return "default"
	}
	return c.instance
}

// directory is which canisters have names in the network that a command is about.
type directory struct {
	ids   names
	names map[string]string // by id
	stale names             // names of canisters in networks that are gone, by name
	about network           // what the names were compared with
	err   error             // why it is not known
}

// known are the names deployed from the present folder, or the one above it that has some, to the network that the command is about.
func (c *cli) known() *directory {
	if c.deployed == nil {
		c.deployed = &directory{ids: names{}, names: map[string]string{}, stale: names{}}
		c.deployed.err = c.lookUp(c.deployed)
	}
	return c.deployed
}

func (c *cli) lookUp(into *directory) error {
	store := nearestStore()
	if len(store.Networks) == 0 {
		return nil
	}
	var err error
	if into.about, err = c.network(c.context()); err != nil {
		return err
	}
	into.ids, into.stale = store.live(into.about), store.names()
	for name, id := range into.ids {
		delete(into.stale, name)
		if other, found := into.names[id]; !found || name < other {
			into.names[id] = name
		}
	}
	return nil
}

// nearestStore has the ids that were given in the present folder, or in the one above it that has some.
func nearestStore() *store {
	dir, err := os.Getwd()
	for err == nil {
		if s, failed := readStore(dir); failed == nil && len(s.Networks) > 0 {
			return s
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return &store{}
}

// context is that of the command.
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
	case known.stale[text] != "":
		return "", fmt.Errorf("%s was deployed to a network that is gone: %s; deploy it again (canisterd deploy)", text, known.about.since())
	case len(all) == 0:
		return "", fmt.Errorf("%q is not the id of a canister, and no canisters were deployed from this folder to instance %s (canisterd deploy)", text, c.instanceName())
	}
	return "", fmt.Errorf("%q is neither the id of a canister nor the name of one that was deployed from this folder%s (there are %s)", text, meant(text, all), strings.Join(all, ", "))
}

// nameOf is the name a canister was deployed under, or else its id.
func (c *cli) nameOf(id string) string {
	if name, found := c.known().names[id]; found {
		return name
	}
	return id
}
