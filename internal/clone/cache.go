package clone

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/regular"
	"github.com/canisterd/canisterd/internal/snapshotdir"
)

// Cache is a folder with snapshots of canisters: CANISTER/SNAPSHOT is a directory of package snapshotdir, with a record.
// All of it is readable by its owner alone.
type Cache string

// FromMainnet is the name of the Internet Computer as a source.
const FromMainnet = "ic"

// CacheIn returns the cache of the project in a folder, beside what else is of one computer.
func CacheIn(folder string) Cache { return Cache(filepath.Join(folder, ".canisterd", "clones")) }

// recordFile is the file with the record of a snapshot in the cache.
const recordFile = "clone.json"

// Record says where a snapshot is from.
type Record struct {
	// From is the source as the user names it: ic, a URL or an instance.
	From string `json:"from"`
	// Network identifies the source: the same address may be another network later.
	Network  string              `json:"network"`
	Canister principal.Principal `json:"-"`
	Snapshot []byte              `json:"-"`
	// Temporary says that the snapshot was taken for this clone, and is deleted at the source afterwards.
	Temporary bool `json:"temporary,omitempty"`
	// Status is the reply of canister_status at the source; nil: the identity may not see it.
	Status []byte `json:"status,omitempty"`
	// Dependencies are the canisters that were gathered with this one, because it calls them; nil: none were looked for.
	Dependencies []string `json:"dependencies"`
}

// Entry is a snapshot in a directory.
type Entry struct {
	Folder string
	Record Record
}

// Status returns the status of the canister at the source, nil if it is not known.
func (e *Entry) Status() (*management.Status, error) {
	if e.Record.Status == nil {
		return nil, nil
	}
	return readStatus(e.Record.Status)
}

// variables returns the environment variables of the canister at the source, as far as they are known.
func (e *Entry) variables() ([]management.Variable, error) {
	status, err := e.Status()
	if err != nil || status == nil || status.Settings.Environment == nil {
		return nil, err
	}
	return *status.Settings.Environment, nil
}

// Complete reports whether the whole snapshot is there.
func (e *Entry) Complete() bool {
	_, err := snapshotdir.Read(e.Folder)
	return err == nil
}

// removed reports whether the directory of a snapshot in the cache is gone.
func (e *Entry) removed() bool {
	_, err := os.Stat(filepath.Join(e.Folder, recordFile))
	return errors.Is(err, fs.ErrNotExist)
}

// remove removes a snapshot from the cache, and the directory of its canister if it has no other one.
func (e *Entry) remove() error {
	err := os.RemoveAll(e.Folder)
	_ = os.Remove(filepath.Dir(e.Folder)) // it fails if there are other snapshots
	return err
}

func (c Cache) folder(canister principal.Principal, snapshot []byte) string {
	return filepath.Join(string(c), canister.String(), hex.EncodeToString(snapshot))
}

// Find returns the snapshot with an id, nil if it is not there.
func (c Cache) Find(canister principal.Principal, snapshot []byte) (*Entry, error) {
	e := &Entry{Folder: c.folder(canister, snapshot)}
	text, err := regular.Read(filepath.Join(e.Folder, recordFile), maxRecordBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the cache of clones: %w", err)
	}
	if err := json.Unmarshal(text, &e.Record); err != nil {
		return nil, fmt.Errorf("%s: %w (canisterd clone forget %s removes it)", filepath.Join(e.Folder, recordFile), err, canister)
	}
	e.Record.Canister, e.Record.Snapshot = canister, snapshot
	return e, nil
}

// Open returns the snapshot of a directory, with its record if clone wrote the directory.
func Open(folder string) (*Entry, error) {
	e := &Entry{Folder: folder}
	if _, err := snapshotdir.Read(folder); err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", e.Folder, err)
	}
	of := filepath.Dir(folder)
	id, err := principal.Parse(filepath.Base(of))
	if err != nil {
		return e, nil //nolint:nilerr // it is not in a cache
	}
	snapshot, err := hex.DecodeString(filepath.Base(folder))
	if err != nil {
		return e, nil //nolint:nilerr // it is not in a cache
	}
	cached, err := Cache(filepath.Dir(of)).Find(id, snapshot)
	if cached == nil {
		return e, err
	}
	return cached, err
}

// List returns the snapshots of a canister, the newest first.
func (c Cache) List(canister principal.Principal) (all []*Entry, err error) {
	names, err := os.ReadDir(filepath.Join(string(c), canister.String()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the cache of clones: %w", err)
	}
	for _, name := range names {
		id, err := hex.DecodeString(name.Name())
		if err != nil {
			continue // not ours
		}
		e, err := c.Find(canister, id)
		if err != nil {
			return nil, err
		}
		if e != nil {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(b.taken(), a.taken()), bytes.Compare(b.Record.Snapshot, a.Record.Snapshot))
	})
	return all, nil
}

// Newest returns the newest complete snapshot of a canister that is from a source, as the user names it; nil if there is none.
func (c Cache) Newest(canister principal.Principal, from string) (*Entry, error) {
	all, err := c.List(canister)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.Record.From == from && e.Complete() {
			return e, nil
		}
	}
	return nil, nil
}

// taken returns when the snapshot was taken, 0 if the directory is incomplete.
func (e *Entry) taken() uint64 {
	about, err := snapshotdir.Read(e.Folder)
	if err != nil {
		return 0
	}
	return about.Taken
}

// Canisters returns the canisters that have snapshots in the cache.
func (c Cache) Canisters() (all []principal.Principal, err error) {
	names, err := os.ReadDir(string(c))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the cache of clones: %w", err)
	}
	for _, name := range names {
		if id, err := principal.Parse(name.Name()); err == nil {
			all = append(all, id)
		}
	}
	return all, nil
}

// Forget removes the snapshots of a canister from the cache, and returns how many bytes they had.
func (c Cache) Forget(canister principal.Principal) (removed int64, err error) {
	folder := filepath.Join(string(c), canister.String())
	err = filepath.WalkDir(folder, func(_ string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() {
			return err
		}
		info, err := file.Info()
		if err == nil {
			removed += info.Size()
		}
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, fmt.Errorf("no snapshots of %s are kept in %s", canister, string(c))
	case err != nil:
		return 0, fmt.Errorf("removing the snapshots of %s: %w", canister, err)
	}
	if err := os.RemoveAll(folder); err != nil {
		return 0, fmt.Errorf("removing the snapshots of %s: %w", canister, err)
	}
	return removed, nil
}

// put writes a record.
func (c Cache) put(r *Record) (*Entry, error) {
	e := &Entry{c.folder(r.Canister, r.Snapshot), *r}
	if err := os.MkdirAll(e.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("creating the cache of clones: %w", err)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding the record of a clone: %w", err)
	}
	return e, regular.Replace(filepath.Join(e.Folder, recordFile), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}
