package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

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
func (j *Journal) storeOptions(readOnly bool) *pebble.Options {
	options := &pebble.Options{
		FS: j.fs, ReadOnly: readOnly, ErrorIfNotExists: readOnly, Logger: storeLog{j}, FormatMajorVersion: pebble.FormatNewest,
		MemTableSize: memTableBytes, MaxOpenFiles: 100,
	}
	options.CacheSize = cacheBytes
	return options
}

// storeLog takes what the store says.
type storeLog struct{ journal *Journal }

// Infof is news.
func (storeLog) Infof(string, ...any) {}

// Errorf is a failure that the store tries again.
func (storeLog) Errorf(string, ...any) {}

// Fatalf is a failure after which the store cannot go on: it must not return. The journal fails, and its user stops.
func (l storeLog) Fatalf(format string, args ...any) {
	l.journal.fail(fmt.Errorf(format, args...))
	runtime.Goexit()
}

func isNotExist(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrNotExist)
}
