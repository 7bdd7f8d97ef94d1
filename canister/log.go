package canister

import (
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/cow"
)

// Log is the log of a canister (interface specification, "Canister logs"): the newest records that fit its room, as in
// a ring buffer. Numbers of records only grow.
type Log struct {
	records intercanister.FIFO[LogRecord]
	bytes   uint64
	next    uint64
	mark    cow.Mark // set while a fork shares the records
}

// own copies the records if a fork shares them.
func (l *Log) own() {
	if l.mark.Own() {
		l.records = l.records.Fork()
	}
}

// LogRecord is one record of the log.
type LogRecord = ic0.LogRecord

// Len returns the number of records.
func (l *Log) Len() int { return l.records.Len() }

// At returns the record after the i oldest ones.
func (l *Log) At(i int) LogRecord { return *l.records.At(i) }

// Bytes returns how much of the log's room the records take.
func (l *Log) Bytes() uint64 { return l.bytes }

// stored returns how much of the room a record takes: number, time, length and content.
func stored(r *LogRecord) uint64 { return logRecordHeader + uint64(len(r.Content)) }

// logBytes returns the memory that a canister with code is billed for its log: the whole room, even if unused, with a
// page for its header and one for its index.
func logBytes(room uint64) uint64 {
	if room == 0 {
		return 0
	}
	return logPages*logPageBytes + max(room, MinLogMemoryLimit)
}

// Next returns the number of the next record.
func (l *Log) Next() uint64 { return l.next }

// LogFrom returns an empty log whose next record has the number next.
func LogFrom(next uint64) Log { return Log{next: next} }

// Clear drops all records; numbers continue.
func (l *Log) Clear() { *l = Log{next: l.next} }

// Resize drops the oldest records until all fit the room in bytes.
func (l *Log) Resize(room uint64) {
	for l.bytes > room && l.records.Len() > 0 {
		l.own()
		r := l.records.Pop()
		l.bytes -= stored(&r)
	}
}

// forget drops the records before a number.
func (l *Log) forget(before uint64) {
	for l.records.Len() > 0 && l.records.At(0).Index < before {
		l.own()
		r := l.records.Pop()
		l.bytes -= stored(&r)
	}
}

// add appends the records of an execution and cuts the log to its room.
func (l *Log) add(records []LogRecord, room uint64) {
	for _, r := range records {
		l.next = r.Index + 1
		l.bytes += stored(&r)
		l.own()
		l.records.Push(r)
	}
	l.Resize(room)
}
