package state

import (
	"iter"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/cow"
	"github.com/canisterd/canisterd/timers"
)

// RequestID is the id of a request: the representation-independent hash of its
// content (interface specification, "Request ids").
type RequestID [32]byte

// Status is the status of an ingress message (interface specification, "The request life cycle"). The zero value means
// unknown.
type Status uint8

const (
	Received Status = iota + 1
	Processing
	Replied
	Rejected
	Done // answered, and the answer was dropped
)

// String returns the text in the certified state tree.
func (s Status) String() string {
	return [...]string{"unknown", "received", "processing", "replied", "rejected", "done"}[s]
}

// Terminal reports whether the message is answered.
func (s Status) Terminal() bool { return s >= Replied }

// Ingress is one message of a user, from its acceptance until its status is pruned. Records are recycled: keep the
// request id, not the record.
type Ingress struct {
	ID        RequestID
	Number    uint64 // in the history; free again when the record is pruned
	Sender    principal.Principal
	Receiver  principal.Principal // a canister or the management canister
	Effective principal.Principal // the canister that pays and inspects it
	Method    string
	Arg       []byte                    // until processing begins
	Info      *intercanister.SenderInfo // until processing begins
	Size      int                       // bytes of the signed envelope
	Expiry    uint64                    // ns; it must begin before this
	Answered  uint64                    // ns; 0 before
	Reply     []byte
	Reject    *intercanister.Reject
	Status    Status
	// Instructions are the instructions of its own execution or installation; 0 before.
	Instructions uint64
	deadline     timers.Handle
	// Recorded is the number of the last change that its subnet has recorded of it: Unrecorded before the first, 0 if
	// it is unknown whether the certified tree has it.
	Recorded   uint64
	changedAt  int  // its position in State.Answered, from 1; 0 if it is not there
	pruned     bool // the record may be read for the last time
	generation uint64
}

// Unrecorded is Ingress.Recorded of a new message.
const Unrecorded = 1<<64 - 1

// History is the ingress history of a subnet: every accepted message, by id or number, until its status is pruned.
// Answers beyond MaxAnswerBytes are dropped, the oldest first.
type History struct {
	Limit   int // messages; 0 for MaxIngressMessages
	known   idIndex
	slots   cow.List[*Ingress] // by number-1, free ones too
	free    cow.List[uint64]   // numbers
	order   cow.List[answer]   // in the order of answers
	answers int                // bytes of kept answers
	waiting int                // bytes of arguments of messages that have not begun
	// records is the number of records that were made or copied for this history. A fork begins with none: it shares
	// those of its source.
	records int
	// generation counts the forks. A record of an earlier generation belongs to several histories and is
	// copied before it is written.
	generation uint64
}

// answer is one answer in the order of answers. It stays when its message is pruned, and another message may have the
// number by then.
type answer struct {
	id       RequestID
	number   uint64 // in the history; 0 if the message was unknown when a file was read
	answered uint64
}

// Len returns the number of known messages.
func (h *History) Len() int { return h.known.n }

// Full reports whether no further message may be accepted (IC0204).
func (h *History) Full() bool { return h.Len() >= h.Capacity() }

// Capacity returns the maximum number of messages.
func (h *History) Capacity() int {
	if h.Limit != 0 {
		return h.Limit
	}
	return MaxIngressMessages
}

// Find returns the message with an id, nil if it is unknown.
func (h *History) Find(id RequestID) *Ingress {
	hash := hashOf(&id)
	for number, after := h.known.next(hash, uint(hash)); number != 0; number, after = h.known.next(hash, after) {
		if r := h.At(number); r.ID == id {
			return r
		}
	}
	return nil
}

// All iterates over the known messages in the order of their numbers.
func (h *History) All() iter.Seq[*Ingress] {
	return func(yield func(*Ingress) bool) {
		for i := range h.slots.Len() {
			if in := h.slots.At(i); h.has(in) && !yield(in) {
				return
			}
		}
	}
}

// has reports whether a record of the history is in use.
func (h *History) has(in *Ingress) bool {
	known := h.Find(in.ID)
	return known != nil && known.Number == in.Number
}

// At returns the message with a number; it panics if there is none.
func (h *History) At(number uint64) *Ingress { return h.slots.At(int(number - 1)) }

// Receive adds a message. Its id must be unknown. The record is a copy of in; Number, Status and the fields of an
// answer are set here.
func (h *History) Receive(in *Ingress, deadlines *timers.Table) *Ingress {
	if h.Find(in.ID) != nil {
		panic("state: a message was received twice")
	}
	r, number := h.slot()
	*r = *in
	r.Number, r.Status, r.Answered, r.Reply, r.Reject, r.generation = number, Received, 0, nil, nil, h.generation
	r.Recorded = Unrecorded
	r.deadline = deadlines.Add(timers.Deadline{At: r.Expiry, Kind: timers.IngressExpiry, Number: number})
	h.known.add(&r.ID, number)
	h.waiting += len(r.Arg)
	return r
}

// slot returns a free record with its number.
func (h *History) slot() (r *Ingress, number uint64) {
	if h.free.Len() == 0 {
		r = h.newRecord()
		h.slots.Push(r)
		return r, uint64(h.slots.Len())
	}
	number = h.free.PopLast()
	if r = h.At(number); r.generation != h.generation {
		r = h.newRecord()
		h.slots.Set(int(number-1), r)
	}
	return r, number
}

func (h *History) newRecord() *Ingress {
	h.records++
	return new(Ingress)
}

// own returns the record of a message for writing. r may be any of its records: forks have records of earlier
// generations too.
func (h *History) own(r *Ingress) *Ingress {
	if r.generation == h.generation {
		return r
	}
	if r = h.At(r.Number); r.generation != h.generation {
		copied := h.newRecord()
		*copied = *r
		r = copied
		r.generation = h.generation
		h.slots.Set(int(r.Number-1), r)
	}
	return r
}

// Begin marks a message as processing and returns its argument, which the record drops with the attested information
// about its sender.
func (h *History) Begin(r *Ingress) (arg []byte) {
	r = h.own(r)
	if r.Status != Received {
		panic("state: a message began twice")
	}
	h.waiting -= len(r.Arg)
	arg, r.Arg, r.Info, r.Status = r.Arg, nil, nil, Processing
	return arg
}

// Answer settles a message with a reply or a reject and keeps the answer until it is pruned. It returns the new record.
// forget is called for each older message whose answer was dropped to make room.
func (h *History) Answer(r *Ingress, reply []byte, reject *intercanister.Reject, now uint64, deadlines *timers.Table, forget func(*Ingress)) *Ingress {
	r = h.own(r)
	if r.Status.Terminal() {
		panic("state: a message was answered twice")
	}
	h.waiting -= len(r.Arg)
	r.Arg, r.Info, r.Reply, r.Reject, r.Answered = nil, nil, reply, reject, now
	r.Status = Replied
	if reject != nil {
		r.Status = Rejected
	}
	h.answers += r.answerBytes()
	h.order.Push(answer{r.ID, r.Number, now})
	if !deadlines.Has(r.deadline) {
		r.deadline = deadlines.Add(timers.Deadline{At: now + KeepAnswer, Kind: timers.IngressPrune, Number: r.Number})
	}
	for h.answers > MaxAnswerBytes && h.order.Len() > 1 {
		h.shed(forget)
	}
	return r
}

// Bytes returns the memory of waiting arguments, and of kept answers.
func (h *History) Bytes() (waiting, answers int) { return h.waiting, h.answers }

// RecordBytes returns the memory that messages take beside arguments and answers, without what a fork shares with its
// source. Records of pruned messages stay for new ones.
func (h *History) RecordBytes() int {
	return recordBytes*min(h.records, h.slots.Len()) + knownBytes*min(h.records, h.Len())
}

// ShedTo drops the oldest answers until the kept ones fit a number of bytes. forget is called for each message whose
// answer was dropped.
func (h *History) ShedTo(bytes int, forget func(*Ingress)) {
	for h.answers > bytes && h.order.Len() > 0 {
		h.shed(forget)
	}
}

func (r *Ingress) answerBytes() int {
	n := len(r.Reply)
	if r.Reject != nil {
		n += len(r.Reject.Text)
	}
	return n
}

func (h *History) shed(forget func(*Ingress)) {
	if r := h.answered(h.order.Pop()); r != nil {
		h.Drop(r, forget)
	}
}

// Drop drops the answer of a message. forget is called for the message, unless its answer was dropped before.
func (h *History) Drop(r *Ingress, forget func(*Ingress)) {
	if !r.Status.Terminal() {
		panic("state: the answer of a message is dropped that has none")
	}
	if r.Status == Done {
		return
	}
	h.answers -= r.answerBytes()
	r = h.own(r)
	r.Reply, r.Reject, r.Status = nil, nil, Done
	forget(r)
}

// answered returns the message that an answer in the order belongs to, nil if it was pruned. It uses the record and
// does not look up the id: it is called for every pruned message.
func (h *History) answered(a answer) *Ingress {
	if a.number == 0 {
		return nil
	}
	r := h.At(a.number)
	if r.pruned || r.ID != a.id || r.Answered != a.answered {
		return nil
	}
	return r
}

// Due is called at the deadline of a message. It reports whether the message was pruned, or must be rejected because it
// did not begin in time; a pruned record may be read until the next Receive.
func (h *History) Due(number, now uint64, deadlines *timers.Table) (r *Ingress, expired, pruned bool) {
	r = h.own(h.At(number))
	r.deadline = 0
	switch {
	case r.Status == Received:
		return r, true, false
	case r.Status == Processing:
		return r, false, false
	case now < r.Answered+KeepAnswer:
		r.deadline = deadlines.Add(timers.Deadline{At: r.Answered + KeepAnswer, Kind: timers.IngressPrune, Number: number})
		return r, false, false
	}
	h.prune(r)
	return r, false, true
}

func (h *History) prune(r *Ingress) {
	h.answers -= r.answerBytes()
	h.known.remove(&r.ID, r.Number)
	h.free.Push(r.Number)
	r.Reply, r.Reject, r.pruned = nil, nil, true
	for h.order.Len() > 0 && h.answered(h.order.At(0)) == nil {
		h.order.Pop()
	}
}

// Changed reports whether the message has changed since the last update of the certified tree.
func (r *Ingress) Changed() bool { return r.changedAt != 0 }

// Record sets the number under which a message is recorded (Ingress.Recorded).
func (h *History) Record(number, recorded uint64) { h.own(h.At(number)).Recorded = recorded }

// RecordInstructions records how many instructions the execution of a message took.
func (h *History) RecordInstructions(number, instructions uint64) {
	h.own(h.At(number)).Instructions = instructions
}

// Knows reports whether there is a message with a number.
func (h *History) Knows(number uint64) bool {
	return number != 0 && number <= uint64(h.slots.Len()) && h.has(h.At(number))
}
