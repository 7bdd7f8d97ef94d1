package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// portionBytes and portionEntries are how much is read of the store at a time. Ours.
const (
	portionBytes   = 1 << 20
	portionEntries = 4 << 10
)

// journalName is what damaged records are in, for people.
const journalName = "its journal"

// entry is an entry of the store.
type entry struct{ key, value []byte }

// each gives all entries of the store from a key on to a function. It reads them in portions: a function that takes long,
// or uses the journal, must not run in a goroutine that the store may keep (guarded).
func (j *Journal) each(from, end []byte, do func(key, value []byte) error) (err error) {
	var it *pebble.Iterator
	err = j.readingStore(func() (err error) {
		it, err = j.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: end})
		return err
	})
	if err != nil {
		return j.storeError(err)
	}
	next := it.First
	for more := true; more; next = it.Next {
		var part []entry
		failed := j.reading(func() (err error) {
			part, more, err = portion(it, next)
			return err
		})
		if failed != nil && j.isBroken() {
			return j.storeError(failed) // it may still be reading
		}
		for _, e := range part {
			if err := do(e.key, e.value); err != nil {
				return errors.Join(err, j.reading(it.Close))
			}
		}
		if failed != nil {
			if !isSenseless(failed) {
				_ = j.reading(it.Close) // it says the same again
			}
			return j.storeError(failed)
		}
	}
	if err := j.reading(it.Close); err != nil {
		return j.storeError(err)
	}
	return nil
}

// portion copies some entries of an iterator, from the one at which next puts it. What comes before damage is good.
func portion(it *pebble.Iterator, next func() bool) (part []entry, more bool, err error) {
	for size := 0; size < portionBytes && len(part) < portionEntries; next = it.Next {
		if !next() {
			return part, false, it.Error()
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return part, false, err
		}
		part = append(part, entry{slices.Clone(it.Key()), slices.Clone(value)})
		size += len(value)
	}
	return part, true, nil
}

// blockBefore is the position of the block that has the record at a position, or of the first one after it.
func (j *Journal) blockBefore(position uint64) (uint64, error) {
	found := position
	err := j.readingStore(func() error {
		it, err := j.db.NewIter(&pebble.IterOptions{LowerBound: positionKey(recordsKey, 0), UpperBound: []byte{recordsEnd}})
		if err != nil {
			return err
		}
		if it.SeekLT(positionKey(recordsKey, position+1)) {
			found = binary.BigEndian.Uint64(it.Key()[1:])
		}
		return it.Close()
	})
	if err != nil {
		return position, j.storeError(err)
	}
	return found, nil
}

// readEnd finds out how many records there are.
func (j *Journal) readEnd() error {
	end := uint64(0)
	if n := len(j.kept); n > 0 {
		end = j.kept[n-1].Position
	}
	last, err := j.blockBefore(1<<63 - 1)
	if err != nil {
		return err
	}
	if last < 1<<63-1 {
		err = j.Records(last, func(position uint64, _ []byte) error {
			end = max(end, position+1)
			return nil
		})
	}
	j.appended.Store(end)
	j.synced.Store(end)
	return err
}

// Records gives all records from a position on to a function, until that fails. They are good until it returns. The
// error is a *DamagedError where a record is missing or not what was written.
func (j *Journal) Records(from uint64, do func(position uint64, record []byte) error) error {
	block, err := j.blockBefore(from)
	if err != nil {
		return err
	}
	next, end := from, j.synced.Load()
	err = j.each(positionKey(recordsKey, block), []byte{recordsEnd}, func(key, value []byte) error {
		first := binary.BigEndian.Uint64(key[1:])
		if first > next {
			return &DamagedError{j.dir, journalName, fmt.Errorf("records %d to %d are missing", next, first-1)}
		}
		at := first
		err := eachOf(first, value, func(record []byte) error {
			at++
			if at <= from {
				return nil
			}
			next = at
			return do(at-1, record)
		})
		if errors.Is(err, errBlock) {
			return &DamagedError{j.dir, journalName, fmt.Errorf("the block of record %d: %w", first, err)}
		}
		return err
	})
	if err == nil && next < end {
		err = &DamagedError{j.dir, journalName, fmt.Errorf("records %d to %d are missing", next, end-1)}
	}
	return err
}

var errBlock = errors.New("it is not what was written")

// eachOf gives the records of a block to a function.
func eachOf(first uint64, block []byte, do func(record []byte) error) error {
	if len(block) < checksumBytes || checksum(first, block[checksumBytes:]) != binary.BigEndian.Uint32(block) {
		return errBlock
	}
	for rest := block[checksumBytes:]; len(rest) > 0; {
		length, size := binary.Uvarint(rest)
		if size <= 0 || length > maxRecord || length > uint64(len(rest)-size) {
			return errBlock
		}
		if err := do(rest[size : size+int(length)]); err != nil {
			return err
		}
		rest = rest[size+int(length):]
	}
	return nil
}
