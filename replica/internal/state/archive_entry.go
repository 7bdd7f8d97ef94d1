package state

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
)

// archive writes the entry without the canister itself, or reads it into a new entry. A parked message of the canister,
// and what waits for it, is written with that message.
func (r *Entry) archive(c *archive.Coder) {
	c.Check(r.Isolated == 0, "a message of canister %s is under way", r.ID())
	r.Mailbox.Archive(c)
	archive.Slice(c, &r.Stops, archive.MaxItems, func(stop *Stop) {
		stop.Ticket.archive(c)
		archive.Number(c, &stop.Number)
		archive.Number(c, &stop.Timeout)
	})
	r.DeferredCredit.Archive(c)
	r.Debit.Archive(c)
	r.Messages.archive(c)
	archive.Number(c, &r.before.batch)
	archive.Number(c, &r.before.bytes)
	archive.Number(c, &r.Counted)
	archive.Number(c, &r.Outgoing)
	archive.Number(c, &r.Charged)
	archive.Number(c, &r.timer)
	archive.Number(c, &r.timerAt)
	archive.AtMost(c, &r.Hook, Executed)
	for _, n := range []*uint64{&r.debits.HeapDelta, &r.debits.Install, &r.debits.height, &r.debits.time} {
		archive.Number(c, n)
	}
	c.Bool(&r.Heartbeat)
	c.Bytes(&r.Staged.Certified, canister.MaxCertifiedBytes)
}

// archive writes the history of messages, or reads it into a new one. Only the number of a pruned message is written.
func (h *History) archive(c *archive.Coder) {
	archive.List(c, &h.free, archive.MaxItems, func(number *uint64) { archive.Number(c, number) })
	free := make(map[uint64]bool, h.free.Len())
	for i := range h.free.Len() {
		number := h.free.At(i)
		free[number] = true
	}
	c.Check(len(free) == h.free.Len(), "a number of a message is free twice")
	number := uint64(0)
	archive.List(c, &h.slots, archive.MaxItems, func(slot **Ingress) {
		number++
		if c.Reading() {
			*slot = h.newRecord()
			(*slot).Number = number
		}
		if free[number] {
			delete(free, number)
			return
		}
		in := *slot
		in.archive(c)
		if !c.Reading() || c.Failed() {
			return
		}
		c.Check(h.Find(in.ID) == nil, "message %x is there twice", in.ID)
		h.known.add(&in.ID, number)
		h.waiting += len(in.Arg)
		h.answers += in.answerBytes()
	})
	c.Check(len(free) == 0, "the number of a message is free that never was given")
	archive.List(c, &h.order, archive.MaxItems, func(a *answer) {
		archive.Hash(c, &a.id)
		archive.Number(c, &a.answered)
		if in := h.Find(a.id); in != nil {
			a.number = in.Number
		}
	})
}

func (r *Ingress) archive(c *archive.Coder) {
	archive.Hash(c, &r.ID)
	c.Principal(&r.Sender)
	c.Principal(&r.Receiver)
	c.Principal(&r.Effective)
	archive.String(c, &r.Method, archive.MaxBytes)
	c.Bytes(&r.Arg, archive.MaxBytes)
	intercanister.ArchiveInfo(c, &r.Info)
	archive.Number(c, &r.Size)
	archive.Number(c, &r.Expiry)
	archive.Number(c, &r.Answered)
	archive.Number(c, &r.Instructions)
	c.Bytes(&r.Reply, archive.MaxBytes)
	intercanister.ArchiveReject(c, &r.Reject)
	archive.AtMost(c, &r.Status, Done)
	archive.Number(c, &r.deadline)
	noted := r.Changed()
	if c.Bool(&noted); noted && c.Reading() {
		r.changedAt = 1 // archiveAnswered sets the position
	}
	c.Check(r.Status != 0 && (r.Status == Rejected) == (r.Reject != nil), "message %x has no status that there is", r.ID)
}

// archivedHeartbeat clears the heartbeat mark of an entry that was read, so that the entry can be added to the list of
// those with a heartbeat.
func (r *Entry) archivedHeartbeat() bool {
	heartbeat := r.Heartbeat
	r.Heartbeat = false
	return heartbeat
}
