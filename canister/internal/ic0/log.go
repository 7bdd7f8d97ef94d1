package ic0

// LogRecord is one record of a canister's log.
type LogRecord struct {
	Index   uint64 // among all records the canister ever logged
	Time    uint64 // ns
	Content []byte
}

// Bytes returns what the record counts for in the room of a log.
func (r *LogRecord) Bytes() uint64 { return RecordOverhead + uint64(len(r.Content)) }

// delta is what one execution has logged: the newest records that fit the room.
type delta struct {
	records     []LogRecord
	bytes, room uint64
	next        uint64
}

// left returns the unused room.
func (d *delta) left() uint64 { return d.room - min(d.bytes, d.room) }

// add logs text, cut to the room, and drops the oldest records that no longer fit.
func (d *delta) add(text []byte, time uint64) {
	if d.room < RecordOverhead {
		return
	}
	text = text[:min(uint64(len(text)), d.room-RecordOverhead)]
	r := LogRecord{Index: d.next, Time: time, Content: append([]byte(nil), text...)}
	d.next++
	d.bytes += r.Bytes()
	d.records = append(d.records, r)
	for d.bytes > d.room {
		d.bytes -= d.records[0].Bytes()
		d.records = d.records[1:]
	}
}
