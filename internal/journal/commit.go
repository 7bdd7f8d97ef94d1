package journal

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Append copies a record and appends it. It returns at once unless more than maxPending bytes wait for the disk. A lazy
// record is committed with the next one that is not lazy, or when a caller waits for it.
func (j *Journal) Append(record []byte, lazy bool) {
	j.mu.Lock()
	if len(j.pending) == 0 {
		j.first = j.appended.Load()
	}
	if !lazy && !j.timed {
		j.timed = true
		j.scheduleCommit()
	}
	j.pending = binary.AppendUvarint(j.pending, uint64(len(record)))
	j.pending = append(j.pending, record...)
	j.size += int64(len(record))
	j.appended.Add(1)
	for len(j.pending) > maxPending && j.failed.Load() == nil {
		happened := j.nextCommit()
		j.mu.Unlock()
		j.requestCommit()
		<-happened
		j.mu.Lock()
	}
	j.mu.Unlock()
}

// Position returns the number of records. Any goroutine may call it.
func (j *Journal) Position() uint64 { return j.appended.Load() }

// Written returns how many bytes of records were appended since the directory was opened.
func (j *Journal) Written() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.size
}

// Sync waits until all records that were appended before are on disk. It returns early with the error of ctx or with
// the failure that ended the journal.
func (j *Journal) Sync(ctx context.Context) error { return j.SyncTo(ctx, j.appended.Load()) }

// SyncTo is like Sync, for the records before a position. They must have been appended.
func (j *Journal) SyncTo(ctx context.Context, wanted uint64) error {
	for j.synced.Load() < wanted {
		j.mu.Lock()
		if j.failed.Load() != nil || j.synced.Load() >= wanted {
			j.mu.Unlock()
			break
		}
		happened := j.joinCommit(wanted)
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

// joinCommit adds a caller to the commit that writes the records before a position: the current one or the next. The
// channel is closed when that commit ends or the journal fails. The caller holds j.mu.
func (j *Journal) joinCommit(wanted uint64) <-chan struct{} {
	if wanted <= j.writes {
		if j.writing == nil {
			j.writing = make(chan struct{})
		}
		return j.writing
	}
	j.waiting++
	if j.waiting == 1 || j.waiting == j.expected {
		j.requestCommit()
	}
	return j.nextCommit()
}

// nextCommit returns a channel that is closed when the next commit ends or the journal fails. The caller holds j.mu.
func (j *Journal) nextCommit() <-chan struct{} {
	if j.next == nil {
		j.next = make(chan struct{})
	}
	return j.next
}

// requestCommit wakes commitAll.
func (j *Journal) requestCommit() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// scheduleCommit requests a commit after flushDelay, in case no caller does before. The caller holds j.mu.
func (j *Journal) scheduleCommit() {
	if j.delayed == nil {
		j.delayed = time.AfterFunc(flushDelay, j.requestCommit)
	} else {
		j.delayed.Reset(flushDelay)
	}
}

// fail ends the journal and releases the directory, which Close does otherwise. Only the first failure is kept, even
// one during Close.
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
	j.wakeWaiters()
}

// failWith ends the journal with an error of the system or the store.
func (j *Journal) failWith(err error) {
	if pebble.IsCorruptionError(err) && !isSystemError(err) {
		j.fail(&DamagedError{j.dir, j.damagedFile(err), err})
		return
	}
	j.fail(&FailedError{Dir: j.dir, Err: err})
}

// lost returns an error if the directory is no longer the one at its path.
func (j *Journal) lost() error {
	if l, ok := j.lock.(*diskLock); ok {
		return l.lost()
	}
	return nil
}

// wakeWaiters wakes the callers of the commit that ended, and after a failure those of the next. The caller holds j.mu.
func (j *Journal) wakeWaiters() {
	if j.writing != nil {
		close(j.writing)
		j.writing = nil
	}
	if j.next != nil && j.failed.Load() != nil {
		close(j.next)
		j.next = nil
	}
}

// commitAll commits at each request until the journal is closed or fails.
func (j *Journal) commitAll() {
	defer close(j.ended)
	var took time.Duration // of the last commit
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

// gather waits for the callers that the last commits served, because they append their next records at about the same
// time: otherwise the first of them would get a commit of its own, and the others would wait for two. A single caller
// never waits. Callers that do not come within limit, the duration of the last commit, are not expected again.
func (j *Journal) gather(limit time.Duration) {
	missing := func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return 0 < j.waiting && j.waiting < j.expected
	}
	if !missing() {
		return
	}
	late := time.NewTimer(limit)
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

// commit writes the pending records to disk as one block.
func (j *Journal) commit() {
	j.mu.Lock()
	records, first, end, served := j.pending, j.first, j.appended.Load(), j.waiting
	j.pending, j.spare, j.timed = j.spare[:0], nil, false
	j.writing, j.next, j.writes, j.waiting = j.next, nil, end, 0
	j.mu.Unlock()
	if len(records) == 0 {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.wakeWaiters()
		return
	}
	begun := time.Now()
	err := j.lost()
	if err == nil {
		err = j.writeBlock(records, first)
	}
	if err != nil {
		j.failWith(err)
	} else {
		_ = j.writeEndFile(end) // an older number is also true
		j.counts.addCommit(time.Since(begun), end-first, len(records))
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
	j.wakeWaiters()
}

// writeBlock writes and syncs a block.
func (j *Journal) writeBlock(records []byte, first uint64) error {
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

// checksum returns the checksum of a block, which covers its records and its position.
func checksum(first uint64, records []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(positionKey(recordsKey, first), table), table, records)
}

func positionKey(kind byte, position uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind}, position)
}
