package state

import (
	"maps"
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
)

// ArchiveCanisters writes the canisters of the subnet, a section each, or reads them into new entries. modules holds
// their code.
func (s *State) ArchiveCanisters(c *archive.Coder, section string, modules *canister.Modules) {
	ids := make([]principal.Principal, 0, s.Canisters.Len())
	for r := range s.Canisters.All() {
		ids = append(ids, r.ID())
	}
	c.Section(section, func() { archive.Slice(c, &ids, archive.MaxItems, c.Principal) })
	for i, id := range ids {
		if !c.Check(i == 0 || ids[i-1].Compare(id) < 0, "the canisters are not in the order of their ids") {
			return
		}
		if _, ok := id.CanisterNumber(); !c.Check(ok, "%s is not the id of a canister", id) {
			return
		}
		r := s.Canisters.Get(id)
		if c.Reading() {
			r = &Entry{Canister: &canister.Canister{ID: id}}
			r.Mailbox.Owner = id
			s.Canisters.add(r)
		}
		c.Section("canister "+id.String(), func() {
			r.Canister.Archive(c, modules)
			r.archive(c)
		})
	}
	if c.Reading() {
		for r := range s.Canisters.All() {
			s.SetHeartbeat(r, r.archivedHeartbeat())
		}
	}
}

// Archive writes the state of a subnet except its canisters, or reads it into a new state that has them; CheckArchived
// must follow. What follows from the configuration of the subnet must be set already.
func (s *State) Archive(c *archive.Coder, modules *canister.Modules) {
	s.archiveLimits(c)
	s.archiveTimeAndTotals(c)
	s.Ids.archive(c)
	s.Deadlines.Archive(c, archive.MaxItems)
	s.History.archive(c)
	s.Calls.Archive(c)
	s.ManagementCalls.Archive(c)
	s.Held.archive(c)
	archiveHashes(c, &s.Compiled)
	s.archiveOutcalls(c)
	archive.Slice(c, &s.Signing.Pending, archive.MaxItems, func(p *PendingSignature) {
		p.Ticket.archive(c)
		archive.Number(c, &p.Key.Scheme)
		archive.String(c, &p.Key.Name, archive.MaxBytes)
		c.Principal(&p.Caller)
		archive.String(c, &p.Method, archive.MaxBytes)
		c.Bytes(&p.Arg, archive.MaxBytes)
	})
	archive.Slice(c, &s.Postponed, archive.MaxItems, func(p *Postponed) {
		p.Ticket.archive(c)
		archive.String(c, &p.Method, archive.MaxBytes)
	})
	s.archiveTouched(c)
	s.archiveAnswered(c)
	archiveEntries(c, s, &s.throttled)
	archive.Number(c, &s.stops)
	s.archiveReady(c)
	s.archiveCounts(c)
	s.archiveBatch(c)
	s.archiveStreams(c)
	s.archivePreparations(c)
	s.archiveParked(c, modules)
}

func (s *State) archiveLimits(c *archive.Coder) {
	l := &s.Limits
	for _, n := range []*uint64{
		&l.Message, &l.Query, &l.Inspect, &l.Install, &l.Slice, &l.PauseAfter, &l.StablePages, &l.StablePagesInstall,
		&l.StablePagesQuery, &l.SubnetMemory, &l.HeapDelta, &l.InstallRate,
	} {
		archive.Number(c, n)
	}
}

// archiveCounts writes the counters of the subnet, except those of its calls and cycles.
func (s *State) archiveCounts(c *archive.Coder) {
	archive.Number(c, &s.MemoryUsed)
	s.Consumed.Archive(c)
	archive.Number(c, &s.Transactions)
	if c.Since(archive.VersionFlexibleOutcalls) {
		all := s.Instructions + s.RoundInstructions
		if archive.Number(c, &all); c.Reading() {
			s.Instructions, s.RoundInstructions = all, 0
		}
	}
	archive.Number(c, &s.Swept)
	c.Bool(&s.TreeChanged)
}

func (s *State) archiveTimeAndTotals(c *archive.Coder) {
	s.Blocks.archive(c)
	archive.Number(c, &s.Time)
	archive.Number(c, &s.Height)
	archive.Number(c, &s.Batch)
	c.Fixed(s.RandomBeacon.key[:])
	archive.Number(c, &s.RandomBeacon.Drawn)
	s.Totals.Archive(c)
	s.Messages.archive(c)
}

func (u *MessageMemory) archive(c *archive.Coder) {
	archive.Number(c, &u.Guaranteed)
	archive.Number(c, &u.BestEffort)
}

func (i *Ids) archive(c *archive.Coder) {
	archive.Slice(c, &i.Ranges, archive.MaxItems, func(r *Range) {
		archive.Number(c, &r.First)
		archive.Number(c, &r.Last)
	})
	allocation := i.Allocation
	archive.Number(c, &i.Allocation.First)
	archive.Number(c, &i.Allocation.Last)
	archive.Number(c, &i.next)
	c.Check(i.Allocation == allocation && i.next <= allocation.Last-allocation.First+1, "canister ids are taken from %d to %d, %d of them, and not from %d to %d",
		i.Allocation.First, i.Allocation.Last, i.next, allocation.First, allocation.Last)
}

func (t *Ticket) archive(c *archive.Coder) {
	t.Origin.Archive(c)
	t.Refund.Archive(c)
}

// archiveHashes writes a set of hashes in order.
func archiveHashes(c *archive.Coder, set *map[[32]byte]bool) {
	hashes := slices.SortedFunc(maps.Keys(*set), func(a, b [32]byte) int { return slices.Compare(a[:], b[:]) })
	archive.Slice(c, &hashes, archive.MaxItems, func(hash *[32]byte) {
		archive.Hash(c, hash)
		if c.Reading() {
			(*set)[*hash] = true
		}
	})
}

func (s *State) archiveOutcalls(c *archive.Coder) {
	archive.Number(c, &s.OutcallsMade)
	numbers := slices.Sorted(maps.Keys(s.Outcalls))
	archive.Slice(c, &numbers, archive.MaxItems, func(number *uint64) {
		archive.Number(c, number)
		if c.Reading() {
			s.Outcalls[*number] = new(PendingOutcall)
		}
		s.Outcalls[*number].archive(c)
	})
}

func (p *PendingOutcall) archive(c *archive.Coder) {
	p.Ticket.archive(c)
	archive.Number(c, &p.Expiry)
	o := &p.Sent
	c.Principal(&o.Canister)
	archive.Text(c, &o.Method, archive.MaxBytes)
	archive.Text(c, &o.URL, archive.MaxBytes)
	archive.Slice(c, &o.Headers, archive.MaxItems, func(header *[2]string) {
		archive.Text(c, &header[0], archive.MaxBytes)
		archive.Text(c, &header[1], archive.MaxBytes)
	})
	c.Bytes(&o.Body, archive.MaxBytes)
	archive.Number(c, &o.MaxResponse)
	c.Bool(&o.Bounded)
	archive.Pointer(c, &o.Transform, func(t *Transform) {
		archive.Text(c, &t.Method, archive.MaxBytes)
		c.Bytes(&t.Context, archive.MaxBytes)
	})
	c.Bool(&o.Replicated)
	archive.Number(c, &o.Node)
	if !c.Since(archive.VersionFlexibleOutcalls) {
		return // no outcall was flexible or of pricing version 2
	}
	archive.Slice(c, &o.Members, archive.MaxItems, func(node *int) { archive.Number(c, node) })
	archive.Number(c, &o.Min)
	archive.Number(c, &o.Max)
	c.Bool(&o.PayAsYouGo)
	o.Allowance.Archive(c)
	archive.Number(c, &o.Download)
	p.Withheld.Archive(c)
}

// archiveBusyEntry writes the canister whose message is parked, with the commands that wait for its end, or finds it.
func (s *State) archiveBusyEntry(c *archive.Coder, r **Entry) {
	s.ArchiveEntry(c, r)
	if !c.Check(*r != nil, "a message is parked in no canister") {
		return
	}
	if c.Reading() {
		c.Check(!(*r).Running, "two messages of canister %s are parked", (*r).ID())
		(*r).Running = true
	}
	archive.Slice(c, &(*r).Waiting, archive.MaxItems, func(in *Input) { in.Archive(c) })
}

// Archive writes a command that has begun, or reads one of the subnet with this state.
func (c *ManagementCall) Archive(a *archive.Coder, s *State) {
	archive.String(a, &c.Method, archive.MaxBytes)
	a.Bytes(&c.Arg, archive.MaxBytes)
	a.Principal(&c.Caller)
	s.ArchiveEntry(a, &c.Sender)
	c.Origin.Archive(a)
	s.ArchiveEntry(a, &c.Target)
	c.Attached.Archive(a)
}

// ArchiveEntry writes a reference to a canister of the subnet, or finds the canister. It reads nil if there is none, or
// if it was deleted.
func (s *State) ArchiveEntry(c *archive.Coder, r **Entry) {
	found := *r != nil && !(*r).Gone
	if c.Bool(&found); !found {
		if c.Reading() {
			*r = nil
		}
		return
	}
	var id principal.Principal
	if *r != nil {
		id = (*r).ID()
	}
	c.Principal(&id)
	if c.Reading() {
		*r = s.Canisters.Get(id)
		c.Check(*r != nil, "there is no canister %s", id)
	}
}

// archiveEntries writes the live entries of a list.
func archiveEntries(c *archive.Coder, s *State, list *[]*Entry) {
	found := slices.DeleteFunc(slices.Clone(*list), func(r *Entry) bool { return r.Gone })
	archive.Slice(c, &found, archive.MaxItems, func(r **Entry) { s.ArchiveEntry(c, r) })
	if c.Reading() {
		*list = found
	}
}

// archiveAnswered writes the ids of the messages that have changed. When it reads, known messages get their place in
// the list again.
func (s *State) archiveAnswered(c *archive.Coder) {
	at := 0
	archive.Slice(c, &s.Answered, archive.MaxItems, func(a *ChangedRequest) {
		archive.Hash(c, &a.ID)
		if at++; !c.Reading() {
			return
		}
		if in := s.History.Find(a.ID); in != nil && in.changedAt != 0 {
			a.Number, in.changedAt = in.Number, at
		}
	})
}

// archiveTouched writes the list of touched canisters. For deleted ones it writes the id: the tree still shows them.
// Another canister may have taken the id since.
func (s *State) archiveTouched(c *archive.Coder) {
	var left []principal.Principal
	archive.Slice(c, &s.Touched, archive.MaxItems, func(r **Entry) {
		var id principal.Principal
		gone := false
		if *r != nil {
			id, gone = (*r).ID(), (*r).Gone
		}
		c.Principal(&id)
		if c.Bool(&gone); !c.Reading() {
			return
		}
		found := s.Canisters.Get(id)
		if c.Check((found != nil || gone) && (found == nil || !found.touched), "canister %s is touched twice, or not there", id); gone {
			left = append(left, id)
			*r = &Entry{Canister: canister.New(id, 0, canister.Settings{}), Gone: true}
			return
		}
		if *r = found; found != nil {
			found.touched = true
		}
	})
	for _, id := range left {
		r := s.Canisters.Get(id)
		c.Check(r == nil || r.touched, "canister %s is gone, and there", id)
	}
}

// archiveReady writes which mailboxes are in the next batch.
func (s *State) archiveReady(c *archive.Coder) {
	c.Check(s.Ready.Between(), "a batch is under way")
	boxes := []*intercanister.Mailbox{&s.ManagementCalls}
	for r := range s.Canisters.All() {
		boxes = append(boxes, &r.Mailbox)
	}
	s.Ready.Archive(c, boxes)
}
