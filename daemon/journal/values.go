package journal

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// Put keeps a value under a name. It is on disk when Put returns.
func (j *Journal) Put(name string, value []byte) error {
	if failure := j.failed.Load(); failure != nil {
		return *failure
	}
	batch := j.db.NewBatch()
	err := batch.Set(append([]byte{valueKey}, name...), value, nil)
	if err == nil {
		err = j.write(batch)
	}
	if err != nil {
		return fmt.Errorf("writing to state directory %q: %w", j.dir, err)
	}
	return nil
}

// Get is the value under a name, nil if there is none.
func (j *Journal) Get(name string) ([]byte, error) {
	var found []byte
	err := j.reading(func() error {
		value, closer, err := j.db.Get(append([]byte{valueKey}, name...))
		if err != nil {
			return err
		}
		found = slices.Clone(value)
		return closer.Close()
	})
	switch {
	case err == nil:
		return found, nil
	case errors.Is(err, pebble.ErrNotFound):
		return nil, nil
	}
	return nil, j.storeError(err)
}

// PutFile keeps a file under a name. It is whole and on disk when PutFile returns.
func (j *Journal) PutFile(name string, write func(io.Writer) error) error {
	if err := j.putFile(otherFile+name, write); err != nil {
		return fmt.Errorf("writing a file of state directory %q: %w", j.dir, err)
	}
	return nil
}

// OpenFile opens the file under a name.
func (j *Journal) OpenFile(name string) (io.ReadCloser, error) {
	file, err := j.fs.Open(j.path(otherFile + name))
	if err != nil {
		return nil, &DamagedError{j.dir, otherFile + name, err}
	}
	return file, nil
}

// RemoveOthers removes all files but those under some names.
func (j *Journal) RemoveOthers(names []string) error {
	files, err := j.fs.List(j.dir)
	if err != nil {
		return fmt.Errorf("reading state directory %q: %w", j.dir, err)
	}
	for _, file := range files {
		if name, other := strings.CutPrefix(file, otherFile); other && !slices.Contains(names, name) {
			if err := j.RemoveFile(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveFile removes the file under a name, if there is one.
func (j *Journal) RemoveFile(name string) error {
	if err := j.fs.Remove(j.path(otherFile + name)); err != nil && !isNotExist(err) {
		return fmt.Errorf("removing a file of state directory %q: %w", j.dir, err)
	}
	return j.syncDir(j.dir)
}
