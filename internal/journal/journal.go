package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options configure Open.
type Options struct {
	// FS holds the directory; nil: the file system of the machine.
	FS vfs.FS
	// Damaged also opens a directory that is damaged, for Check or Repair. Records can be appended only after Repair.
	Damaged bool
	// Log logs flushes and compactions of the store, at level debug; nil: no log.
	Log *slog.Logger
	// MemTableBytes is how many bytes of new entries the store keeps in memory; 0: 8 MiB.
	MemTableBytes uint64
	// ReadOnly opens an existing directory without changing it.
	ReadOnly bool
	// Retention bounds the history that is kept in addition to what a start needs.
	Retention Retention
	// Statistics count the work of the journal; nil: nothing is counted.
	Statistics *Statistics
}

// Journal is an open state directory. Append is for one goroutine at a time, the owner of the network; the other
// methods are safe for concurrent use.
type Journal struct {
	dir       string
	fs        *disk
	lock      io.Closer
	db        *pebble.DB // nil: it cannot be opened, and damage says why
	damage    []error    // found during Open with Options.Damaged
	retention Retention
	counts    *Statistics // nil: nothing is counted

	wake    chan struct{} // requests a commit
	closing chan struct{}
	ended   chan struct{} // closed when nothing more is committed
	broken  chan struct{} // closed by a failure
	closed  sync.Once

	appended, synced atomic.Uint64 // records so far, and on disk; written under mu
	failed           atomic.Pointer[error]
	storePanicked    atomic.Bool            // the store panicked while it read a file
	corruptFile      atomic.Pointer[string] // the last file in which the store found damage

	mu       sync.Mutex    // guards the fields up to expected
	pending  []byte        // records that wait for their commit, each after its length
	spare    []byte        // buffer for the next pending
	first    uint64        // position of the first in pending
	size     int64         // bytes of records that were appended since the directory was opened
	delayed  *time.Timer   // commits records that have no waiting caller
	timed    bool          // delayed runs: something in pending is not lazy
	waiting  int           // callers that wait for the next commit
	next     chan struct{} // closed at the end of the next commit; nil without a waiting caller
	writing  chan struct{} // closed at the end of the current commit; nil without a waiting caller
	writes   uint64        // end position of the current commit
	expected int           // callers that the next commit waits for

	end          vfs.File              // the file with the number of records (endFile); nil: read-only
	valuesMu     sync.Mutex            // held while a value is written; taken before checkpointMu
	checkpointMu sync.Mutex            // held while a checkpoint is written or files are removed; taken after valuesMu, before mu
	storeMu      sync.Mutex            // held while a batch is written, or the store copied; taken after the others but mu
	kept         []Checkpoint          // written by setKept
	usage        atomic.Pointer[Usage] // of kept
	adopted      []PageFile            // linked from another directory, for the next checkpoint
}

// Open opens a state directory, and creates it if it is missing. The error may be a *NewerError, *LockedError,
// *ForeignError, *DamagedError or *FailedError.
func Open(dir string, o Options) (_ *Journal, err error) {
	j := &Journal{
		dir: dir, fs: &disk{FS: o.FS, counts: o.Statistics}, retention: o.Retention, counts: o.Statistics,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}), broken: make(chan struct{}),
	}
	if j.fs.FS == nil {
		j.fs.FS = vfs.Default
	}
	j.fs.store, j.fs.fail = j.path(storeFolder), j.failWith
	if err := j.collectDamage(&o, j.prepare(&o)); err != nil {
		return nil, err
	}
	if j.lock, err = j.fs.Lock(j.path(lockFile)); err != nil {
		if o.ReadOnly && (errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)) {
			j.lock, err = io.NopCloser(nil), nil // this user cannot write there, and a backup does not change
		}
	}
	if err != nil {
		if isSystemError(err) {
			return nil, &FailedError{Dir: dir, Err: fmt.Errorf("locking it: %w", err)}
		}
		return nil, &LockedError{dir, err}
	}
	if err := j.open(&o); err != nil {
		j.fs.cut() // a store that was not closed may still work in the background
		return nil, err
	}
	if o.ReadOnly {
		close(j.ended)
	} else {
		go j.commitAll()
	}
	return j, nil
}

// open opens the store and reads it. Files of the store are removed only after the store is known to be complete.
func (j *Journal) open(o *Options) error {
	side, err := j.readSidecars()
	if err == nil {
		err = j.collectDamage(o, j.checkLogs())
	}
	if err != nil {
		return err
	}
	j.fs.holdRemovals()
	if err = j.collectDamage(o, j.openStore(o, &side)); err == nil && !o.ReadOnly && !o.Damaged {
		j.fs.releaseRemovals()
		err = j.beginWriting(&side)
	}
	if err != nil {
		_ = j.closeStore() // the first error counts
	}
	if failure := j.failed.Load(); err != nil && failure != nil {
		return *failure // err may be its consequence
	}
	return err
}

// openStore opens the store, reads its contents and compares them with the sidecar files.
func (j *Journal) openStore(o *Options, side *sidecars) error {
	if _, err := j.fs.Stat(j.path(storeFolder)); side.any && isNotExist(err) {
		return &DamagedError{j.dir, storeFolder, errNoStore} // the store would create its folder before it fails
	}
	var db *pebble.DB
	err := j.guarded(func() (err error) {
		db, err = pebble.Open(j.path(storeFolder), j.storeOptions(o, side.any))
		return err
	})
	if err != nil {
		return j.storeError(err)
	}
	j.db = db
	if err = j.readCheckpoints(); err == nil {
		err = j.readEnd()
	}
	if err == nil {
		err = j.checkMissing(side)
	}
	return err
}

// collectDamage adds a *DamagedError to j.damage and returns nil if the options allow damage.
func (j *Journal) collectDamage(o *Options, err error) error {
	if _, damaged := errors.AsType[*DamagedError](err); damaged && o.Damaged {
		j.damage = append(j.damage, err)
		return nil
	}
	return err
}

// beginWriting updates the sidecar files to match the store, and removes unused files.
func (j *Journal) beginWriting(side *sidecars) error {
	err := j.sweep("")
	if err == nil {
		err = j.removeCopies()
	}
	if err == nil {
		err = j.writeMissingAbouts()
	}
	if err == nil {
		err = j.updateValuesFile(side)
	}
	if err == nil {
		err = j.openEndFile()
	}
	return err
}

// prepare creates the directory and its FORMAT, or checks FORMAT.
func (j *Journal) prepare(o *Options) error {
	if !o.ReadOnly {
		if err := j.makeDir(); err != nil {
			return &FailedError{Dir: j.dir, Err: fmt.Errorf("making the state directory: %w", err), New: j.isNew()}
		}
	}
	files, err := j.fs.List(j.dir)
	if err != nil {
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("reading it: %w", err)}
	}
	version, err := j.format()
	switch {
	case err != nil:
		return err
	case version == formatOf(Version):
		return nil
	case version != "":
		number, _ := strings.CutPrefix(strings.TrimSpace(version), formatText)
		if n, err := strconv.Atoi(number); err != nil || n < Version {
			return &DamagedError{j.dir, formatFile, fmt.Errorf("it says %.60q", version)}
		}
		return &NewerError{j.dir, number}
	}
	for _, name := range files {
		if _, ok := checkpointPosition(name); ok || name == storeFolder {
			return &DamagedError{j.dir, formatFile, errors.New("it is missing")}
		}
	}
	for _, name := range files {
		if name != lockFile && name != formatFile+tempSuffix && name != LogFile {
			return &ForeignError{j.dir, name}
		}
	}
	if o.ReadOnly {
		return &DamagedError{j.dir, formatFile, errors.New("the folder is empty")}
	}
	return j.writeFormat()
}

// isNew reports whether the directory never held anything.
func (j *Journal) isNew() bool {
	_, err := j.fs.Stat(j.path(formatFile))
	return err != nil
}

// makeDir creates the directory and its parents, and syncs them so that they survive a crash.
func (j *Journal) makeDir() error {
	var made []string // parents with a new entry
	for dir := j.dir; ; {
		if _, err := j.fs.Stat(dir); !isNotExist(err) {
			break
		}
		dir = j.fs.PathDir(dir)
		made = append(made, dir)
	}
	if err := j.fs.MkdirAll(j.dir, 0o700); err != nil {
		return err
	}
	for _, dir := range made {
		if err := j.syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// formatText is the beginning of the file FORMAT.
const formatText = "canisterd state directory, version "

// formatFile holds the version of the layout. lockFile is locked while the directory is open.
const (
	formatFile = "FORMAT"
	lockFile   = "lock"
)

func formatOf(version int) string { return fmt.Sprintf("%s%d\n", formatText, version) }

// format returns the content of FORMAT, "" if it is missing.
func (j *Journal) format() (string, error) {
	file, err := j.fs.Open(j.path(formatFile))
	if err != nil {
		if isNotExist(err) {
			return "", nil
		}
		return "", &FailedError{Dir: j.dir, Err: fmt.Errorf("reading %s: %w", formatFile, err)}
	}
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err := errors.Join(err, file.Close()); err != nil {
		return "", &FailedError{Dir: j.dir, Err: fmt.Errorf("reading %s: %w", formatFile, err)}
	}
	if !strings.HasPrefix(string(text), formatText) {
		return "", &DamagedError{j.dir, formatFile, fmt.Errorf("it says %.60q", text)}
	}
	return string(text), nil
}

func (j *Journal) path(name string) string { return j.fs.PathJoin(j.dir, name) }

// Dir returns the path of the directory.
func (j *Journal) Dir() string { return j.dir }

// Failed returns a channel that is closed when a failure ends the journal.
func (j *Journal) Failed() <-chan struct{} { return j.broken }

// Close commits pending records and releases the directory. After a failure, which has released it, Close returns that
// failure.
func (j *Journal) Close() (err error) {
	j.closed.Do(func() {
		close(j.closing)
		select {
		case <-j.ended:
		case <-j.broken:
		}
		j.fail(ErrClosed)
		if failure := *j.failed.Load(); !errors.Is(failure, ErrClosed) {
			err = failure
			return
		}
		if err = j.closeStore(); err == nil {
			err = j.closeEndFile()
		}
		err = errors.Join(err, j.lock.Close())
		j.fs.cut()
	})
	return err
}
