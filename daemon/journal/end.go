package journal

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// endFile has how many records are on disk, beside the store: a store that has fewer has lost some. It is written over
// after each commit, and synced when the directory is opened and closed. So it never tells more than what is there, also
// after a power failure, which may leave an older one.
const endFile = "end"

func endText(end uint64) []byte { return fmt.Appendf(nil, "records %020d", end) }

// markedEnd is what the file tells, 0 if there is none or it was changed.
func (j *Journal) markedEnd() (end uint64, err error) {
	text, err := j.readSealed(endFile)
	if err != nil && !errors.Is(err, errSeal) {
		return 0, err
	}
	if n, _ := fmt.Sscanf(string(text), "records %d", &end); n == 0 {
		return 0, nil
	}
	return end, nil
}

// openEnd makes the file, or opens it, and has it tell what is there.
func (j *Journal) openEnd() (err error) {
	if j.end, err = j.fs.OpenReadWrite(j.path(endFile), vfs.WriteCategoryUnspecified); err == nil {
		if err = j.syncMark(); err == nil {
			err = j.syncDir(j.dir)
		}
	}
	if err != nil {
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("writing %s: %w", endFile, err)}
	}
	return nil
}

// mark writes the file, and does not wait for the disk.
func (j *Journal) mark(end uint64) error {
	_, err := j.end.WriteAt(sealed(endText(end)), 0)
	return err
}

// syncMark brings the file to disk.
func (j *Journal) syncMark() error {
	if err := j.mark(j.synced.Load()); err != nil {
		return err
	}
	return j.end.Sync()
}

// closeEnd brings the file to disk, for the next start, and closes it.
func (j *Journal) closeEnd() error {
	if j.end == nil {
		return nil
	}
	if err := errors.Join(j.syncMark(), j.end.Close()); err != nil {
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("writing %s: %w", endFile, err)}
	}
	return nil
}
