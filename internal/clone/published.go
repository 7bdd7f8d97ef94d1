package clone

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/regular"
)

// KnownModule is what is known of a module by its hash.
type KnownModule struct {
	Name   string // with its version and source, for people
	Init   string // default argument of the installation, as Candid text; "" for none
	Module []byte // nil: its bytes are not at hand
}

// Published is the published module of a canister that the caller of the source may not read: it is installed with empty
// state.
type Published struct {
	Canister principal.Principal `json:"-"`
	// From and Network are as those of a Record.
	From    string `json:"from"`
	Network string `json:"network"`
	// Hash is the SHA-256 of the module, as the source certifies it.
	Hash   []byte `json:"module_hash"`
	Name   string `json:"name"`
	Init   string `json:"init,omitempty"`
	Module []byte `json:"-"` // nil: its bytes are not at hand
}

// Choices are what the user says about canisters that cannot be cloned.
type Choices struct {
	// StandIns get a stand-in, also if their published module is at hand.
	StandIns []principal.Principal
	// Init has arguments of installations, as Candid text; those of others are the defaults of their modules.
	Init map[principal.Principal]string
	// Encode returns the argument of an installation and its text. An empty text stands for an argument without values.
	Encode func(module []byte, text string) (argument []byte, shown string, err error)
}

// Substitution is what a destination has in place of a canister that was not cloned.
type Substitution struct {
	// Published is the module that was installed with the argument Init, as Candid text; nil: none was.
	Published *Published
	Init      string
	// StandIn says that the canister is a stand-in.
	StandIn bool
	// Err says why the known module was not installed; nil: it was, none is known, or the user chose a stand-in.
	Err error
}

// The files of a published module in the cache.
const (
	publishedRecord = "published.json"
	publishedModule = "published.wasm"
)

// ErrNotAtHand is why a module that is known was not installed.
var ErrNotAtHand = errors.New("the bytes of the module are not at hand: canisterd modules update adds them, with file in the list")

// Published returns the published module of a canister in the cache, nil if there is none.
func (c Cache) Published(canister principal.Principal) (*Published, error) {
	folder := filepath.Join(string(c), canister.String())
	text, err := regular.Read(filepath.Join(folder, publishedRecord), maxRecordBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	p := &Published{Canister: canister}
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err == nil {
		p.Module, err = regular.Read(filepath.Join(folder, publishedModule), maxPublishedBytes)
	}
	if sum := sha256.Sum256(p.Module); err == nil && !bytes.Equal(sum[:], p.Hash) {
		err = fmt.Errorf("its SHA-256 is %x instead of %x", sum, p.Hash)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the published module of %s: %w (canisterd clone forget %[1]s removes it)", canister, err)
	}
	return p, nil
}

// putPublished writes a published module into the cache, the record after the bytes. Without bytes, it removes the record
// of an earlier module.
func (c Cache) putPublished(p *Published) error {
	folder := filepath.Join(string(c), p.Canister.String())
	record := filepath.Join(folder, publishedRecord)
	if err := os.Remove(record); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the record of a published module: %w", err)
	}
	if p.Module == nil {
		return nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("creating the cache of clones: %w", err)
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the record of a published module: %w", err)
	}
	put := func(path string, content []byte) error {
		return regular.Replace(path, func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
	}
	return errors.Join(put(filepath.Join(folder, publishedModule), p.Module), put(record, append(text, '\n')))
}

// published returns the published module of a canister, with its bytes if they are at hand. nil: no module of its hash is
// known, or the source does not show the hash.
func (s *Source) published(ctx context.Context, canister principal.Principal, known func(hash []byte) (*KnownModule, error)) (*Published, error) {
	if s.Asker == nil {
		return nil, nil
	}
	hash, err := s.Asker.ModuleHash(ctx, canister)
	switch {
	case isAnswer(err):
		return nil, nil // the network does not have the canister
	case err != nil || hash == nil:
		return nil, err
	}
	m, err := known(hash)
	if err != nil || m == nil {
		return nil, err
	}
	return &Published{Canister: canister, From: s.From, Network: s.Network, Hash: hash, Name: m.Name, Init: m.Init, Module: m.Module}, nil
}

// Substitute makes what a destination has in place of a canister that was not cloned: its published module with empty
// state, or else its stand-in.
func (d *Destination) Substitute(ctx context.Context, m *Member, choices *Choices, controller principal.Principal) (*Substitution, error) {
	s := &Substitution{}
	if m.Published != nil && !slices.Contains(choices.StandIns, m.Canister) {
		var err error
		if s.Init, err = d.publish(ctx, m.Published, choices, controller); err == nil {
			s.Published = m.Published
			return s, nil
		}
		if failed, is := errors.AsType[*notPublishedError](err); !is {
			return nil, err
		} else if s.Err = failed.error; m.Recording == nil {
			return s, nil
		}
	}
	if m.Recording == nil {
		return s, nil
	}
	s.StandIn = true
	return s, d.StandIn(ctx, m.Recording, controller)
}

// notPublishedError says why a published module cannot be installed. A stand-in takes its place.
type notPublishedError struct{ error }

// publish installs a published module with empty state, and returns the text of the argument.
func (d *Destination) publish(ctx context.Context, p *Published, choices *Choices, controller principal.Principal) (shown string, err error) {
	if p.Module == nil {
		return "", &notPublishedError{ErrNotAtHand}
	}
	text, given := choices.Init[p.Canister]
	if !given {
		text = p.Init
	}
	argument, shown, err := choices.Encode(p.Module, text)
	switch {
	case err != nil && given: // it would be a surprise to get a stand-in
		return "", fmt.Errorf("the argument for the module of %s: %w", p.Canister, err)
	case err != nil:
		return "", &notPublishedError{err}
	}
	found, err := d.Existing(ctx, p.Canister)
	if err == nil && found == nil {
		found, err = &Existing{}, d.Create(ctx, p.Canister, controller, "")
	}
	switch {
	case err != nil:
		return "", err
	case found.HasCode:
		return "", &ExistsError{p.Canister}
	}
	if err := d.Install(ctx, p.Canister, p.Module, argument, false); isAnswer(err) {
		return "", &notPublishedError{err}
	} else if err != nil {
		return "", err
	}
	return shown, nil
}
