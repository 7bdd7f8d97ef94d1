package canister

import (
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/intercanister"
)

// Log is the log of a canister (interface specification, "Canister logs"): the
// newest records that fit its room. Numbers of records go on for ever.
type Log struct {
	records intercanister.FIFO[LogRecord]
	bytes   uint64
	next    uint64
}

// LogRecord is one record of the log.
type LogRecord = ic0.LogRecord

// Len is the number of records.
func (l *Log) Len() int { return l.records.Len() }

// At is the record with i older ones before it.
func (l *Log) At(i int) LogRecord { return *l.records.At(i) }

// Bytes is what the records take.
func (l *Log) Bytes() uint64 { return l.bytes }

// Next is the number of the next record.
func (l *Log) Next() uint64 { return l.next }

// Clear forgets all records; numbers go on.
func (l *Log) Clear() { *l = Log{next: l.next} }

// Resize forgets the oldest records until all fit the room in bytes.
func (l *Log) Resize(room uint64) {
	for l.bytes > room && l.records.Len() > 0 {
		r := l.records.Pop()
		l.bytes -= r.Bytes()
	}
}

// forget drops the records before a number.
func (l *Log) forget(before uint64) {
	for l.records.Len() > 0 && l.records.At(0).Index < before {
		r := l.records.Pop()
		l.bytes -= r.Bytes()
	}
}

// add appends what an execution logged, cutting the log to its room.
func (l *Log) add(records []LogRecord, room uint64) {
	for _, r := range records {
		l.next = r.Index + 1
		l.bytes += r.Bytes()
		l.records.Push(r)
	}
	l.Resize(room)
}
