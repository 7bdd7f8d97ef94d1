package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// aboutFile begins the name of a file that describes a checkpoint, as the store does: a directory whose store is damaged
// can be read without it. It is on disk before the store mentions the checkpoint.
const aboutFile = "about-"

// aboutOf is the name of the file about a checkpoint.
func aboutOf(file string) string { return aboutFile + strings.TrimPrefix(file, checkpointFile) }

// describe writes the file about a checkpoint.
func (j *Journal) describe(c *Checkpoint) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("describing a checkpoint: %w", err)
	}
	return j.putSealed(aboutOf(c.File), text)
}

// described is what a file about a checkpoint says. false: there is none, or it was changed.
func (j *Journal) described(file string) (c Checkpoint, ok bool) {
	text, err := j.readSealed(aboutOf(file))
	return c, err == nil && json.Unmarshal(text, &c) == nil && c.File == file
}

// describeKept writes the files about checkpoints that are kept which are not there: versions before them wrote none.
func (j *Journal) describeKept() error {
	for i := range j.kept {
		if _, ok := j.described(j.kept[i].File); ok {
			continue
		}
		if err := j.describe(&j.kept[i]); err != nil {
			return fmt.Errorf("writing to state directory %q: %w", j.dir, err)
		}
	}
	return nil
}

// positionOf is the position that the name of a checkpoint has. false: it is not one that was finished.
func positionOf(name string) (position uint64, ok bool) {
	rest, ok := strings.CutPrefix(name, checkpointFile)
	if !ok || strings.HasSuffix(name, temporary) {
		return 0, false
	}
	random := ""
	n, err := fmt.Sscanf(rest, "%020d-%s", &position, &random)
	return position, err == nil && n == 2
}

// whole is an error unless everything that a checkpoint needs is there as it was written.
func (j *Journal) whole(c *Checkpoint) error {
	if err := j.Read(c, func(io.Reader, *PageFiles) error { return nil }); err != nil {
		return err
	}
	return j.checkPages(c)
}

// beside is what the files beside the store tell.
type beside struct {
	any     bool     // there was a store
	end     uint64   // records were on disk, by the file that says so
	files   []string // names of finished checkpoints
	changes uint64   // of the values
	values  map[string][]byte
}

// readBeside reads the files beside the store.
func (j *Journal) readBeside() (b beside, err error) {
	names, err := j.fs.List(j.dir)
	if err != nil {
		return b, &FailedError{Dir: j.dir, Err: fmt.Errorf("reading it: %w", err)}
	}
	slices.Sort(names)
	for _, name := range names {
		if _, ok := positionOf(name); ok {
			b.files = append(b.files, name)
		}
		b.any = b.any || name == endFile || name == valuesFile || strings.HasPrefix(name, aboutFile)
	}
	b.any = b.any || len(b.files) > 0
	if b.end, err = j.markedEnd(); err != nil {
		return b, j.storeError(err)
	}
	if b.changes, b.values, err = j.valuesBeside(); err != nil {
		return b, j.storeError(err)
	}
	return b, nil
}

// lost is what a store that was read has lost, by what is beside it: a *DamagedError.
func (j *Journal) lost(b *beside) error {
	end, known := j.synced.Load(), b.end
	text := ""
	for _, name := range b.files {
		position, _ := positionOf(name)
		if position <= end {
			continue
		}
		known = max(known, position)
		if c, ok := j.described(name); ok && j.whole(&c) == nil {
			text = fmt.Sprintf("; %s, which is of %d records, is whole", name, position)
		}
	}
	if known > end {
		return &DamagedError{j.dir, storeFolder, fmt.Errorf("records %d to %d are missing%s", end, known-1, text)}
	}
	if n := len(j.kept); n > 0 {
		for _, position := range j.kept[n-1].Kept {
			if !slices.ContainsFunc(j.kept, func(c Checkpoint) bool { return c.Position == position }) {
				return &DamagedError{j.dir, storeFolder, fmt.Errorf("the checkpoint of %d records is missing", position)}
			}
		}
	}
	return j.lostValues(b)
}

// lostValues is what a store has lost of the values.
func (j *Journal) lostValues(b *beside) error {
	changes, values, err := j.readValues()
	if err != nil {
		return err
	}
	if changes < b.changes {
		return &DamagedError{j.dir, storeFolder, fmt.Errorf("it has %d changes of the values that are kept in it, and had %d", changes, b.changes)}
	}
	for name := range b.values {
		if _, ok := values[name]; !ok {
			return &DamagedError{j.dir, storeFolder, fmt.Errorf("the value %q is missing", name)}
		}
	}
	return nil
}

var errNoStore = errors.New("it is missing")
