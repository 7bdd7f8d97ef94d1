package clone

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/snapshotdir"
)

// Source is where canisters are cloned from.
type Source struct {
	Caller  Caller
	Asker   Asker  // nil: it answers no queries, so that there are no stand-ins
	From    string // as the user names it
	Network string // see Record
}

// Canister returns a canister of the source.
func (s *Source) Canister(id principal.Principal) Canister { return Canister{id, s.Caller} }

// NoSnapshotError is the error for a canister without a snapshot to read.
type NoSnapshotError struct{ Canister principal.Principal }

func (e *NoSnapshotError) Error() string {
	return fmt.Sprintf("canister %s has no snapshot: pass --take to take one", e.Canister)
}

// MissingError is the error for a canister that the source does not have.
type MissingError struct {
	Canister principal.Principal
	From     string // the instance
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("instance %s has no canister %s (canisterd -i %[1]s canister list)", e.From, e.Canister)
}

func isMissing(err error) bool {
	var missing *MissingError
	return errors.As(err, &missing)
}

// Newest returns the newest snapshot of a canister at the source.
func (s *Source) Newest(ctx context.Context, canister principal.Principal) ([]byte, error) {
	all, err := s.Canister(canister).List(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &NoSnapshotError{canister}
	}
	newest := slices.MaxFunc(all, func(a, b management.Snapshot) int {
		return cmp.Or(cmp.Compare(a.Taken, b.Taken), slices.Compare(a.ID, b.ID))
	})
	return newest.ID, nil
}

// Unfinished returns a snapshot in the cache that was taken for a clone, is incomplete, and still exists at the source; nil
// if there is none. Its download continues. A complete one that still exists was left by a process that was killed: it is
// deleted at the source.
func (s *Source) Unfinished(ctx context.Context, cache Cache, canister principal.Principal) (*Entry, error) {
	all, err := cache.List(canister)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(e *Entry) bool { return !e.Record.Temporary || e.Record.Network != s.Network })
	if len(all) == 0 {
		return nil, nil
	}
	there, err := s.Canister(canister).List(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		switch {
		case !slices.ContainsFunc(there, func(t management.Snapshot) bool { return slices.Equal(t.ID, e.Record.Snapshot) }):
		case !e.Complete():
			return e, nil
		default:
			if err := s.Drop(ctx, canister, e.Record.Snapshot); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// Take takes a snapshot of a canister, and records it before anything is read: what ends this process leaves a snapshot
// whose id is known. A snapshot of the same id in the cache is of another network, or of one that was restored: it is
// removed.
func (s *Source) Take(ctx context.Context, cache Cache, canister principal.Principal) (*Entry, error) {
	taken, err := s.Canister(canister).Take(ctx, nil)
	if err != nil {
		return nil, err
	}
	err = os.RemoveAll(cache.folder(canister, taken.ID))
	var e *Entry
	if err == nil {
		e, err = s.record(ctx, cache, canister, taken.ID, true)
	}
	if err != nil {
		return nil, errors.Join(err, s.Drop(ctx, canister, taken.ID))
	}
	return e, nil
}

// Drop deletes a snapshot that was taken for a clone, also if the command was interrupted.
func (s *Source) Drop(ctx context.Context, canister principal.Principal, snapshot []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTime)
	defer cancel()
	if err := s.Canister(canister).Delete(ctx, snapshot); err != nil {
		return fmt.Errorf("snapshot %s of canister %s could not be deleted at %s, and occupies memory there: %w", hex.EncodeToString(snapshot), canister, s.From, err)
	}
	return nil
}

// Use returns the entry of an existing snapshot, which may be complete already.
func (s *Source) Use(ctx context.Context, cache Cache, canister principal.Principal, snapshot []byte) (*Entry, error) {
	e, err := cache.Find(canister, snapshot)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return s.record(ctx, cache, canister, snapshot, false)
	case e.Record.Network != s.Network:
		return nil, fmt.Errorf("%s has a snapshot of the same id from another network (%s): remove it with canisterd clone forget %s", e.Folder, e.Record.From, canister)
	}
	return e, nil
}

// record records a snapshot with the present status of its canister, if the caller may see that.
func (s *Source) record(ctx context.Context, cache Cache, canister principal.Principal, snapshot []byte, temporary bool) (*Entry, error) {
	_, status, err := s.Canister(canister).Status(ctx)
	if err != nil && !isAnswer(err) {
		return nil, err
	}
	return cache.put(&Record{From: s.From, Network: s.Network, Canister: canister, Snapshot: snapshot, Temporary: temporary, Status: status})
}

// Download reads the rest of a snapshot into the cache. tell gets the bytes that are there, of so many.
func (s *Source) Download(ctx context.Context, e *Entry, tell func(bytes, total int64)) error {
	if e.Complete() {
		return nil
	}
	from := &measured{Source: s.Canister(e.Record.Canister).Reader(e.Record.Snapshot)}
	_, err := snapshotdir.Download(ctx, e.Folder, from, snapshotdir.DownloadOptions{
		Resume: snapshotdir.IsIncomplete(e.Folder), Digests: true, Parallel: parallelReads, Tell: func(n int64) { tell(n, from.total) },
	})
	if ctx.Err() == nil && e.removed() {
		return &RemovedError{e.Folder, err}
	}
	return err
}

// RemovedError is the error for a directory of the cache that another process removed during a download.
type RemovedError struct {
	Folder string
	err    error // of the download; nil: it wrote everything before
}

func (e *RemovedError) Error() string {
	return fmt.Sprintf("%s was removed while the snapshot was read (as canisterd clone forget does): clone again", e.Folder)
}

// Unwrap returns the error of the download.
func (e *RemovedError) Unwrap() error { return e.err }

// DownloadTaken is Download of a snapshot that was taken for a clone, and deletes the snapshot at the source afterwards, also
// if it is interrupted. If the network is not reached any more, the snapshot stays, and the next clone goes on with it.
func (s *Source) DownloadTaken(ctx context.Context, e *Entry, tell func(bytes, total int64)) error {
	err := s.Download(ctx, e, tell)
	if err != nil && ctx.Err() == nil && !isAnswer(err) && !isLocal(err) {
		return fmt.Errorf("%w (snapshot %s of canister %s stays at %s: the same command goes on with it, and deletes it)", err, hex.EncodeToString(e.Record.Snapshot), e.Record.Canister, s.From)
	}
	dropped := s.Drop(ctx, e.Record.Canister, e.Record.Snapshot)
	if err != nil && dropped == nil { // nothing can go on with it
		dropped = e.remove()
	}
	return errors.Join(err, dropped)
}

// isLocal reports whether an error is of the cache, not of the source.
func isLocal(err error) bool {
	var path *fs.PathError
	var removed *RemovedError
	return errors.As(err, &path) || errors.As(err, &removed)
}

// measured remembers the size of a snapshot, for progress.
type measured struct {
	snapshotdir.Source
	total int64
}

// Metadata reads the metadata of the snapshot.
func (m *measured) Metadata(ctx context.Context) (*management.SnapshotMetadata, error) {
	about, err := m.Source.Metadata(ctx)
	if err == nil {
		m.total = about.Bytes()
	}
	return about, err
}
