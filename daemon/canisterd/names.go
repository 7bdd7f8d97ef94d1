package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
)

// namesFile keeps the ids that `canisterd deploy` gave, by instance and name, beside the folder's canisterd.yaml.
const namesFile = ".canisterd/canisters.json"

// names are canister ids by name, of one instance.
type names map[string]string

// allNames are the names of all instances, as the file has them.
type allNames map[string]names

// readNames reads the ids that were given in a folder.
func readNames(folder string) (allNames, error) {
	path := filepath.Join(folder, namesFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return allNames{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the ids of canisters: %w", err)
	}
	all := allNames{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it and deploy again", path, err)
	}
	return all, nil
}

func (a allNames) write(folderOf string) error {
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the ids of canisters: %w", err)
	}
	path := filepath.Join(folderOf, namesFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", path, err)
	}
	return whole(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// instanceName is the instance commands are about, by the name the daemon has for it.
func (c *cli) instanceName() string {
	if c.instance == "" {
		return "default"
	}
	return c.instance
}

// known are the names deployed from the present folder, or the one above it that has some.
func (c *cli) known() names {
	if c.deployed != nil {
		return c.deployed
	}
	c.deployed, c.called = names{}, map[string]string{}
	dir, err := os.Getwd()
	for err == nil {
		if all, failed := readNames(dir); failed == nil && len(all) > 0 {
			maps.Copy(c.deployed, all[c.instanceName()])
			break
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	for name, id := range c.deployed {
		if other, found := c.called[id]; !found || name < other {
			c.called[id] = name
		}
	}
	return c.deployed
}

// canisterOf is the id of a canister that is named by its id or by the name it was deployed under.
func (c *cli) canisterOf(text string) (string, error) {
	if id, ok := c.known()[text]; ok {
		return id, nil
	}
	id, err := principal.Parse(text)
	if err == nil {
		return id.String(), nil
	}
	all := slices.Sorted(maps.Keys(c.known()))
	switch {
	case strings.HasSuffix(text, "-cai"):
		return "", err
	case len(all) == 0:
		return "", fmt.Errorf("%q is not the id of a canister, and no canisters were deployed from this folder to instance %s (canisterd deploy)", text, c.instanceName())
	}
	return "", fmt.Errorf("%q is neither the id of a canister nor the name of one that was deployed from this folder%s (there are %s)", text, meant(text, all), strings.Join(all, ", "))
}

// nameOf is the name a canister was deployed under, or else its id.
func (c *cli) nameOf(id string) string {
	c.known()
	if name, found := c.called[id]; found {
		return name
	}
	return id
}
