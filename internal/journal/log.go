package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// The format of the store's logs: blocks of logBlock bytes hold chunks, each with a checksum, a length and a kind. A
// chunk of a write-ahead log also has the number of its log, which tells it from the rest of an older log in a reused
// file, and the offset up to which the log was on disk when it was written. Chunks of a manifest, the log of the list
// of files, have neither: each is on disk before the next is written.
const (
	logBlock       = 32 << 10
	chunkHeader    = 7
	numberedHeader = chunkHeader + 4
	syncedHeader   = numberedHeader + 8
	chunkPlaces    = 4 // full, first, middle, last
	firstNumbered  = 5
	firstSynced    = 9
	endOfKinds     = 13
	logSuffix      = ".log"
	manifestMarker = markerPrefix + "manifest."
)

// storeLogFile is a log of the store: a write-ahead log, which has a number, or a manifest.
type storeLogFile struct {
	name     string // relative to the directory
	content  []byte
	numbered bool
	number   uint32
}

// checkLogs tells a log that a crash cut off from one that is damaged, which the store cannot: it stops reading at
// both. The error is a *DamagedError if a part of the newest log or of the manifest is unreadable, although a later
// chunk shows that it was on disk.
func (j *Journal) checkLogs() error {
	names, err := j.fs.List(j.path(storeFolder))
	if isNotExist(err) {
		return nil
	}
	if err != nil {
		return j.storeError(err)
	}
	for _, name := range []string{newestLog(names), currentManifest(names)} {
		if name == "" {
			continue
		}
		log, err := j.openLog(j.fs.PathJoin(storeFolder, name))
		if isNotExist(err) {
			continue // the store reports it
		}
		if err != nil {
			return j.storeError(err)
		}
		if at, damaged := log.findDamage(); damaged {
			return &DamagedError{j.dir, log.name, fmt.Errorf("it is damaged at byte %d, and later data is intact", at)}
		}
	}
	return nil
}

// logNumber returns the number in the name of a write-ahead log, and false for other files.
func logNumber(name string) (number uint64, ok bool) {
	digits, ok := strings.CutSuffix(name, logSuffix)
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, ok && err == nil
}

func newestLog(names []string) (newest string) {
	last := uint64(0)
	for _, name := range names {
		if number, ok := logNumber(name); ok && number >= last {
			newest, last = name, number
		}
	}
	return newest
}

// currentManifest returns the manifest that the newest marker names, "" if there is none.
func currentManifest(names []string) (manifest string) {
	last := uint64(0)
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, manifestMarker)
		digits, of, found := strings.Cut(rest, ".")
		if iteration, err := strconv.ParseUint(digits, 10, 64); ok && found && err == nil && iteration >= last {
			manifest, last = of, iteration
		}
	}
	return manifest
}

// openLog reads a log.
func (j *Journal) openLog(name string) (*storeLogFile, error) {
	file, err := j.fs.Open(j.path(name))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(file)
	number, numbered := logNumber(j.fs.PathBase(name))
	return &storeLogFile{name, content, numbered, uint32(number)}, errors.Join(err, file.Close())
}

// findDamage returns the offset at which the readable part of a log ends, and whether more was on disk after it.
func (l *storeLogFile) findDamage() (at int, damaged bool) {
	at = l.read(func(*chunk) {})
	for later := at + 1; later < len(l.content); later++ {
		c, ok := l.chunkAt(later)
		if ok && (!l.numbered || c.synced > uint64(at)) && l.checksumOK(&c) {
			return at, true
		}
	}
	return at, false
}

// batches passes the readable batches of a log to a function.
func (l *storeLogFile) batches(do func(batch []byte)) {
	var batch []byte
	l.read(func(c *chunk) {
		switch place := (c.kind - 1) % chunkPlaces; place {
		case 0, 1:
			batch = nil
			fallthrough
		default:
			batch = append(batch, l.content[c.from:c.end]...)
			if place == 0 || place == chunkPlaces-1 {
				do(batch)
				batch = nil
			}
		}
	})
}

// chunk is the header of a chunk.
type chunk struct {
	at, from, end int // offsets of its header, its content and its end
	kind          byte
	number        uint32 // of the log
	synced        uint64 // bytes of the log that were on disk before
}

// chunkAt reads the header of a chunk, and returns false if there is none of this log. The end marker of a log has the
// number of the next log.
func (l *storeLogFile) chunkAt(at int) (c chunk, ok bool) {
	left := min(logBlock-at%logBlock, len(l.content)-at)
	if left < chunkHeader {
		return c, false
	}
	b := l.content[at : at+left]
	c = chunk{at: at, kind: b[6]}
	header := chunkHeader
	switch {
	case c.kind == 0 || c.kind >= endOfKinds || (c.kind >= firstNumbered) != l.numbered:
		return c, false
	case c.kind >= firstSynced:
		header = syncedHeader
	case c.kind >= firstNumbered:
		header = numberedHeader
	}
	c.from = at + header
	c.end = c.from + int(binary.LittleEndian.Uint16(b[4:]))
	if c.end > at+left {
		return c, false
	}
	if l.numbered {
		c.number = binary.LittleEndian.Uint32(b[chunkHeader:])
	}
	if c.kind >= firstSynced {
		c.synced = binary.LittleEndian.Uint64(b[numberedHeader:])
	}
	return c, !l.numbered || c.number == l.number || c.number == l.number+1
}

// checksumOK reports whether the checksum of a chunk matches.
func (l *storeLogFile) checksumOK(c *chunk) bool {
	sum := crc32.Checksum(l.content[c.at+6:c.end], castagnoli)
	return (sum>>15|sum<<17)+0xa282ead8 == binary.LittleEndian.Uint32(l.content[c.at:])
}

// read passes the readable chunks to a function and returns their end. In a log that was closed, that is the end of the
// file.
func (l *storeLogFile) read(do func(*chunk)) (at int) {
	for at < len(l.content) {
		block := logBlock - at%logBlock
		left := min(block, len(l.content)-at)
		c, ok := l.chunkAt(at)
		switch {
		case ok && l.checksumOK(&c) && l.numbered && c.number != l.number:
			return len(l.content) // the rest belongs to an older log
		case ok && l.checksumOK(&c):
			do(&c)
			at = c.end
		case left == block && left < syncedHeader && allZero(l.content[at:at+left]):
			at += left // padding: no chunk fits
		default:
			return at
		}
	}
	return at
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
