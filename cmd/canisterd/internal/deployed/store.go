package deployed

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

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/regular"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// File keeps the ids from `canisterd deploy`, by network and name, next to the folder's canisterd.yaml.
const File = ".canisterd/canisters.json"

// maxStored limits the networks in the file. The most recently used stay.
const maxStored = 100

// Store is the file with the ids deployed from a folder.
type Store struct {
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
	// Candid is the path of the interface that the project gives it, from the folder; "": that of its module.
	Candid string `json:"candid,omitempty"`
}

// Read reads the ids deployed from a folder. It returns none from a file of an earlier version, which did not name
// their network.
func Read(folder string) (*Store, error) {
	path := filepath.Join(folder, File)
	text, err := readNames(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return &Store{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the ids of canisters: %w", err)
	}
	s := &Store{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it and deploy again", path, err)
	}
	return s, nil
}

// Nearest returns the ids deployed from a folder, or the nearest one above it that has some, and that folder.
func Nearest(folder string) (s *Store, dir string) {
	dir, err := filepath.Abs(folder)
	for err == nil {
		if s, failed := Read(dir); failed == nil && len(s.Networks) > 0 {
			return s, dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return &Store{}, folder
}

// maxNamesFile is the largest file of names, in bytes: maxStored networks have far less.
const maxNamesFile = 64 << 20

// readNames returns the content of the file of names. A link would let a folder that someone else made name another's file.
func readNames(folder string) ([]byte, error) {
	if err := notLinked(folder); err != nil {
		return nil, err
	}
	return regular.Read(filepath.Join(folder, File), maxNamesFile)
}

// notLinked refuses a file of names, and a folder for it, that is a link.
func notLinked(folder string) error {
	for _, path := range []string{filepath.Join(folder, filepath.Dir(File)), filepath.Join(folder, File)} {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link: remove it; canister ids are stored in the directory itself", path)
		}
	}
	return nil
}

func (s *Store) Write(folderOf string) error {
	s.identify()
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the ids of canisters: %w", err)
	}
	if err := MakeDirectory(folderOf); err != nil {
		return err
	}
	path := filepath.Join(folderOf, File)
	err = regular.Replace(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err == nil {
		s.recordFolder(folderOf)
	}
	return err
}

// MakeDirectory makes the directory in a folder that has the file of ids, and what else is of this machine.
func MakeDirectory(folder string) error {
	if err := notLinked(folder); err != nil {
		return err
	}
	own := filepath.Join(folder, filepath.Dir(File))
	if err := os.MkdirAll(own, 0o755); err != nil {
		return fmt.Errorf("creating the directory %s: %w", own, err)
	}
	return ignoreInGit(own)
}

// ignoreInGit makes git ignore a folder whose content is of this machine. A .gitignore that is there stays as it is.
func ignoreInGit(folder string) error {
	f, err := os.OpenFile(filepath.Join(folder, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("creating .gitignore in %s: %w", folder, err)
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// Network says which network ids are of: itself, and what it was forked or restored from.
type Network struct {
	ID        string
	Ancestors []*controlv1.Ancestor
	Height    uint64
}

// NetworkOf returns the description of a network by its lineage.
func NetworkOf(id string, ancestors []daemon.Ancestor) Network {
	n := Network{ID: id}
	for _, a := range ancestors {
		n.Ancestors = append(n.Ancestors, &controlv1.Ancestor{NetworkId: a.NetworkID, Height: a.Height})
	}
	return n
}

// Canister returns the canister with a name in a network.
func (s *Store) Canister(n Network, name string) (id principal.Principal, ok bool) {
	id, err := principal.Parse(s.Live(n)[name])
	return id, err == nil && id != principal.Management
}

// of returns a folder's canisters in a network, nil if there are none.
func (s *Store) of(id string) *storedNetwork {
	for i := range s.Networks {
		if s.Networks[i].ID == id {
			return &s.Networks[i]
		}
	}
	return nil
}

// Has reports whether a folder has canisters in a network.
func (s *Store) Has(id string) bool { return s.of(id) != nil }

// Live returns the names that a network has itself or from its ancestors.
func (s *Store) Live(n Network) map[string]string {
	live := map[string]string{}
	for name, c := range s.Known(n) {
		live[name] = c.ID
	}
	return live
}

// Known returns the canisters that a network has itself or from its ancestors, by name.
func (s *Store) Known(n Network) map[string]storedCanister {
	known := map[string]storedCanister{}
	for _, a := range n.Ancestors {
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
	if stored := s.of(n.ID); stored != nil {
		maps.Copy(known, stored.Canisters)
	}
	return known
}

// Instances returns the instance for each name; if several networks have the name, the last one counts.
func (s *Store) Instances() map[string]string {
	all := map[string]string{}
	for _, n := range s.Networks {
		for name := range n.Canisters {
			all[name] = n.Instance
		}
	}
	return all
}

// Put replaces the names of a network by those at a height. Unchanged ones keep their height.
func (s *Store) Put(n Network, instance string, ids map[string]string, height uint64) {
	now := storedNetwork{ID: n.ID, Instance: instance, Canisters: map[string]storedCanister{}}
	before, known := s.of(n.ID), s.Known(n)
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
	s.Forget(n.ID)
	s.Networks = append(s.Networks, now)
	if extra := len(s.Networks) - maxStored; extra > 0 {
		s.Networks = slices.Delete(s.Networks, 0, extra)
	}
}

// Pass says which arguments deploy passed to a canister of a network.
func (s *Store) Pass(n Network, name, digest string) {
	c := s.of(n.ID).Canisters[name]
	c.Arguments, c.Passed = digest, n.Height
	s.of(n.ID).Canisters[name] = c
}

// Describe says where the interface of a canister of a network is.
func (s *Store) Describe(n Network, name, candid string) {
	if c, found := s.of(n.ID).Canisters[name]; found {
		c.Candid = candid
		s.of(n.ID).Canisters[name] = c
	}
}

// Forget removes a folder's canisters in a network.
func (s *Store) Forget(id string) {
	s.Networks = slices.DeleteFunc(s.Networks, func(n storedNetwork) bool { return n.ID == id })
}
