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

	"github.com/canisterd/canisterd/internal/regular"
)

// namesFile keeps the ids from `canisterd deploy`, by network and name, next to the folder's canisterd.yaml.
const namesFile = ".canisterd/canisters.json"

// maxStored limits the networks in the file. The most recently used stay.
const maxStored = 100

// store is the file with the ids deployed from a folder.
type store struct {
	// Project tells a copy of a folder, which does not have the canisters of the original, from the original.
	Project  string          `json:"project_id"`
	Folder   string          `json:"folder,omitempty"` // of the original, in files of earlier versions
	Networks []storedNetwork `json:"networks"`         // the most recently used at the end
}

// storedNetwork holds a folder's canisters in one network.
type storedNetwork struct {
	ID        string                    `json:"network_id"`
	Instance  string                    `json:"instance"`
	Canisters map[string]storedCanister `json:"canisters"` // by name
}

// storedCanister is the id of a canister that the network had at a height.
type storedCanister struct {
	ID     string `json:"canister_id"`
	Height uint64 `json:"height"`
	// Arguments is the SHA-256 of the arguments that deploy passed last, before the height Passed; "" where not known.
	Arguments string `json:"arguments_sha256,omitempty"`
	Passed    uint64 `json:"passed_height,omitempty"`
}

// readStore reads the ids deployed from a folder. It returns none from a file of an earlier version, which did not name
// their network.
func readStore(folder string) (*store, error) {
	path := filepath.Join(folder, namesFile)
	text, err := readNames(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return &store{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the ids of canisters: %w", err)
	}
	s := &store{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it and deploy again", path, err)
	}
	return s, nil
}

// maxNamesFile is the largest file of names, in bytes: maxStored networks have far less.
const maxNamesFile = 64 << 20

// readNames returns the content of the file of names. A link would let a folder that someone else made name another's file.
func readNames(folder string) ([]byte, error) {
	if err := notLinked(folder); err != nil {
		return nil, err
	}
	return regular.Read(filepath.Join(folder, namesFile), maxNamesFile)
}

// notLinked refuses a file of names, and a folder for it, that is a link.
func notLinked(folder string) error {
	for _, path := range []string{filepath.Join(folder, filepath.Dir(namesFile)), filepath.Join(folder, namesFile)} {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link: remove it, the ids of canisters are kept in the folder itself", path)
		}
	}
	return nil
}

func (s *store) write(folderOf string) error {
	s.identify()
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the ids of canisters: %w", err)
	}
	if err := notLinked(folderOf); err != nil {
		return err
	}
	path := filepath.Join(folderOf, namesFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", path, err)
	}
	if err := ignoreInGit(filepath.Dir(path)); err != nil {
		return err
	}
	err = whole(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err == nil {
		s.recordFolder(folderOf)
	}
	return err
}

// ignoreInGit makes git ignore a folder whose content is of this machine. A .gitignore that is there stays as it is.
func ignoreInGit(folder string) error {
	f, err := os.OpenFile(filepath.Join(folder, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("making git ignore %s: %w", folder, err)
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// of returns a folder's canisters in a network, nil if there are none.
func (s *store) of(id string) *storedNetwork {
	for i := range s.Networks {
		if s.Networks[i].ID == id {
			return &s.Networks[i]
		}
	}
	return nil
}

// live returns the names that a network has itself or from its ancestors.
func (s *store) live(n network) names {
	live := names{}
	for name, c := range s.known(n) {
		live[name] = c.ID
	}
	return live
}

// known returns the canisters that a network has itself or from its ancestors, by name.
func (s *store) known(n network) map[string]storedCanister {
	known := map[string]storedCanister{}
	for _, a := range n.ancestors {
		if stored := s.of(a.GetNetworkId()); stored != nil {
			for name, c := range stored.Canisters {
				if c.Height > a.GetHeight() {
					continue
				}
				if c.Passed > a.GetHeight() { // the ancestor may have got them later
					c.Arguments, c.Passed = "", 0
				}
				known[name] = c
			}
		}
	}
	if stored := s.of(n.id); stored != nil {
		maps.Copy(known, stored.Canisters)
	}
	return known
}

// instances returns the instance for each name; if several networks have the name, the last one counts.
func (s *store) instances() names {
	all := names{}
	for _, n := range s.Networks {
		for name := range n.Canisters {
			all[name] = n.Instance
		}
	}
	return all
}

// put replaces the names of a network by those at a height. Unchanged ones keep their height.
func (s *store) put(n network, instance string, ids names, height uint64) {
	now := storedNetwork{ID: n.id, Instance: instance, Canisters: map[string]storedCanister{}}
	before, known := s.of(n.id), s.known(n)
	for name, id := range ids {
		c := storedCanister{ID: id}
		if known[name].ID == id {
			c = known[name]
		}
		if before == nil || before.Canisters[name].ID != id {
			c.Height = height
		}
		now.Canisters[name] = c
	}
	s.forget(n.id)
	s.Networks = append(s.Networks, now)
	if extra := len(s.Networks) - maxStored; extra > 0 {
		s.Networks = slices.Delete(s.Networks, 0, extra)
	}
}

// pass says which arguments deploy passed to a canister of a network.
func (s *store) pass(n network, name, digest string) {
	c := s.of(n.id).Canisters[name]
	c.Arguments, c.Passed = digest, n.height
	s.of(n.id).Canisters[name] = c
}

// forget removes a folder's canisters in a network.
func (s *store) forget(id string) {
	s.Networks = slices.DeleteFunc(s.Networks, func(n storedNetwork) bool { return n.ID == id })
}
