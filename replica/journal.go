package replica

import (
	"fmt"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
)

// A Journal receives a record of every change of a network, in order: another network at the same point makes the same
// changes from the records (Replay). Records are made after the fact: a refused input leaves none. The owner of the
// network calls it.
type Journal interface {
	// Record takes a record. It must not keep the bytes or call the network. An idle record says that time has passed,
	// or that a round has delivered no message: it may stay in memory until the next record that is not idle.
	Record(record []byte, idle bool)
}

// recordKind is the kind of a record. The numbers never change.
type recordKind uint8

const (
	clockMoved  recordKind = iota + 1 // AdvanceTo
	inputTaken                        // Apply
	movesListed                       // Ahead
	moveMade                          // Step
	roundEnded                        // Round, or Step without a move
	roundCut                          // EndRound
	userMarked                        // Mark
)

// record is what happened, before it is encoded.
type record struct {
	kind     recordKind
	time     uint64 // clockMoved: of the clock; listed, made and ended: of the round
	input    Input
	position uint64     // moveMade
	faults   StepFaults // moveMade
	// With these, a replay detects that it diverged.
	messages     int    // roundEnded
	instructions uint64 // roundEnded
	marks        Marks  // roundEnded, roundCut
	name         string // userMarked
}

func (r *record) archive(c *archive.Coder) {
	archive.AtMost(c, &r.kind, userMarked)
	switch r.kind {
	case inputTaken:
		archiveInput(c, &r.input)
		return
	case userMarked:
		archive.String(c, &r.name, MaxMarkName)
		return
	case moveMade:
		archive.Number(c, &r.position)
		archive.AtMost(c, &r.faults.Callback, canister.CleanupExhaustedToo)
		c.Bool(&r.faults.NoCalls)
	case roundEnded:
		archive.Number(c, &r.messages)
		archive.Number(c, &r.instructions)
	case clockMoved, movesListed, roundCut:
	default:
		c.Fail("a record of kind %d does not exist", r.kind)
	}
	archive.Number(c, &r.time)
	if (r.kind == roundEnded || r.kind == roundCut) && c.Since(archive.VersionMarks) {
		r.marks.archive(c)
	}
}

// idle reports whether nothing happened except time.
func (r *record) idle() bool {
	switch r.kind {
	case clockMoved, movesListed:
		return true
	case roundEnded:
		return r.messages == 0
	case inputTaken, moveMade, roundCut, userMarked:
	}
	return false
}

// journalling is the state of a network with a journal.
type journalling struct {
	to      Journal
	writer  archive.Recorder
	buf     []byte
	clock   uint64 // of a network that has replayed the records so far
	marks   Marks  // of the current round
	views   []certifiedView
	written record
	write   func(*archive.Coder) // writes written
}

func newJournalling(to Journal, clock uint64) *journalling {
	if to == nil {
		return nil
	}
	j := &journalling{to: to, clock: clock}
	j.write = j.written.archive
	return j
}

// clocked records the time of the clock, unless a replay already has it.
func (j *journalling) clocked(time uint64) {
	if time > j.clock {
		j.put(record{kind: clockMoved, time: time})
		j.clock = time
	}
}

func (j *journalling) put(r record) {
	j.written = r
	buf, err := j.writer.Append(j.buf[:0], j.write)
	if err != nil {
		panic(fmt.Sprintf("replica: a record cannot be written: %v", err))
	}
	j.to.Record(buf, r.idle())
	if j.buf, j.written = buf, (record{}); cap(buf) > maxKeptRecord {
		j.buf = nil
	}
}

// applyRecorded is Apply for a network with a journal. Times of the clock are recorded with the next event: most are
// replaced by another time before.
func (n *Network) applyRecorded(in Input) Result {
	if _, ok := in.(AdvanceTo); ok {
		return n.apply(in)
	}
	if _, ok := in.(CertifyAt); ok {
		n.journal.keepView(n.views)
	}
	clock := n.clock
	result := n.apply(in)
	if result.Accepted() {
		n.journal.clocked(clock)
		n.journal.put(record{kind: inputTaken, input: in})
	}
	return result
}

// RecordClock records the time of the clock, which is otherwise recorded with the next event.
func (n *Network) RecordClock() {
	if n.journal != nil {
		n.journal.clocked(n.clock)
	}
}

// Mark records a user's mark of the present state, with a name of at most MaxMarkName bytes. The state does not change,
// and a replay ignores the mark. A network without a journal has no marks.
func (n *Network) Mark(name string) {
	if n.journal != nil {
		n.journal.clocked(n.clock)
		n.journal.put(record{kind: userMarked, name: name})
	}
}

// recordMove records an event in a round with its time; opened says that the event began the round.
func (n *Network) recordMove(opened bool, r record) {
	j := n.journal
	if !opened {
		j.clocked(n.clock)
	}
	r.time = n.time
	j.put(r)
	j.clock = max(j.clock, n.time)
}

// recordEnd records the end of a round: roundEnded or roundCut.
func (n *Network) recordEnd(opened bool, kind recordKind) {
	marks := n.journal.take()
	marks.roots = n.certifiedRoots()
	n.recordMove(opened, record{kind: kind, messages: n.report.Messages, instructions: n.report.Instructions, marks: marks})
}

// DivergedError says that a network differs from the one whose records it replays.
type DivergedError struct {
	Height   uint64
	What     string // "instructions"
	Now, Was uint64
}

// Error names the round and both values.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("the replay diverges in round %d: %s is %d, and was %d when it was recorded", e.Height, e.What, e.Now, e.Was)
}

// Replayed is the content of a record.
type Replayed struct {
	Input Input // that was applied; nil for anything else
	Round bool  // a round ended
	Roots int   // certified roots that were compared
}

// Replay applies a record of a journal to a network. The network must be at the point at which the record was made,
// must have no journal, and must have a Compiler if the other one had. The record may be arbitrary bytes. The error
// wraps an *archive.Fault if the record is damaged, and a *DivergedError if the network differs from the record; the
// network is unusable then.
func (n *Network) Replay(raw []byte) (Replayed, error) { return n.replay(raw, false) }

// Verify is Replay that also compares root hashes: if a certificate was made for a round, the record of a later round
// has a prefix of its root. That takes as long as making the certified trees.
func (n *Network) Verify(raw []byte) (Replayed, error) { return n.replay(raw, true) }

func (n *Network) replay(raw []byte, roots bool) (Replayed, error) {
	var r record
	if err := archive.ReadRecord(raw, r.archive); err != nil {
		return Replayed{}, err
	}
	compared := 0
	if roots {
		var err error
		n.rememberView()
		if compared, err = n.compareRoots(r.marks.roots); err != nil {
			return Replayed{}, err
		}
	}
	if r.kind == inputTaken {
		return Replayed{Input: r.input}, n.replayInput(r.input)
	}
	if r.kind == userMarked {
		return Replayed{}, nil
	}
	if r.kind == clockMoved || !n.open {
		n.apply(AdvanceTo(r.time))
	}
	switch r.kind {
	case movesListed:
		n.NextDeliveries()
	case moveMade:
		if err := n.replayMove(&r); err != nil {
			return Replayed{}, err
		}
	case roundEnded:
		n.Round()
		for _, c := range []DivergedError{
			{What: "the number of messages", Now: uint64(n.report.Messages), Was: uint64(r.messages)},
			{What: "the number of instructions", Now: n.report.Instructions, Was: r.instructions},
		} {
			if c.Height = n.height; c.Now != c.Was {
				return Replayed{}, &c
			}
		}
	case roundCut:
		n.EndRound()
	case clockMoved, inputTaken, userMarked:
		return Replayed{}, nil
	}
	if n.time != r.time {
		return Replayed{}, &DivergedError{Height: n.height, What: "the time in nanoseconds", Now: n.time, Was: r.time}
	}
	return Replayed{Round: r.kind == roundEnded || r.kind == roundCut, Roots: compared}, nil
}

func (n *Network) replayInput(in Input) error {
	switch result := n.apply(in); {
	case result.Refusal != nil:
		return fmt.Errorf("the replay diverges after round %d: an input (%T) is refused that was taken when it was recorded: %w", n.height, in, result.Refusal)
	case result.Reject != nil || result.Known != 0:
		return fmt.Errorf("the replay diverges after round %d: a message is not taken that was taken when it was recorded: %s", n.height, result.why())
	}
	return nil
}

// why returns the reason why a message was not accepted.
func (r *Result) why() string {
	if r.Reject != nil {
		return r.Reject.Message()
	}
	return "it is known, and " + r.Known.String()
}

// replayMove makes the move at a position.
func (n *Network) replayMove(r *record) error {
	position, found := r.position, -1
	n.StepWith(r.faults, OracleFunc(func(moves []Move) int {
		found = len(moves)
		return int(min(position, uint64(len(moves)-1)))
	}))
	if found < 0 || position >= uint64(found) {
		return &DivergedError{Height: n.height, What: "the number of possible moves", Now: uint64(max(found, 0)), Was: position + 1}
	}
	return nil
}
