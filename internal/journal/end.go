package journal

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// endFile holds the number of records on disk, outside the store: a store with fewer records has lost some. It is
// overwritten after each commit, and synced when the directory is opened and closed. A power failure may leave an older
// number, but never one that is too large.
const endFile = "end"

func endText(end uint64) []byte { return fmt.Appendf(nil, "records %020d", end) }

// readEndFile returns the number in the file, 0 if the file is missing or damaged.
func (j *Journal) readEndFile() (end uint64, err error) {
	text, err := j.readSealed(endFile)
	if err != nil && !errors.Is(err, errSeal) {
		return 0, err
	}
	if n, _ := fmt.Sscanf(string(text), "records %d", &end); n == 0 {
		return 0, nil
	}
	return end, nil
}

// openEndFile opens or creates the file, and writes the current number to it.
func (j *Journal) openEndFile() (err error) {
	if j.end, err = j.fs.OpenReadWrite(j.path(endFile), vfs.WriteCategoryUnspecified); err == nil {
		if err = j.syncEndFile(); err == nil {
			err = j.syncDir(j.dir)
		}
	}
	if err != nil {
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("writing %s: %w", endFile, err)}
	}
	return nil
}

// writeEndFile writes the file without a sync.
func (j *Journal) writeEndFile(end uint64) error {
	_, err := j.end.WriteAt(sealed(endText(end)), 0)
	return err
}

// syncEndFile writes and syncs the file.
func (j *Journal) syncEndFile() error {
	if err := j.writeEndFile(j.synced.Load()); err != nil {
		return err
	}
	return j.end.Sync()
}

// closeEndFile writes, syncs and closes the file.
func (j *Journal) closeEndFile() error {
	if j.end == nil {
		return nil
	}
	if err := errors.Join(j.syncEndFile(), j.end.Close()); err != nil {
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("writing %s: %w", endFile, err)}
	}
	return nil
}
