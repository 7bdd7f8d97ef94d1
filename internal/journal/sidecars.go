package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// aboutPrefix begins the names of files that describe a checkpoint, so that a checkpoint can be read if the store is
// damaged. The file is on disk before the store refers to the checkpoint.
const aboutPrefix = "about-"

// aboutName returns the name of the file about a checkpoint.
func aboutName(file string) string { return aboutPrefix + strings.TrimPrefix(file, checkpointPrefix) }

// writeAbout writes the file about a checkpoint.
func (j *Journal) writeAbout(c *Checkpoint) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("describing a checkpoint: %w", err)
	}
	return j.putSealed(aboutName(c.File), text)
}

// readAbout reads the file about a checkpoint, and returns false if it is missing or damaged.
func (j *Journal) readAbout(file string) (c Checkpoint, ok bool) {
	text, err := j.readSealed(aboutName(file))
	return c, err == nil && json.Unmarshal(text, &c) == nil && c.File == file
}

// writeMissingAbouts writes missing files about kept checkpoints. Older versions did not write them.
func (j *Journal) writeMissingAbouts() error {
	for i := range j.kept {
		if _, ok := j.readAbout(j.kept[i].File); ok {
			continue
		}
		if err := j.writeAbout(&j.kept[i]); err != nil {
			return fmt.Errorf("writing to state directory %q: %w", j.dir, err)
		}
	}
	return nil
}

// checkpointPosition returns the position in the name of a checkpoint, and false if it is not the name of a finished
// one.
func checkpointPosition(name string) (position uint64, ok bool) {
	rest, ok := strings.CutPrefix(name, checkpointPrefix)
	if !ok || strings.HasSuffix(name, tempSuffix) {
		return 0, false
	}
	random := ""
	n, err := fmt.Sscanf(rest, "%020d-%s", &position, &random)
	return position, err == nil && n == 2
}

// verify reads the files of a checkpoint and returns an error if one is missing or damaged.
func (j *Journal) verify(c *Checkpoint) error {
	if err := j.Read(c, func(io.Reader, *PageFiles) error { return nil }); err != nil {
		return err
	}
	return j.checkPages(c)
}

var errNoStore = errors.New("it is missing")

// sidecars is the content of the sidecar files: redundant copies, outside the store, of what the store must hold.
type sidecars struct {
	any     bool     // there is a sidecar file or a checkpoint, so there was a store
	end     uint64   // number of records on disk, by endFile
	files   []string // names of finished checkpoints
	changes uint64   // number of changes of the values
	values  map[string][]byte
}

// readSidecars reads the sidecar files, and lists the finished checkpoints.
func (j *Journal) readSidecars() (side sidecars, err error) {
	names, err := j.fs.List(j.dir)
	if err != nil {
		return side, &FailedError{Dir: j.dir, Err: fmt.Errorf("reading it: %w", err)}
	}
	slices.Sort(names)
	for _, name := range names {
		if _, ok := checkpointPosition(name); ok {
			side.files = append(side.files, name)
		}
		side.any = side.any || name == endFile || name == valuesFile || strings.HasPrefix(name, aboutPrefix)
	}
	side.any = side.any || len(side.files) > 0
	if side.end, err = j.readEndFile(); err != nil {
		return side, j.storeError(err)
	}
	if side.changes, side.values, err = j.readValuesFile(); err != nil {
		return side, j.storeError(err)
	}
	return side, nil
}

// checkMissing compares the store with the sidecar files. The error is a *DamagedError that names what the store has
// lost.
func (j *Journal) checkMissing(side *sidecars) error {
	end, known := j.synced.Load(), side.end
	intact := ""
	for _, name := range side.files {
		position, _ := checkpointPosition(name)
		if position <= end {
			continue
		}
		known = max(known, position)
		if c, ok := j.readAbout(name); ok && j.verify(&c) == nil {
			intact = fmt.Sprintf("; %s, a checkpoint of %d records, is intact", name, position)
		}
	}
	if known > end {
		return &DamagedError{j.dir, storeFolder, errors.New(missingRecords(end, known) + intact)}
	}
	if n := len(j.kept); n > 0 {
		for _, position := range j.kept[n-1].Kept {
			if !slices.ContainsFunc(j.kept, func(c Checkpoint) bool { return c.Position == position }) {
				return &DamagedError{j.dir, storeFolder, fmt.Errorf("the checkpoint of %d records is missing", position)}
			}
		}
	}
	return j.checkMissingValues(side)
}

// checkMissingValues does the same for the values.
func (j *Journal) checkMissingValues(side *sidecars) error {
	changes, values, err := j.readValues()
	if err != nil {
		return err
	}
	if changes < side.changes {
		return &DamagedError{j.dir, storeFolder, fmt.Errorf("it has %d changes of its values, and had %d", changes, side.changes)}
	}
	for name := range side.values {
		if _, ok := values[name]; !ok {
			return &DamagedError{j.dir, storeFolder, fmt.Errorf("the value %q is missing", name)}
		}
	}
	return nil
}
