package canister

import (
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/cow"
)

// Log is the log of a canister (interface specification, "Canister logs"): the
// newest records that fit its room, as in a ring buffer. Numbers of records go on
// for ever.
type Log struct {
	records intercanister.FIFO[LogRecord]
	bytes   uint64
	next    uint64
	mark    cow.Mark // set while a fork has the records as well
}

// own copies the records if a fork has them as well.
func (l *Log) own() {
	if l.mark.Own() {
		l.records = l.records.Fork()
	}
}

// LogRecord is one record of the log.
type LogRecord = ic0.LogRecord

// Len is the number of records.
func (l *Log) Len() int { return l.records.Len() }

// At is the record with i older ones before it.
func (l *Log) At(i int) LogRecord { return *l.records.At(i) }

// Bytes is what the records take of the log's room.
func (l *Log) Bytes() uint64 { return l.bytes }

// stored is what a record takes of the room: number, time, length and content.
func stored(r *LogRecord) uint64 { return logRecordHeader + uint64(len(r.Content)) }

// logBytes is the memory a canister with code is billed for its log: the whole room,
// whatever lies in it, with a page that describes it and one of its index.
func logBytes(room uint64) uint64 {
	if room == 0 {
		return 0
	}
	return logPages*logPageBytes + max(room, MinLogMemoryLimit)
}

// Next is the number of the next record.
func (l *Log) Next() uint64 { return l.next }

// LogFrom is a log without records, the next of which has a number.
func LogFrom(next uint64) Log { return Log{next: next} }

// Clear forgets all records; numbers go on.
func (l *Log) Clear() { *l = Log{next: l.next} }

// Resize forgets the oldest records until all fit the room in bytes.
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

// add appends what an execution logged, cutting the log to its room.
func (l *Log) add(records []LogRecord, room uint64) {
	for _, r := range records {
		l.next = r.Index + 1
		l.bytes += stored(&r)
		l.own()
		l.records.Push(r)
	}
	l.Resize(room)
}
