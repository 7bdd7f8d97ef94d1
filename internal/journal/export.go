package journal

import (
	"archive/tar"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// sumFile is the last file of an archive: the SHA-256 of the names, sizes and contents before it. Without it, damage at the
// end of the log would go unnoticed: the store takes it for the effect of a crash, and drops it.
const sumFile = "SHA256"

// Export writes the directory to one file, which Unpack makes a directory of: checkpoints, records and values. A journal
// that is open for writing goes on meanwhile; the file has the records that are on disk when Export begins, or more.
func (j *Journal) Export(to io.Writer) error {
	if j.end == nil {
		return j.archive(j.dir, to)
	}
	return j.withCopy(func(dir string) error { return j.archive(dir, to) })
}

// copyFolder begins the names of folders with copies of the directory, inside it. An opening removes those that a crash left.
const copyFolder = "copy-"

// withCopy passes a copy of the directory to a function. Files that never change are links.
func (j *Journal) withCopy(do func(dir string) error) (err error) {
	dir := j.path(copyFolder + rand.Text()[:8])
	defer func() {
		if removed := j.fs.RemoveAll(dir); removed != nil && !isNotExist(removed) && err == nil {
			err = fmt.Errorf("removing a copy of state directory %q: %w", j.dir, removed)
		}
	}()
	if err := j.copyTo(dir); err != nil {
		return fmt.Errorf("copying state directory %q: %w", j.dir, err)
	}
	return do(dir)
}

// copyTo makes a copy of the directory. Checkpoints and values stay what they are until it is made, so that the store and
// the files beside it agree.
func (j *Journal) copyTo(dir string) error {
	j.valuesMu.Lock()
	defer j.valuesMu.Unlock()
	j.checkpointMu.Lock()
	defer j.checkpointMu.Unlock()
	if failure := j.failed.Load(); failure != nil {
		return *failure
	}
	if err := j.fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	names, err := j.fs.List(j.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := j.copyFile(name, j.fs.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	return j.copyStore(j.fs.PathJoin(dir, storeFolder))
}

// copyStore copies the store while nothing is written to it. The store copies its log piece by piece: beside a writer, a
// later piece could have batches whose beginning an earlier one lacks, which looks like damage.
func (j *Journal) copyStore(dir string) error {
	j.storeMu.Lock()
	defer j.storeMu.Unlock()
	return j.guarded(func() error { return j.db.Checkpoint(dir, pebble.WithFlushedWAL()) })
}

// copyFile copies a file of the directory, unless the copy does not need it: the file with the end may tell of records that
// the copy of the store does not have.
func (j *Journal) copyFile(name, to string) error {
	if name == lockFile || name == endFile || strings.HasSuffix(name, tempSuffix) {
		return nil
	}
	info, err := j.fs.Stat(j.path(name))
	if err == nil && !info.IsDir() {
		err = vfs.LinkOrCopy(j.fs, j.path(name), to)
	}
	if isNotExist(err) {
		return nil // its user has removed it
	}
	return err
}

// removeCopies removes copies of the directory that a crash left.
func (j *Journal) removeCopies() error {
	names, err := j.fs.List(j.dir)
	if err != nil {
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("reading it: %w", err)}
	}
	for _, name := range names {
		if !strings.HasPrefix(name, copyFolder) {
			continue
		}
		if err := j.fs.RemoveAll(j.path(name)); err != nil {
			return fmt.Errorf("removing a copy of state directory %q: %w", j.dir, err)
		}
	}
	return nil
}

// archive writes the files of a directory, and of its store.
func (j *Journal) archive(dir string, to io.Writer) error {
	file, sum := tar.NewWriter(to), sha256.New()
	for _, folder := range []string{"", storeFolder} {
		names, err := j.fs.List(j.fs.PathJoin(dir, folder))
		if err != nil {
			return fmt.Errorf("reading state directory %q: %w", j.dir, err)
		}
		for _, name := range names {
			if err := j.addFile(file, sum, dir, folder, name); err != nil {
				return fmt.Errorf("writing %s of state directory %q: %w", name, j.dir, err)
			}
		}
	}
	text := fmt.Sprintf("%x", sum.Sum(nil))
	if err := file.WriteHeader(&tar.Header{Name: sumFile, Size: int64(len(text)), Mode: 0o600}); err != nil {
		return err
	}
	if _, err := io.WriteString(file, text); err != nil {
		return err
	}
	return file.Close()
}

// addFile adds a file to an archive, and to its sum. Folders are left out.
func (j *Journal) addFile(to *tar.Writer, sum hash.Hash, dir, folder, name string) (err error) {
	path := j.fs.PathJoin(dir, folder, name)
	info, err := j.fs.Stat(path)
	if err != nil || info.IsDir() {
		return err
	}
	from, err := j.fs.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if folder != "" {
		name = folder + "/" + name
	}
	if err := to.WriteHeader(&tar.Header{Name: name, Size: info.Size(), Mode: 0o600}); err != nil {
		return err
	}
	fmt.Fprintf(sum, "%s\n%d\n", name, info.Size())
	_, err = io.CopyN(io.MultiWriter(to, sum), from, info.Size())
	return err
}
