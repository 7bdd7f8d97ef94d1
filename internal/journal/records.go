package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// portionBytes and portionEntries bound how much of the store is read at a time. Ours.
const (
	portionBytes   = 1 << 20
	portionEntries = 4 << 10
)

// journalName is the DamagedError.File of damaged records.
const journalName = "its journal"

// entry is a copy of an entry of the store.
type entry struct{ key, value []byte }

// scan passes the entries of the store between two keys to a function. It copies them in portions, because a function
// that is slow or uses the journal must not run in a goroutine that the store may block forever (guarded).
func (j *Journal) scan(from, end []byte, do func(key, value []byte) error) (err error) {
	var it *pebble.Iterator
	err = j.readStore(func() (err error) {
		it, err = j.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: end})
		return err
	})
	if err != nil {
		return j.storeError(err)
	}
	next := it.First
	for more := true; more; next = it.Next {
		var part []entry
		failed := j.guarded(func() (err error) {
			part, more, err = portion(it, next)
			return err
		})
		if failed != nil && j.isBroken() {
			return j.storeError(failed) // it may still be reading
		}
		for _, e := range part {
			if err := do(e.key, e.value); err != nil {
				return errors.Join(err, j.guarded(it.Close))
			}
		}
		if failed != nil {
			if !isStorePanic(failed) {
				_ = j.guarded(it.Close) // it returns the same error
			}
			return j.storeError(failed)
		}
	}
	if err := j.guarded(it.Close); err != nil {
		return j.storeError(err)
	}
	return nil
}

// portion copies some entries of an iterator, from the one to which next moves it. Entries before an error are valid.
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

// seekBlock returns the position of the last block that begins at or before a position, or that position if there is
// none.
func (j *Journal) seekBlock(position uint64) (uint64, error) {
	found := position
	err := j.readStore(func() error {
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

// readEnd reads the number of records from the store.
func (j *Journal) readEnd() error {
	end := uint64(0)
	if n := len(j.kept); n > 0 {
		end = j.kept[n-1].Position
	}
	last, err := j.seekBlock(1<<63 - 1)
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

// missingRecords says which records are missing: those from a position on, before another one.
func missingRecords(from, end uint64) string {
	if from+1 == end {
		return fmt.Sprintf("record %d is missing", from)
	}
	return fmt.Sprintf("records %d to %d are missing", from, end-1)
}

// Records passes all records from a position on to a function, until that returns an error. A record is valid only
// during the call. The error is a *DamagedError if a record is missing or damaged.
func (j *Journal) Records(from uint64, do func(position uint64, record []byte) error) error {
	block, err := j.seekBlock(from)
	if err != nil {
		return err
	}
	next, end := from, j.synced.Load()
	err = j.scan(positionKey(recordsKey, block), []byte{recordsEnd}, func(key, value []byte) error {
		first := binary.BigEndian.Uint64(key[1:])
		if first > next {
			return &DamagedError{j.dir, journalName, errors.New(missingRecords(next, first))}
		}
		at := first
		err := scanBlock(first, value, func(record []byte) error {
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
		err = &DamagedError{j.dir, journalName, errors.New(missingRecords(next, end))}
	}
	return err
}

var errBlock = errors.New("its checksum or a length is wrong")

// scanBlock passes the records of a block to a function. The error is errBlock if the block is damaged.
func scanBlock(first uint64, block []byte, do func(record []byte) error) error {
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
