package journal

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Append appends a record, which is copied. It returns at once, unless very much waits for the disk. A lazy record is
// committed with the next one that is not lazy, or when a caller waits for it.
func (j *Journal) Append(record []byte, lazy bool) {
	j.mu.Lock()
	if len(j.pending) == 0 {
		j.first = j.appended.Load()
	}
	if !lazy && !j.timed {
		j.timed = true
		j.delay()
	}
	j.pending = binary.AppendUvarint(j.pending, uint64(len(record)))
	j.pending = append(j.pending, record...)
	j.size += int64(len(record))
	j.appended.Add(1)
	for len(j.pending) > maxPending && j.failed.Load() == nil {
		happened := j.following()
		j.mu.Unlock()
		j.want()
		<-happened
		j.mu.Lock()
	}
	j.mu.Unlock()
}

// Position is how many records there are. Any goroutine may ask for it.
func (j *Journal) Position() uint64 { return j.appended.Load() }

// Written is how many bytes of records were appended since the directory was opened.
func (j *Journal) Written() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Sync returns when all records that were appended before are on disk, or with the error of ctx, or with the failure
// after which nothing more is kept.
func (j *Journal) Sync(ctx context.Context) error { return j.SyncTo(ctx, j.appended.Load()) }

// SyncTo is Sync for the records before a position, which were appended.
func (j *Journal) SyncTo(ctx context.Context, wanted uint64) error {
	for j.synced.Load() < wanted {
		j.mu.Lock()
		if j.failed.Load() != nil || j.synced.Load() >= wanted {
			j.mu.Unlock()
			break
		}
		happened := j.join(wanted)
		j.mu.Unlock()
		select {
		case <-happened:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if j.synced.Load() >= wanted {
		return nil
	}
	return *j.failed.Load()
}

// join has a caller wait for the commit that brings the records before a position to disk: for the one that is under
// way, or for the next. The result is closed at its end, or after a failure. j.mu is held.
func (j *Journal) join(wanted uint64) <-chan struct{} {
	if wanted <= j.writes {
		if j.writing == nil {
			j.writing = make(chan struct{})
		}
		return j.writing
	}
	j.waiting++
	if j.waiting == 1 || j.waiting == j.expected {
		j.want()
	}
	return j.following()
}

// following is closed at the end of the next commit, or after a failure. j.mu is held.
func (j *Journal) following() <-chan struct{} {
	if j.next == nil {
		j.next = make(chan struct{})
	}
	return j.next
}

// want asks for a commit.
func (j *Journal) want() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// delay schedules a commit in case no caller asks for one. The caller holds j.mu.
func (j *Journal) delay() {
	if j.delayed == nil {
		j.delayed = time.AfterFunc(flushDelay, j.want)
	} else {
		j.delayed.Reset(flushDelay)
	}
}

// fail makes the journal keep nothing more. The first failure counts, also one while it is closed; it gives the
// directory back, which Close does otherwise.
func (j *Journal) fail(failure error) {
	closing := errors.Is(failure, ErrClosed)
	before := j.failed.Load()
	for before == nil || !closing && errors.Is(*before, ErrClosed) {
		if j.failed.CompareAndSwap(before, &failure) {
			if !closing {
				j.fs.cut()
				close(j.broken)
			}
			break
		}
		before = j.failed.Load()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tell()
}

// failBy is fail for what the system, or the store, says.
func (j *Journal) failBy(err error) {
	if pebble.IsCorruptionError(err) && !isOfSystem(err) {
		j.fail(&DamagedError{j.dir, j.fileOf(err), err})
		return
	}
	j.fail(&FailedError{Dir: j.dir, Err: err})
}

// tell wakes those who wait. j.mu is held.
func (j *Journal) tell() {
	if j.writing != nil {
		close(j.writing)
		j.writing = nil
	}
	if j.next != nil && j.failed.Load() != nil {
		close(j.next)
		j.next = nil
	}
}

// commitAll commits whenever it is asked to, until the journal is closed or fails.
func (j *Journal) commitAll() {
	defer close(j.ended)
	var took time.Duration // by the last commit
	for j.failed.Load() == nil {
		select {
		case <-j.wake:
			j.gather(took)
			begun := time.Now()
			j.commit()
			took = time.Since(begun)
		case <-j.closing:
			j.mu.Lock()
			if j.delayed != nil {
				j.delayed.Stop()
			}
			j.mu.Unlock()
			j.commit()
			return
		}
	}
}

// gather waits for the callers that the commits before have served, who come with their next records at about the same
// time: otherwise the first of them would have a commit of its own, and the others wait for two. A caller that is alone
// waits for no other. Those that do not come in time, at most what the last commit took, are not expected again.
func (j *Journal) gather(most time.Duration) {
	missing := func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return 0 < j.waiting && j.waiting < j.expected
	}
	if !missing() {
		return
	}
	late := time.NewTimer(most)
	defer late.Stop()
	for missing() {
		select {
		case <-j.wake:
		case <-late.C:
			return
		case <-j.closing:
			return
		}
	}
}

// commit brings what is pending to disk, as one block.
func (j *Journal) commit() {
	j.mu.Lock()
	records, first, end, served := j.pending, j.first, j.appended.Load(), j.waiting
	j.pending, j.spare, j.timed = j.spare[:0], nil, false
	j.writing, j.next, j.writes, j.waiting = j.next, nil, end, 0
	j.mu.Unlock()
	if len(records) == 0 {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.tell()
		return
	}
	begun := time.Now()
	err := j.put(records, first)
	if err != nil {
		j.failBy(err)
	} else {
		_ = j.mark(end) // the one before is true as well
		j.counts.committed(time.Since(begun), end-first, len(records))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil && j.failed.Load() == nil {
		j.synced.Store(end)
	}
	j.expected = served + j.waiting
	if cap(records) <= keptPending {
		j.spare = records
	}
	j.tell()
}

// put brings a block to disk.
func (j *Journal) put(records []byte, first uint64) error {
	batch := j.db.NewBatchWithSize(len(records) + blockOverhead)
	op := batch.SetDeferred(1+8, len(records)+checksumBytes)
	copy(op.Key, positionKey(recordsKey, first))
	binary.BigEndian.PutUint32(op.Value, checksum(first, records))
	copy(op.Value[checksumBytes:], records)
	if err := op.Finish(); err != nil {
		return err
	}
	return j.write(batch)
}

const (
	checksumBytes = 4
	blockOverhead = 64
)

// checksum is the checksum of a block: of its records and of its place.
func checksum(first uint64, records []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(positionKey(recordsKey, first), table), table, records)
}

func positionKey(kind byte, position uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind}, position)
}
