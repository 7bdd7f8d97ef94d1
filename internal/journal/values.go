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

// valuesFile is a copy of all values outside the store.
const valuesFile = "values"

// ReadableValue returns the value of a name, also if the store is damaged: then the one in the copy of the values.
func (j *Journal) ReadableValue(name string) ([]byte, error) {
	value, err := j.Get(name)
	if _, damaged := errors.AsType[*DamagedError](err); !damaged {
		return value, err
	}
	_, values, err := j.readValuesFile()
	if err != nil {
		return nil, j.storeError(err)
	}
	return values[name], nil
}

// Put sets the value of a name. It is on disk when Put returns.
func (j *Journal) Put(name string, value []byte) error {
	j.valuesMu.Lock()
	defer j.valuesMu.Unlock()
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
		err = j.writeValuesFile(changes, values)
	}
	if err != nil {
		return fmt.Errorf("writing to state directory %q: %w", j.dir, err)
	}
	return nil
}

// valuesContent is the content of valuesFile.
type valuesContent struct {
	Changes uint64            `json:"changes"` // number of changes since the first version with this file
	Values  map[string][]byte `json:"values"`
}

func (j *Journal) writeValuesFile(changes uint64, values map[string][]byte) error {
	text, err := json.Marshal(valuesContent{changes, values})
	if err != nil {
		return err
	}
	return j.putSealed(valuesFile, text)
}

// readValuesFile returns the values in valuesFile, none if it is missing or damaged.
func (j *Journal) readValuesFile() (changes uint64, values map[string][]byte, err error) {
	text, err := j.readSealed(valuesFile)
	if err != nil && !errors.Is(err, errSeal) {
		return 0, nil, err
	}
	var file valuesContent
	if invalid := json.Unmarshal(text, &file); invalid != nil {
		return 0, nil, nil //nolint:nilerr // a damaged file counts as missing
	}
	return file.Changes, file.Values, nil
}

// readValues returns all values in the store, and the number of their changes.
func (j *Journal) readValues() (changes uint64, values map[string][]byte, err error) {
	values = make(map[string][]byte)
	err = j.scan([]byte{valueKey}, []byte{valueKey + 1}, func(key, value []byte) error {
		values[string(key[1:])] = value
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	err = j.scan([]byte{changesKey}, []byte{changesKey + 1}, func(_, value []byte) error {
		if len(value) != 8 {
			return &DamagedError{j.dir, storeFolder, fmt.Errorf("invalid number of changes of its values: %x", value)}
		}
		changes = binary.BigEndian.Uint64(value)
		return nil
	})
	return changes, values, err
}

// updateValuesFile copies the values of the store to valuesFile if they differ. Older versions did not write the file.
func (j *Journal) updateValuesFile(side *sidecars) error {
	changes, values, err := j.readValues()
	if err != nil || changes == side.changes && maps.EqualFunc(values, side.values, bytes.Equal) {
		return err
	}
	if err := j.writeValuesFile(changes, values); err != nil {
		return fmt.Errorf("writing to state directory %q: %w", j.dir, err)
	}
	return nil
}

// Get returns the value of a name, nil if there is none.
func (j *Journal) Get(name string) ([]byte, error) {
	var found []byte
	err := j.readStore(func() error {
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

// PutFile writes a file of the user. It is complete and on disk when PutFile returns.
func (j *Journal) PutFile(name string, write func(io.Writer) error) error {
	if err := j.putFile(userFilePrefix+name, write); err != nil {
		return fmt.Errorf("writing a file of state directory %q: %w", j.dir, err)
	}
	return nil
}

// DamagedFile returns the error for a file of PutFile whose content is damaged.
func (j *Journal) DamagedFile(name string, err error) error {
	return &DamagedError{j.dir, userFilePrefix + name, err}
}

// OpenFile opens a file that PutFile wrote.
func (j *Journal) OpenFile(name string) (io.ReadCloser, error) {
	file, err := j.fs.Open(j.path(userFilePrefix + name))
	if err != nil {
		return nil, openError(j.dir, userFilePrefix+name, err)
	}
	return file, nil
}

// RemoveOthers removes all files that PutFile wrote, except those with the given names.
func (j *Journal) RemoveOthers(names []string) error {
	files, err := j.fs.List(j.dir)
	if err != nil {
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("reading it: %w", err)}
	}
	for _, file := range files {
		if name, other := strings.CutPrefix(file, userFilePrefix); other && !slices.Contains(names, name) {
			if err := j.RemoveFile(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveFile removes a file that PutFile wrote, if it exists.
func (j *Journal) RemoveFile(name string) error {
	if err := j.fs.Remove(j.path(userFilePrefix + name)); err != nil && !isNotExist(err) {
		return fmt.Errorf("removing a file of state directory %q: %w", j.dir, err)
	}
	return j.syncDir(j.dir)
}
