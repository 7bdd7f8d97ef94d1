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

// Options say how a directory is opened.
type Options struct {
	// FS has the directory; nil: the file system.
	FS vfs.FS
	// Damaged opens a directory that is damaged, to check it or to repair it: records cannot be appended before that.
	Damaged bool
	// Log takes, at level debug, what the store does beside the commits; nil: nothing does.
	Log *slog.Logger
	// MemTableBytes is how much of what is new the store has in memory; 0: 8 MiB.
	MemTableBytes uint64
	// ReadOnly opens a directory that exists, to look at it.
	ReadOnly bool
	// Retention is the history that is kept beside what a start needs.
	Retention Retention
	// Statistics count what the journal does; nil: nothing does.
	Statistics *Statistics
}

// Journal is an open state directory. Append is for one goroutine at a time, the owner of the network; the other
// methods are safe for concurrent use.
type Journal struct {
	dir       string
	fs        *disk
	lock      io.Closer
	db        *pebble.DB // nil: it cannot be opened, and found says why
	found     []error    // what is damaged, where it was asked for
	retention Retention
	counts    *Statistics // nil: nothing is counted

	wake    chan struct{} // a commit is wanted
	closing chan struct{}
	ended   chan struct{} // closed when nothing more is committed
	broken  chan struct{} // closed by a failure
	closed  sync.Once

	appended, synced atomic.Uint64 // records so far, and on disk; written under mu
	failed           atomic.Pointer[error]
	senseless        atomic.Bool            // the store has panicked over a file that it read
	corrupt          atomic.Pointer[string] // a file of the store in which the store has found damage

	mu       sync.Mutex    // guards what follows
	pending  []byte        // records that wait for their commit, each with its length before it
	spare    []byte        // room for the next pending
	first    uint64        // position of the first in pending
	size     int64         // bytes of records that were ever appended while the directory is open
	delayed  *time.Timer   // commits records that have no waiting caller
	timed    bool          // delayed runs: something in pending is not lazy
	waiting  int           // callers that wait for the next commit
	next     chan struct{} // closed at the end of the next commit; nil without a waiting caller
	writing  chan struct{} // closed at the end of the commit that is under way; nil without a waiting caller
	writes   uint64        // the position to which the commit that is under way goes
	expected int           // callers that the next commit is to serve, if they come soon

	end     vfs.File              // says how many records there are; nil: read-only
	putting sync.Mutex            // held while a value is written; taken before mu
	keeping sync.Mutex            // held while a checkpoint is written or files are removed; taken before mu
	kept    []Checkpoint          // written by setKept
	usage   atomic.Pointer[Usage] // of kept
	adopted []PageFile            // linked from another directory, for the next checkpoint
}

// Open opens a state directory and makes it where there is none. The error may be a *NewerError, *LockedError,
// *ForeignError, *DamagedError or *FailedError.
func Open(dir string, o Options) (_ *Journal, err error) {
	j := &Journal{
		dir: dir, fs: &disk{FS: o.FS, counts: o.Statistics}, retention: o.Retention, counts: o.Statistics,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}), broken: make(chan struct{}),
	}
	if j.fs.FS == nil {
		j.fs.FS = vfs.Default
	}
	j.fs.store, j.fs.fail = j.path(storeFolder), j.failBy
	if err := j.note(&o, j.prepare(&o)); err != nil {
		return nil, err
	}
	if j.lock, err = j.fs.Lock(j.path(lockFile)); err != nil {
		if o.ReadOnly && (errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)) {
			j.lock, err = io.NopCloser(nil), nil // this user writes nothing there, and a backup does not change
		}
	}
	if err != nil {
		if isOfSystem(err) {
			return nil, &FailedError{Dir: dir, Err: fmt.Errorf("locking it: %w", err)}
		}
		return nil, &LockedError{dir, err}
	}
	if err := j.open(&o); err != nil {
		j.fs.cut() // what the store still does in the background, if it did not close, must reach nothing
		return nil, err
	}
	if o.ReadOnly {
		close(j.ended)
	} else {
		go j.commitAll()
	}
	return j, nil
}

// open opens the store and reads what is in it. Nothing of the store is removed before all of it is known to be there.
func (j *Journal) open(o *Options) error {
	b, err := j.readBeside()
	if err == nil {
		err = j.note(o, j.checkLogs())
	}
	if err != nil {
		return err
	}
	j.fs.hold()
	if err = j.note(o, j.openStore(o, &b)); err == nil && !o.ReadOnly && !o.Damaged {
		j.fs.release()
		err = j.begin(&b)
	}
	if err != nil {
		_ = j.closeStore() // the first error counts
	}
	if failure := j.failed.Load(); err != nil && failure != nil {
		return *failure // of which the error may be a consequence
	}
	return err
}

// openStore opens the store, and reads how much is in it.
func (j *Journal) openStore(o *Options, b *beside) error {
	if _, err := j.fs.Stat(j.path(storeFolder)); b.any && isNotExist(err) {
		return &DamagedError{j.dir, storeFolder, errNoStore} // the store would make its folder before it says so
	}
	var db *pebble.DB
	err := j.reading(func() (err error) {
		db, err = pebble.Open(j.path(storeFolder), j.storeOptions(o, b.any))
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
		err = j.lost(b)
	}
	return err
}

// note keeps what is damaged, for a check, where that was asked for: it is no error then.
func (j *Journal) note(o *Options, err error) error {
	if _, damaged := errors.AsType[*DamagedError](err); damaged && o.Damaged {
		j.found = append(j.found, err)
		return nil
	}
	return err
}

// begin has the files beside the store tell what the store has, and removes those that are of no use.
func (j *Journal) begin(b *beside) error {
	err := j.sweep("")
	if err == nil {
		err = j.removeCopies()
	}
	if err == nil {
		err = j.describeKept()
	}
	if err == nil {
		err = j.backValues(b)
	}
	if err == nil {
		err = j.openEnd()
	}
	return err
}

// prepare makes the directory with its FORMAT, or checks that.
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
		if _, ok := positionOf(name); ok || name == storeFolder {
			return &DamagedError{j.dir, formatFile, errors.New("it is missing")}
		}
	}
	for _, name := range files {
		if name != lockFile && name != formatFile+temporary {
			return &ForeignError{j.dir, name}
		}
	}
	if o.ReadOnly {
		return &DamagedError{j.dir, formatFile, errors.New("the folder is empty")}
	}
	return j.writeFormat()
}

// isNew reports whether nothing was ever kept in the directory.
func (j *Journal) isNew() bool {
	_, err := j.fs.Stat(j.path(formatFile))
	return err != nil
}

// makeDir makes the directory where it is missing, with those that it lies in: they survive a crash from then on.
func (j *Journal) makeDir() error {
	var made []string // with a new entry
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

// formatText begins the file FORMAT.
const formatText = "canisterd state directory, version "

// formatFile has the version of the layout, and lockFile is locked while the directory is open.
const (
	formatFile = "FORMAT"
	lockFile   = "lock"
)

func formatOf(version int) string { return fmt.Sprintf("%s%d\n", formatText, version) }

// format is the content of FORMAT, "" for none.
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

// Dir is the directory.
func (j *Journal) Dir() string { return j.dir }

// Failed is closed when a failure has ended the journal.
func (j *Journal) Failed() <-chan struct{} { return j.broken }

// Close commits what waits and gives the directory back. A failure has given it back already: Close tells it again.
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
			err = j.closeEnd()
		}
		err = errors.Join(err, j.lock.Close())
		j.fs.cut()
	})
	return err
}
