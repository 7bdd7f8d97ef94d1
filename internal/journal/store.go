package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"regexp"

	"github.com/cockroachdb/pebble/v2"
)

// storeFolder is the folder of the store in the directory.
const storeFolder = "store"

// The keys of the store. Positions are big-endian, so that keys sort by position.
const (
	recordsKey    = 'r' // followed by a position: a block
	recordsEnd    = recordsKey + 1
	checkpointKey = 'c' // followed by a position: a Checkpoint in JSON
	changesKey    = 'n' // number of changes of values
	valueKey      = 'v' // followed by a name: a value
)

// storeOptions returns options for few large values that are written once, in order, and read once.
func (j *Journal) storeOptions(o *Options, exists bool) *pebble.Options {
	options := &pebble.Options{
		FS: j.fs, ReadOnly: o.ReadOnly || o.Damaged, ErrorIfNotExists: o.ReadOnly || exists, Logger: storeLogger{j}, FormatMajorVersion: pebble.FormatNewest,
		MemTableSize: cmp.Or(o.MemTableBytes, MemTableBytes), MaxOpenFiles: 100,
	}
	options.CacheSize = cacheBytes
	options.EventListener = &pebble.EventListener{
		BackgroundError: func(err error) {
			j.failWith(err)
			select {} // as after a failed write (disk.write)
		},
		// The reader also gets the error. Without this handler, the store treats damage as fatal.
		DataCorruption: func(info pebble.DataCorruptionInfo) { j.corruptFile.Store(&info.Path) },
	}
	if o.Log != nil {
		logEvents(options.EventListener, o.Log)
	}
	return options
}

// logEvents logs flushes and compactions of the store.
func logEvents(events *pebble.EventListener, log *slog.Logger) {
	events.FlushBegin = func(pebble.FlushInfo) { log.Debug("a flush of the store begins") }
	events.FlushEnd = func(pebble.FlushInfo) { log.Debug("a flush of the store ends") }
	events.CompactionBegin = func(pebble.CompactionInfo) { log.Debug("a compaction of the store begins") }
	events.CompactionEnd = func(pebble.CompactionInfo) { log.Debug("a compaction of the store ends") }
}

// storeLogger is the logger of the store.
type storeLogger struct{ journal *Journal }

// Infof implements pebble.Logger. Messages are dropped.
func (storeLogger) Infof(string, ...any) {}

// Errorf implements pebble.Logger. Errors are dropped: the store retries.
func (storeLogger) Errorf(string, ...any) {}

// Fatalf implements pebble.Logger. The store cannot continue, so Fatalf ends the journal and never returns.
func (l storeLogger) Fatalf(format string, args ...any) {
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			l.journal.failWith(err)
		}
	}
	l.journal.failWith(fmt.Errorf(format, args...))
	select {}
}

// guarded runs an operation of the store in its own goroutine, because a goroutine in which the store fails never
// returns. The error is the failure of the journal then. do may still be running, so its variables must not be used
// again. The store panics on some damaged files: the error is a *storePanicError then.
func (j *Journal) guarded(do func() error) error {
	done := make(chan error, 1)
	go func() { done <- j.caught(do) }()
	select {
	case err := <-done:
		return err
	case <-j.broken:
		return *j.failed.Load()
	}
}

// isBroken reports whether a failure has ended the journal.
func (j *Journal) isBroken() bool {
	select {
	case <-j.broken:
		return true
	default:
		return false
	}
}

// readStore is guarded for an open store. It returns the damage if the store could not be opened.
func (j *Journal) readStore(do func() error) error {
	if j.db == nil {
		return j.damage[0]
	}
	return j.guarded(do)
}

// caught runs an operation of the store, and turns a panic into an error.
func (j *Journal) caught(do func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = &storePanicError{panicked}
			j.storePanicked.Store(true)
		}
	}()
	return do()
}

// storePanicError is a panic of the store, which cannot read a file.
type storePanicError struct{ panicked any }

// Error includes the value of the panic.
func (e *storePanicError) Error() string {
	return fmt.Sprintf("the store cannot read it: %v", e.panicked)
}

func isStorePanic(err error) bool {
	_, is := errors.AsType[*storePanicError](err)
	return is
}

// closeStore closes the store. After a panic the store is not used again, not even to close it: it shares memory with
// other stores, and could free it twice.
func (j *Journal) closeStore() error {
	if j.db == nil || j.storePanicked.Load() {
		return nil
	}
	return j.guarded(j.db.Close)
}

// storeError translates an error of the store: to the failure of the journal, a *FailedError or a *DamagedError.
func (j *Journal) storeError(err error) error {
	if failure := j.failed.Load(); failure != nil {
		return *failure
	}
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		return damaged
	}
	if isSystemError(err) {
		return &FailedError{Dir: j.dir, Err: err}
	}
	if noStorePattern.MatchString(err.Error()) {
		err = errNoStore
	}
	return &DamagedError{j.dir, j.damagedFile(err), err}
}

// noStorePattern matches the error for a missing store, which is not always pebble.ErrDBDoesNotExist.
var noStorePattern = regexp.MustCompile(`pebble: database .*does not exist$`)

// fileNamePattern matches the names of the store's files in its errors.
var fileNamePattern = regexp.MustCompile(`\d{6,}\.(sst|log|blob)|(MANIFEST|OPTIONS)-\d{6,}|marker\.[\w.-]+`)

// damagedFile returns the file of the store that an error is about, or the folder of the store.
func (j *Journal) damagedFile(err error) string {
	name := fileNamePattern.FindString(err.Error())
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		name = j.fs.PathBase(info.Path)
	} else if path := j.corruptFile.Load(); path != nil && name == "" {
		name = j.fs.PathBase(*path)
	}
	return j.fs.PathJoin(storeFolder, name)
}

func isNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrNotExist)
}

// write commits and syncs a batch.
func (j *Journal) write(batch *pebble.Batch) error {
	j.storeMu.Lock()
	defer j.storeMu.Unlock()
	return j.guarded(func() error { return batch.Commit(pebble.Sync) })
}
