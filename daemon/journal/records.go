package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// each gives all entries of the store from a key on to a function.
func (j *Journal) each(from, end []byte, do func(key, value []byte) error) error {
	it, err := j.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: end})
	if err != nil {
		return j.storeError("its store", err)
	}
	for valid := it.First(); valid; valid = it.Next() {
		value, err := it.ValueAndErr()
		if err == nil {
			err = do(it.Key(), value)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	if err := it.Close(); err != nil {
		return j.storeError("its store", err)
	}
	return nil
}

// blockBefore is the position of the block that has the record at a position, or of the first one after it.
func (j *Journal) blockBefore(position uint64) (uint64, error) {
	found := position
	err := j.guarded(func() error {
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
		return position, err
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
		return j.storeError("its store", err)
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
		return j.storeError("its store", err)
	}
	next := from
	return j.each(positionKey(recordsKey, block), []byte{recordsEnd}, func(key, value []byte) error {
		first := binary.BigEndian.Uint64(key[1:])
		if first > next {
			return &DamagedError{j.dir, "its journal", fmt.Errorf("records %d to %d are missing", next, first-1)}
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
			return &DamagedError{j.dir, "its journal", fmt.Errorf("the block of record %d: %w", first, err)}
		}
		return err
	})
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
