package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/cockroachdb/pebble/v2"
)

// The keys of the store. Positions are in big-endian form, so that they are in order.
const (
	recordsKey    = 'r' // with a position: a block
	recordsEnd    = recordsKey + 1
	checkpointKey = 'c' // with a position: a Checkpoint in JSON
	valueKey      = 'v' // with a name
)

// storeOptions are for few large values that are written once, in order, and read once.
func (j *Journal) storeOptions(o *Options) *pebble.Options {
	options := &pebble.Options{
		FS: j.fs, ReadOnly: o.ReadOnly, ErrorIfNotExists: o.ReadOnly, Logger: storeLog{j}, FormatMajorVersion: pebble.FormatNewest,
		MemTableSize: cmp.Or(o.MemTableBytes, MemTableBytes), MaxOpenFiles: 100,
	}
	options.CacheSize = cacheBytes
	options.EventListener = &pebble.EventListener{BackgroundError: func(err error) {
		j.failBy(err)
		select {} // as after a write that fails
	}}
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
// caller's. The error is the failure of the journal then.
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

// storeError is what an error of the store means: that the journal has failed, that the system has, or damage.
func (j *Journal) storeError(what string, err error) error {
	if failure := j.failed.Load(); failure != nil {
		return *failure
	}
	if isOfSystem(err) {
		return &FailedError{j.dir, err}
	}
	return &DamagedError{j.dir, what, err}
}

func isNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrNotExist)
}

// write brings a batch to disk.
func (j *Journal) write(batch *pebble.Batch) error {
	return j.guarded(func() error { return batch.Commit(pebble.Sync) })
}
