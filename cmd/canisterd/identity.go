package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/spelling"
)

// anonymous is the name of the identity of calls if no other is chosen.
const anonymous = "anonymous"

// identities holds a user's keys by name, in the user's configuration folder.
type identities struct {
	Current    string                     `json:"current"` // "" for anonymous
	Identities map[string]*storedIdentity `json:"identities"`
	folder     string
}

// storedIdentity is a key: its file is NAME.pem. The daemon trusts the caller's word, so the key is only read to be
// stored.
type storedIdentity struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind"`
}

func readIdentities() (*identities, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("looking for the user's configuration folder: %w", err)
	}
	all := &identities{Identities: map[string]*storedIdentity{}, folder: filepath.Join(folder, "canisterd", "identities")}
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

func (i *identities) index() string { return filepath.Join(i.folder, "identities.json") }

func (i *identities) write() error {
	text, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the identities: %w", err)
	}
	return i.writeFile(i.index(), append(text, '\n'))
}

func (i *identities) writeFile(path string, content []byte) error {
	if err := os.MkdirAll(i.folder, 0o700); err != nil {
		return fmt.Errorf("making the folder of identities: %w", err)
	}
	return whole(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// checkNew refuses a name that a new identity cannot have.
func (i *identities) checkNew(name string) error {
	switch {
	case name == anonymous || !project.NameForm.MatchString(name) || spelling.IsPrincipal(name):
		return fmt.Errorf("an identity cannot be called %q: take 1 to 64 letters, digits, - and _, beginning with a letter", name)
	case i.Identities[name] != nil:
		return fmt.Errorf("there is an identity %s (%s): take another name", name, i.Identities[name].Principal)
	}
	return nil
}

// add stores a key under a name.
func (i *identities) add(name string, text []byte, key public) error {
	if err := i.checkNew(name); err != nil {
		return err
	}
	if err := i.writeFile(i.pem(name), text); err != nil {
		return err
	}
	i.Identities[name] = &storedIdentity{key.principal(), key.kind}
	return i.write()
}

// readKey reads a key from a PEM file.
func readKey(path string) ([]byte, public, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, public{}, fmt.Errorf("reading the identity: %w", err)
	}
	key, err := parsePEM(text, askPassword)
	if err != nil {
		return nil, public{}, fmt.Errorf("the identity %s: %w", path, err)
	}
	return text, key, nil
}

// askPassword asks on the terminal, or uses the environment.
func askPassword() ([]byte, error) {
	if password := os.Getenv("CANISTERD_PASSWORD"); password != "" {
		return []byte(password), nil
	}
	stdin := int(os.Stdin.Fd())
	if !term.IsTerminal(stdin) {
		return nil, errors.New("it is encrypted and there is no terminal to ask for its password: set CANISTERD_PASSWORD")
	}
	fmt.Fprint(os.Stderr, "password: ")
	password, err := term.ReadPassword(stdin)
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return nil, fmt.Errorf("reading the password: %w", err)
	}
	return password, nil
}

// drawn returns random bytes.
func drawn(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// sender returns the principal that makes calls: --as, or the one of --identity, or of the identity in use. "" is
// anonymous.
func (c *cli) sender() (string, error) {
	switch {
	case c.as != "" && c.identity != "":
		return "", errors.New("give either --as or --identity, not both")
	case c.as != "":
		sender, err := c.principalOf(c.as)
		if err != nil {
			return "", fmt.Errorf("--as: %w", err)
		}
		return sender, nil
	}
	all, err := readIdentities()
	if err != nil && c.identity == "" {
		return "", nil // without a home no identity is in use
	}
	name := c.identity
	if name == "" && err == nil {
		name = all.Current
	}
	switch {
	case name == "" || name == anonymous:
		return "", nil
	case err == nil && all.Identities[name] != nil:
		return all.Identities[name].Principal, nil
	}
	if c.identity == "" {
		return "", fmt.Errorf("the identity in use, %s, is not there: canisterd identity use chooses another", name)
	}
	_, key, err := readKey(name)
	if errors.Is(err, fs.ErrNotExist) && project.NameForm.MatchString(name) {
		return "", fmt.Errorf("--identity %s is neither an identity (canisterd identity list) nor a PEM file", name)
	}
	if err != nil {
		return "", err
	}
	return key.principal(), nil
}

// shown returns a sender, with "" as anonymous.
func shown(sender string) string {
	if sender == "" {
		return principal.Anonymous.String()
	}
	return sender
}
