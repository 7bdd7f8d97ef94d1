package identity

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

	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/regular"
)

// Anonymous is the name of the identity of calls if no other is chosen. It is not stored.
const Anonymous = "anonymous"

// Store holds a user's keys by name, in the user's configuration directory.
type Store struct {
	Current    string             `json:"current"` // "" for anonymous
	Identities map[string]*Stored `json:"identities"`
	folder     string
}

// Stored is a key: its file is NAME.pem. The daemon trusts the caller's word: the key is read only for other networks.
type Stored struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind"`
}

// Read reads the identities of the user.
func Read() (*Store, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("finding the user's configuration directory: %w", err)
	}
	all := &Store{Identities: map[string]*Stored{}, folder: filepath.Join(folder, "canisterd", "identities")}
	text, err := os.ReadFile(all.index())
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the identities: %w", err)
	}
	if err := json.Unmarshal(text, all); err != nil {
		return nil, fmt.Errorf("%s: %w", all.index(), err)
	}
	return all, nil
}

func (s *Store) index() string { return filepath.Join(s.folder, "identities.json") }

func (s *Store) write() error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the identities: %w", err)
	}
	return s.writeFile(s.index(), append(text, '\n'))
}

func (s *Store) writeFile(path string, content []byte) error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return fmt.Errorf("creating the identity directory: %w", err)
	}
	return regular.Replace(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// checkNew refuses a name that a new identity cannot have.
func (s *Store) checkNew(name string) error {
	switch {
	case name == Anonymous || !project.NameForm.MatchString(name) || reference.IsPrincipal(name):
		return fmt.Errorf("invalid identity name %q: expected 1 to 64 letters, digits, - and _, beginning with a letter", name)
	case s.Identities[name] != nil:
		return fmt.Errorf("identity %s already exists (%s): choose another name", name, s.Identities[name].Principal)
	}
	return nil
}

// Add stores a key under a name.
func (s *Store) Add(name string, text []byte, key Key) error {
	if err := s.checkNew(name); err != nil {
		return err
	}
	if err := s.writeFile(s.pem(name), text); err != nil {
		return err
	}
	s.Identities[name] = &Stored{key.Principal(), key.Kind}
	return s.write()
}

// pem returns the path of the key of an identity.
func (s *Store) pem(name string) string { return filepath.Join(s.folder, name+".pem") }

// Find returns the identity of a name.
func (s *Store) Find(name string) (*Stored, error) {
	if one := s.Identities[name]; one != nil {
		return one, nil
	}
	if name == Anonymous {
		return nil, errors.New("anonymous is not a stored identity: it has no key")
	}
	return nil, fmt.Errorf("no identity %q%s (canisterd identity list)", name, reference.Meant(name, slices.Sorted(maps.Keys(s.Identities))))
}

// ReadPEM returns the file with the key of an identity.
func (s *Store) ReadPEM(name string) ([]byte, error) {
	text, err := os.ReadFile(s.pem(name))
	if err != nil {
		return nil, fmt.Errorf("reading the key: %w", err)
	}
	return text, nil
}

// Key reads the key of an identity, and asks for its password if it is encrypted.
func (s *Store) Key(name string) (Key, error) {
	if _, err := s.Find(name); err != nil {
		return Key{}, err
	}
	_, key, err := ReadKey(s.pem(name))
	return key, err
}

// Remove deletes an identity and its key.
func (s *Store) Remove(name string) error {
	delete(s.Identities, name)
	if err := s.write(); err != nil { // before the file: an identity without its key could not be exported
		return err
	}
	if err := os.Remove(s.pem(name)); err != nil {
		return fmt.Errorf("deleting the key: %w", err)
	}
	return nil
}

// Use makes an identity the one that calls are made as.
func (s *Store) Use(name string) error {
	switch {
	case name == Anonymous:
		name = ""
	case s.Identities[name] == nil:
		known := append([]string{Anonymous}, slices.Sorted(maps.Keys(s.Identities))...)
		return fmt.Errorf("no identity %q%s (canisterd identity list)", name, reference.Meant(name, known))
	}
	s.Current = name
	return s.write()
}

// Rename gives an identity another name, also where it is in use.
func (s *Store) Rename(name, to string) error {
	one, err := s.Find(name)
	if err != nil {
		return err
	}
	if err := s.checkNew(to); err != nil {
		return err
	}
	if err := os.Rename(s.pem(name), s.pem(to)); err != nil {
		return fmt.Errorf("renaming the key: %w", err)
	}
	delete(s.Identities, name)
	s.Identities[to] = one
	if s.Current == name {
		s.Current = to
	}
	if err := s.write(); err != nil {
		return errors.Join(err, os.Rename(s.pem(to), s.pem(name)))
	}
	return nil
}
