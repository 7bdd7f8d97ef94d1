package replica

import "github.com/canisterd/canisterd/archive"

// JournalEntry is the content of a record without its network.
type JournalEntry struct {
	Input Input  // that was applied; nil for anything else
	Clock bool   // only the clock moved
	Round bool   // a round ended
	Time  uint64 // ns, of the clock or the round; 0 for an input or a mark
	Marks Marks  // of the round
	Mark  string // the name of a user's mark; "" for anything else
}

// ReadJournalEntry reads a record of a journal. The record may be arbitrary bytes. The error is an *archive.Fault.
func ReadJournalEntry(raw []byte) (JournalEntry, error) {
	var r record
	if err := archive.ReadRecord(raw, r.archive); err != nil {
		return JournalEntry{}, err
	}
	return JournalEntry{Input: r.input, Clock: r.kind == clockMoved, Round: r.kind == roundEnded || r.kind == roundCut, Time: r.time, Marks: r.marks, Mark: r.name}, nil
}
