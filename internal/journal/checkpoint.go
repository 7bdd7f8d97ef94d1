package journal

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Checkpoint describes a file that holds the state of a network.
type Checkpoint struct {
	Position uint64    `json:"position"` // number of records before it
	Height   uint64    `json:"height"`   // of the network
	Time     uint64    `json:"time"`     // of the network, in nanoseconds; 0: unknown (older versions)
	Written  int64     `json:"written"`  // bytes of the records since the last base; 0: unknown (older versions)
	Base     bool      `json:"base"`     // the records before it belong to another network
	File     string    `json:"file"`     // its name in the directory
	Bytes    int64     `json:"bytes"`    // of the file
	Hash     string    `json:"hash"`     // SHA-256 of the file, in hexadecimal digits
	Made     time.Time `json:"made"`
	// State is the hash of the state, in hexadecimal digits. It is "" if the file also holds the pages: then Hash is
	// the hash of the state.
	State string     `json:"state,omitempty"`
	Pages []PageFile `json:"pages,omitempty"` // page files that it refers to
	// Kept lists the positions of the checkpoints that were kept when this one was made, including its own. Older
	// versions left it empty.
	Kept []uint64 `json:"kept,omitempty"`
}

const (
	checkpointPrefix = "checkpoint-"
	userFilePrefix   = "file-"
	tempSuffix       = ".new"
)

// LogFile is the name of a file that a directory may have before it is a state directory: the log of its daemon.
const LogFile = "daemon.log"

// Checkpoints returns the checkpoints that are kept, the oldest first.
func (j *Journal) Checkpoints() []Checkpoint {
	j.checkpointMu.Lock()
	defer j.checkpointMu.Unlock()
	return slices.Clone(j.kept)
}

// Keep writes a checkpoint: write writes the network as it is after Position records, and returns a hash of its state.
// Those records must be on disk (Sync). Keep then removes what the retention does not keep. It sets File, Bytes, Hash,
// State and Pages of the result. If a checkpoint of the same position is kept and this one is not a base, nothing is
// written.
func (j *Journal) Keep(c Checkpoint, write func(io.Writer, *PageFiles) (state [32]byte, err error)) (Checkpoint, error) {
	j.checkpointMu.Lock()
	defer j.checkpointMu.Unlock()
	if failure := j.failed.Load(); failure != nil {
		return c, *failure
	}
	if c.Position > j.synced.Load() {
		panic("journal: a checkpoint of records that are not on disk")
	}
	if n := len(j.kept); n > 0 && j.kept[n-1].Position >= c.Position && !c.Base {
		return j.kept[n-1], nil
	}
	begun := time.Now()
	// Two checkpoints of the same position have different files. The store refers to only one of them at any time.
	c.File = fmt.Sprintf("%s%020d-%s", checkpointPrefix, c.Position, rand.Text()[:8])
	if err := j.writeCheckpoint(&c, write); err != nil {
		return c, fmt.Errorf("writing a checkpoint to state directory %q: %w", j.dir, err)
	}
	kept := j.retainedWith(c)
	for i := range kept {
		c.Kept = append(c.Kept, kept[i].Position)
	}
	kept[len(kept)-1] = c
	if err := j.writeAbout(&c); err != nil {
		return c, fmt.Errorf("describing a checkpoint in state directory %q: %w", j.dir, err)
	}
	batch := j.db.NewBatch()
	err := j.setCheckpoint(batch, c)
	if err == nil {
		err = j.dropOthers(batch, kept)
	}
	if err == nil {
		err = j.write(batch)
	}
	if err != nil {
		return c, fmt.Errorf("entering a checkpoint in state directory %q: %w", j.dir, err)
	}
	j.counts.addCheckpoint(time.Since(begun))
	return c, j.sweep(checkpointPrefix, pagesPrefix, aboutPrefix)
}

// setCheckpoint adds the description of a checkpoint to a batch.
func (j *Journal) setCheckpoint(batch *pebble.Batch, c Checkpoint) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("describing a checkpoint: %w", err)
	}
	return batch.Set(positionKey(checkpointKey, c.Position), text, nil)
}

// writeCheckpoint writes the files of a checkpoint, and enters them in c. The caller holds j.checkpointMu.
func (j *Journal) writeCheckpoint(c *Checkpoint, write func(io.Writer, *PageFiles) (state [32]byte, err error)) (err error) {
	pages, sum := j.newPages(c), &countingHash{hash: sha256.New()}
	defer func() { err = errors.Join(err, pages.close()) }()
	var state [32]byte
	err = j.putFile(c.File, func(w io.Writer) (err error) {
		state, err = write(io.MultiWriter(sum, w), pages)
		return err
	})
	if err != nil {
		return err
	}
	c.Bytes, c.Hash, c.State = sum.bytes, hex.EncodeToString(sum.hash.Sum(nil)), hex.EncodeToString(state[:])
	c.Pages, err = pages.finish()
	j.adopted = nil
	return err
}

// sweep removes files of checkpoints that are not kept, and unfinished files whose names begin with one of the
// prefixes. Other unfinished files stay, because a caller of PutFile may be writing one. There is no such caller when
// the directory is opened, so the prefix is empty then. The caller holds j.checkpointMu.
func (j *Journal) sweep(unfinished ...string) error {
	files, err := j.fs.List(j.dir)
	if err != nil {
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("reading it: %w", err)}
	}
	removed := false
	for _, name := range files {
		begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		left := strings.HasSuffix(name, tempSuffix) && slices.ContainsFunc(unfinished, begins)
		if !left && j.inUse(name) {
			continue
		}
		err := j.fs.Remove(j.path(name))
		switch {
		case err == nil || isNotExist(err):
		case strings.HasPrefix(name, pagesPrefix):
			continue // Windows keeps a file that a network has open: the next sweep removes it
		default:
			return fmt.Errorf("removing an old file of state directory %q: %w", j.dir, err)
		}
		removed = true
	}
	if !removed {
		return nil
	}
	return j.syncDir(j.dir)
}

// inUse reports whether a file belongs to a checkpoint that is kept, or to no checkpoint at all.
func (j *Journal) inUse(name string) bool {
	switch {
	case strings.HasSuffix(name, tempSuffix):
		return true
	case strings.HasPrefix(name, checkpointPrefix):
		return slices.ContainsFunc(j.kept, func(c Checkpoint) bool { return c.File == name })
	case strings.HasPrefix(name, aboutPrefix):
		return slices.ContainsFunc(j.kept, func(c Checkpoint) bool { return aboutName(c.File) == name })
	case strings.HasPrefix(name, pagesPrefix):
		return slices.ContainsFunc(j.kept, func(c Checkpoint) bool {
			return slices.ContainsFunc(c.Pages, func(f PageFile) bool { return f.Name == name })
		})
	}
	return true
}

// readCheckpoints reads the descriptions of the checkpoints. The caller holds j.checkpointMu, or opens the journal.
func (j *Journal) readCheckpoints() error {
	var all []Checkpoint
	err := j.scan(positionKey(checkpointKey, 0), []byte{checkpointKey + 1}, func(_, value []byte) error {
		var c Checkpoint
		if err := json.Unmarshal(value, &c); err != nil {
			return &DamagedError{j.dir, "the description of a checkpoint", err}
		}
		all = append(all, c)
		return nil
	})
	j.setKept(all)
	return err
}

// Read passes the file of a checkpoint and its page files to a function, which may keep page files open. The error is a
// *DamagedError if the file has changed, no matter what the function returns, or if a page file is missing.
func (j *Journal) Read(c *Checkpoint, read func(io.Reader, *PageFiles) error) error {
	pages := j.pagesOf(c)
	err := j.readFile(c, func(file io.Reader) error { return read(file, pages) })
	return errors.Join(err, pages.close())
}

func (j *Journal) readFile(c *Checkpoint, read func(io.Reader) error) error {
	file, err := j.fs.Open(j.path(c.File))
	if err != nil {
		return openError(j.dir, c.File, err)
	}
	sum := &countingHash{hash: sha256.New()}
	from := io.TeeReader(bufio.NewReaderSize(file, writeBuffer), sum)
	failed := read(from)
	_, err = io.Copy(io.Discard, from)
	if err = errors.Join(err, file.Close()); err == nil && (sum.bytes != c.Bytes || hex.EncodeToString(sum.hash.Sum(nil)) != c.Hash) {
		err = fmt.Errorf("its content has changed since it was written at %s", c.Made.UTC().Format(time.RFC3339))
	}
	if err != nil {
		return &DamagedError{j.dir, c.File, errors.Join(err, failed)}
	}
	if pages, ok := errors.AsType[*DamagedError](failed); ok {
		return pages // the place of the reference in the file does not help
	}
	return failed
}

// countingHash hashes and counts the bytes that are written to it.
type countingHash struct {
	hash  hash.Hash
	bytes int64
}

// Write implements io.Writer. It never fails.
func (s *countingHash) Write(b []byte) (int, error) {
	s.hash.Write(b)
	s.bytes += int64(len(b))
	return len(b), nil
}

// putFile writes a file of the directory atomically: it is complete and on disk, or the old one is still there.
func (j *Journal) putFile(name string, write func(io.Writer) error) error {
	file, err := j.fs.Create(j.path(name+tempSuffix), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, writeBuffer)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, j.fs.Remove(j.path(name+tempSuffix)))
	}
	if err := j.fs.Rename(j.path(name+tempSuffix), j.path(name)); err != nil {
		return err
	}
	return j.syncDir(j.dir)
}

func (j *Journal) syncDir(name string) error {
	dir, err := j.fs.OpenDir(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
