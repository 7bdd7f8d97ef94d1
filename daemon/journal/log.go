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

// The form of the logs of the store: blocks of this size have chunks, each with a checksum, a length and a kind. Chunks of
// a log of batches also have its number, by which what an older log left in the file is known, and say up to which byte
// the log was on disk when they were written. Chunks of a manifest, the log of what files there are, do not: each is on
// disk before the next is written.
const (
	logBlock       = 32 << 10
	chunkHeader    = 7
	numberedHeader = chunkHeader + 4
	syncedHeader   = numberedHeader + 8
	kindsOfPlace   = 4 // whole, first, middle, last
	firstNumbered  = 5
	firstSynced    = 9
	endOfKinds     = 13
	logSuffix      = ".log"
	manifestMarker = markerPrefix + "manifest."
)

// storeLogFile is a log of the store.
type storeLogFile struct {
	name     string // in the directory
	content  []byte
	numbered bool
	number   uint32
}

// checkLogs tells a log that a crash left without its end from one that is damaged: the store takes both for the end of
// what was written. The error is a *DamagedError if something of the newest log, or of the manifest, cannot be read that
// was on disk, as a later part says.
func (j *Journal) checkLogs() error {
	names, err := j.fs.List(j.path(storeFolder))
	if isNotExist(err) {
		return nil
	}
	if err != nil {
		return j.storeError(err)
	}
	for _, name := range []string{newestLog(names), manifestOf(names)} {
		if name == "" {
			continue
		}
		log, err := j.openLog(j.fs.PathJoin(storeFolder, name))
		if isNotExist(err) {
			continue // the store says so
		}
		if err != nil {
			return j.storeError(err)
		}
		if at, damaged := log.damage(); damaged {
			return &DamagedError{j.dir, log.name, fmt.Errorf("at byte %d it is not what was written, and what was written later is there", at)}
		}
	}
	return nil
}

// numberOf is the number in the name of a log; false: it is not a log of batches.
func numberOf(name string) (number uint64, ok bool) {
	digits, ok := strings.CutSuffix(name, logSuffix)
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, ok && err == nil
}

func newestLog(names []string) (newest string) {
	last := uint64(0)
	for _, name := range names {
		if number, ok := numberOf(name); ok && number >= last {
			newest, last = name, number
		}
	}
	return newest
}

// manifestOf is the manifest that the newest marker names.
func manifestOf(names []string) (manifest string) {
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
	number, numbered := numberOf(j.fs.PathBase(name))
	return &storeLogFile{name, content, numbered, uint32(number)}, errors.Join(err, file.Close())
}

// damage is the byte at which the readable part of a log ends, and whether something was on disk after it.
func (l *storeLogFile) damage() (at int, damaged bool) {
	at = l.read(func(*chunk) {})
	for later := at + 1; later < len(l.content); later++ {
		c, ok := l.chunkAt(later)
		if ok && (!l.numbered || c.synced > uint64(at)) && l.right(&c) {
			return at, true
		}
	}
	return at, false
}

// batches are the batches of a log that can be read.
func (l *storeLogFile) batches(do func(batch []byte)) {
	var batch []byte
	l.read(func(c *chunk) {
		switch place := (c.kind - 1) % kindsOfPlace; place {
		case 0, 1:
			batch = nil
			fallthrough
		default:
			batch = append(batch, l.content[c.from:c.end]...)
			if place == 0 || place == kindsOfPlace-1 {
				do(batch)
				batch = nil
			}
		}
	})
}

// chunk is a part of a log.
type chunk struct {
	at, from, end int // its bytes, and where its content begins
	kind          byte
	number        uint32 // of the log
	synced        uint64 // bytes of the log that were on disk
}

// chunkAt reads the header of a chunk; false: there is none of this log. The mark at the end of a log has the next number.
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

// right reports whether the checksum of a chunk is.
func (l *storeLogFile) right(c *chunk) bool {
	sum := crc32.Checksum(l.content[c.at+6:c.end], castagnoli)
	return (sum>>15|sum<<17)+0xa282ead8 == binary.LittleEndian.Uint32(l.content[c.at:])
}

// read gives the chunks that can be read to a function, and is where they end: in a log that was closed at its last byte.
func (l *storeLogFile) read(do func(*chunk)) (at int) {
	for at < len(l.content) {
		block := logBlock - at%logBlock
		left := min(block, len(l.content)-at)
		c, ok := l.chunkAt(at)
		switch {
		case ok && l.right(&c) && l.numbered && c.number != l.number:
			return len(l.content) // what follows is of an older log
		case ok && l.right(&c):
			do(&c)
			at = c.end
		case left == block && left < syncedHeader && zero(l.content[at:at+left]):
			at += left // no chunk had room
		default:
			return at
		}
	}
	return at
}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
