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

// storeFolder is the folder of the store in a directory.
const storeFolder = "store"

// The keys of the store. Positions are in big-endian form, so that they are in order.
const (
	recordsKey    = 'r' // with a position: a block
	recordsEnd    = recordsKey + 1
	checkpointKey = 'c' // with a position: a Checkpoint in JSON
	changesKey    = 'n' // how often a value was changed
	valueKey      = 'v' // with a name
)

// storeOptions are for few large values that are written once, in order, and read once.
func (j *Journal) storeOptions(o *Options, exists bool) *pebble.Options {
	options := &pebble.Options{
		FS: j.fs, ReadOnly: o.ReadOnly || o.Damaged, ErrorIfNotExists: o.ReadOnly || exists, Logger: storeLog{j}, FormatMajorVersion: pebble.FormatNewest,
		MemTableSize: cmp.Or(o.MemTableBytes, MemTableBytes), MaxOpenFiles: 100,
	}
	options.CacheSize = cacheBytes
	options.EventListener = &pebble.EventListener{
		BackgroundError: func(err error) {
			j.failBy(err)
			select {} // as after a write that fails
		},
		// The reader has the error too. Without this, the store takes it for a failure after which it cannot go on.
		DataCorruption: func(info pebble.DataCorruptionInfo) { j.corrupt.Store(&info.Path) },
	}
	if o.Log != nil {
		follow(options.EventListener, o.Log)
	}
	return options
}

// follow logs when the store flushes and compacts.
func follow(events *pebble.EventListener, log *slog.Logger) {
	events.FlushBegin = func(pebble.FlushInfo) { log.Debug("a flush of the store begins") }
	events.FlushEnd = func(pebble.FlushInfo) { log.Debug("a flush of the store ends") }
	events.CompactionBegin = func(pebble.CompactionInfo) { log.Debug("a compaction of the store begins") }
	events.CompactionEnd = func(pebble.CompactionInfo) { log.Debug("a compaction of the store ends") }
}

// storeLog takes what the store says.
type storeLog struct{ journal *Journal }

// Infof is news.
func (storeLog) Infof(string, ...any) {}

// Errorf is a failure that the store tries again.
func (storeLog) Errorf(string, ...any) {}

// Fatalf is a failure after which the store cannot go on: it must not return. The journal fails, and its user stops.
func (l storeLog) Fatalf(format string, args ...any) {
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			l.journal.failBy(err)
		}
	}
	l.journal.failBy(fmt.Errorf(format, args...))
	select {}
}

// guarded does something with the store. A goroutine in which the store fails never returns from it: that is not the
// caller's. The error is the failure of the journal then, and what do uses must not be used again: it may go on.
func (j *Journal) guarded(do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
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

// readingStore is reading for what needs the store.
func (j *Journal) readingStore(do func() error) error {
	if j.db == nil {
		return j.found[0]
	}
	return j.reading(do)
}

// reading is guarded for what only reads. The store panics where a file that it reads makes no sense.
func (j *Journal) reading(do func() error) error {
	return j.guarded(func() (err error) {
		defer func() {
			if panicked := recover(); panicked != nil {
				err = &senselessError{panicked}
				j.senseless.Store(true)
			}
		}()
		return do()
	})
}

// senselessError is a panic of the store.
type senselessError struct{ panicked any }

// Error tells it.
func (e *senselessError) Error() string {
	return fmt.Sprintf("the store makes no sense of it: %v", e.panicked)
}

func isSenseless(err error) bool {
	_, is := errors.AsType[*senselessError](err)
	return is
}

// closeStore closes the store. After a panic nothing of it is used again, not even to close it: it shares memory with
// other stores, and would give back what it has given back already.
func (j *Journal) closeStore() error {
	if j.db == nil || j.senseless.Load() {
		return nil
	}
	return j.guarded(j.db.Close)
}

// storeError is what an error of the store means: that the journal has failed, that the system has, or damage.
func (j *Journal) storeError(err error) error {
	if failure := j.failed.Load(); failure != nil {
		return *failure
	}
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		return damaged
	}
	if isOfSystem(err) {
		return &FailedError{Dir: j.dir, Err: err}
	}
	if noStore.MatchString(err.Error()) {
		err = errNoStore
	}
	return &DamagedError{j.dir, j.fileOf(err), err}
}

// noStore is what the store says where there is none, not always with pebble.ErrDBDoesNotExist.
var noStore = regexp.MustCompile(`pebble: database .*does not exist$`)

// fileNames are the names of the store's files in what it says.
var fileNames = regexp.MustCompile(`\d{6,}\.(sst|log|blob)|(MANIFEST|OPTIONS)-\d{6,}|marker\.[\w.-]+`)

// fileOf is the file of the store that an error is about, or the store.
func (j *Journal) fileOf(err error) string {
	name := fileNames.FindString(err.Error())
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		name = j.fs.PathBase(info.Path)
	} else if path := j.corrupt.Load(); path != nil && name == "" {
		name = j.fs.PathBase(*path)
	}
	return j.fs.PathJoin(storeFolder, name)
}

func isNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrNotExist)
}

// write brings a batch to disk.
func (j *Journal) write(batch *pebble.Batch) error {
	return j.guarded(func() error { return batch.Commit(pebble.Sync) })
}
