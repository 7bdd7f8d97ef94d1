package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// valuesFile has all values once more, beside the store.
const valuesFile = "values"

// Put keeps a value under a name. It is on disk when Put returns.
func (j *Journal) Put(name string, value []byte) error {
	j.putting.Lock()
	defer j.putting.Unlock()
	if failure := j.failed.Load(); failure != nil {
		return *failure
	}
	changes, values, err := j.readValues()
	if err != nil {
		return err
	}
	changes, values[name] = changes+1, value
	batch := j.db.NewBatch()
	err = errors.Join(batch.Set(append([]byte{valueKey}, name...), value, nil), batch.Set([]byte{changesKey}, binary.BigEndian.AppendUint64(nil, changes), nil))
	if err == nil {
		err = j.write(batch)
	}
	if err == nil {
		err = j.putValues(changes, values)
	}
	if err != nil {
		return fmt.Errorf("writing to state directory %q: %w", j.dir, err)
	}
	return nil
}

// keptValues is the content of the file with all values.
type keptValues struct {
	Changes uint64            `json:"changes"` // of values, since there is the file
	Values  map[string][]byte `json:"values"`
}

func (j *Journal) putValues(changes uint64, values map[string][]byte) error {
	text, err := json.Marshal(keptValues{changes, values})
	if err != nil {
		return err
	}
	return j.putSealed(valuesFile, text)
}

// valuesBeside are all values as the file beside the store has them: none if there is none, or it was changed.
func (j *Journal) valuesBeside() (changes uint64, values map[string][]byte, err error) {
	text, err := j.readSealed(valuesFile)
	if err != nil && !errors.Is(err, errSeal) {
		return 0, nil, err
	}
	var file keptValues
	if changed := json.Unmarshal(text, &file); changed != nil {
		return 0, nil, nil //nolint:nilerr // such a file counts as none
	}
	return file.Changes, file.Values, nil
}

// readValues are all values, and how often one was changed.
func (j *Journal) readValues() (changes uint64, values map[string][]byte, err error) {
	values = make(map[string][]byte)
	err = j.each([]byte{valueKey}, []byte{valueKey + 1}, func(key, value []byte) error {
		values[string(key[1:])] = value
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	err = j.each([]byte{changesKey}, []byte{changesKey + 1}, func(_, value []byte) error {
		if len(value) != 8 {
			return &DamagedError{j.dir, storeFolder, fmt.Errorf("the number of changes of its values is %x", value)}
		}
		changes = binary.BigEndian.Uint64(value)
		return nil
	})
	return changes, values, err
}

// backValues has the file beside the store tell what the store has: versions before wrote no such file.
func (j *Journal) backValues(b *beside) error {
	changes, values, err := j.readValues()
	if err != nil || changes == b.changes && maps.EqualFunc(values, b.values, bytes.Equal) {
		return err
	}
	if err := j.putValues(changes, values); err != nil {
		return fmt.Errorf("writing to state directory %q: %w", j.dir, err)
	}
	return nil
}

// Get is the value under a name, nil if there is none.
func (j *Journal) Get(name string) ([]byte, error) {
	var found []byte
	err := j.readingStore(func() error {
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
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("reading it: %w", err)}
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
