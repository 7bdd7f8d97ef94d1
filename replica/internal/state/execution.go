package state

import (
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/timers"
)

// A parked message is in the middle of its code, on its own stack, which cannot be copied. A fork, or a network read
// from a file, restarts it on the earlier memories of its canister, and runs as many slices as it had. That gives the
// same result, because code is deterministic, if the message sees the same. Values that may change while it is parked
// are therefore kept in its Pauses.

// Moment is a point in the life of a network.
type Moment struct {
	Height uint64
	Time   uint64 // ns
}

// Execution is one message of a canister that has begun. Parked ones are part of the state.
type Execution struct {
	Entry       *Entry
	In          intercanister.Input
	Environment *canister.Subnet
	Message     canister.Message
	Install     *Installation // nil for all but install_code

	Context  intercanister.ContextID
	Prepaid  cycles.Amount // for Limit instructions
	Limit    uint64
	Memory64 bool
	Callback bool
	Began    Moment
	First    ObservedState // when it began
	Pauses   *Pauses       // nil before it was parked
	// Until is the time in ns that a parked message waits for (WASI's poll_oneoff); 0 if it waits only for its turn.
	// Alarm is its deadline of kind Wake. Invariant: 0 while the message runs.
	Until uint64
	Alarm timers.Handle
}

// Installation is an install_code in progress.
type Installation struct {
	Call  *ManagementCall
	In    *canister.Install
	Spent uint64 // instructions, before it began
}

// ObservedState is the state of its canister that a message sees and that may change while it is parked.
type ObservedState struct {
	Slice    int // from this slice on
	Status   canister.Status
	Version  uint64
	Messages uint64 // bytes of memory
	Log      uint64 // number of the next record
}

// Pauses is what a parked message has seen so far.
type Pauses struct {
	Slices int             // that have ended
	Memory uint64          // of all canisters of the subnet at its start; later it saw the value in Execution.Environment
	Seen   []ObservedState // the changes of it, at most one a slice
	Wakes  []Wake          // the waits that have ended, in order
}

// Wake is the end of a wait for a time: the slice that resumes then, and the time that it sees, in ns.
type Wake struct {
	Slice int
	Time  uint64
}

func seen(c *canister.Canister) ObservedState {
	return ObservedState{Status: c.Status, Version: c.Version, Messages: c.MessageBytes, Log: c.Logs.Next()}
}

// Begin records what a message is about to see of its canister.
func (x *Execution) Begin() { x.First = seen(x.Entry.Canister) }

// Pause records the end of a slice of a message that continues.
func (x *Execution) Pause() {
	if x.Pauses == nil {
		x.Pauses = &Pauses{Memory: x.Environment.MemoryUsed, Seen: []ObservedState{x.First}}
	}
	x.Pauses.Slices++
}

// Wake ends the wait of a parked message.
func (x *Execution) Wake(now uint64) {
	x.Until = 0
	x.Pauses.Wakes = append(x.Pauses.Wakes, Wake{Slice: x.Pauses.Slices, Time: now})
}

// Continue records what the next slice is about to see, if that has changed.
func (x *Execution) Continue() {
	p, now := x.Pauses, seen(x.Entry.Canister)
	last := &p.Seen[len(p.Seen)-1]
	now.Slice, now.Log = last.Slice, last.Log // its own records are no change for it
	if now != *last {
		now.Slice = p.Slices
		p.Seen = append(p.Seen, now)
	}
}

// Park adds a message to the parked ones, which are ordered by canister, and returns its position.
func (s *State) Park(x *Execution) (at int) {
	at, _ = slices.BinarySearchFunc(s.Parked, x, func(a, b *Execution) int { return a.Entry.ID().Compare(b.Entry.ID()) })
	s.Parked = slices.Insert(s.Parked, at, x)
	return at
}

// Unpark removes the parked message at a position.
func (s *State) Unpark(at int) { s.Parked = slices.Delete(s.Parked, at, at+1) }

// forkParked copies the parked messages to the fork, which restarts them.
func (f *Fork) forkParked(s *State) {
	f.Parked = make([]*Execution, len(s.Parked))
	for i, x := range s.Parked {
		copied := *x
		copied.Entry = f.Entry(x.Entry)
		if x.Environment == s.Environment {
			copied.Environment = f.Environment // it changes while the round is open; earlier environments do not
		}
		copied.Message.Pause, copied.Message.Sleep = nil, nil
		pauses := *x.Pauses
		pauses.Seen, pauses.Wakes = slices.Clone(pauses.Seen), slices.Clone(pauses.Wakes)
		copied.Pauses = &pauses
		if x.Install != nil {
			copied.Install = x.Install.fork(f)
		}
		f.Parked[i] = &copied
	}
}

func (i *Installation) fork(f *Fork) *Installation {
	command, in := *i.Call, *i.In
	command.State = f.State
	command.Sender, command.Target = f.Entry(command.Sender), f.Entry(command.Target)
	in.Pause = nil
	return &Installation{Call: &command, In: &in, Spent: i.Spent}
}

// archiveParked writes the parked messages, or reads them. Each is written as it was before its code began, with what
// it has seen since.
func (s *State) archiveParked(c *archive.Coder, modules *canister.Modules) {
	if !c.Since(archive.VersionParkedMessages) {
		return
	}
	var before principal.Principal
	archive.Slice(c, &s.Parked, archive.MaxItems, func(x **Execution) {
		if c.Reading() {
			*x = new(Execution)
		}
		(*x).archive(c, s, modules)
		if c.Failed() {
			return
		}
		id := (*x).Entry.ID()
		c.Check(before.Compare(id) < 0, "messages are not parked in the order of their canisters")
		before = id
	})
}

func (x *Execution) archive(c *archive.Coder, s *State, modules *canister.Modules) {
	if s.archiveBusyEntry(c, &x.Entry); c.Failed() {
		return
	}
	if c.Reading() {
		environment := *s.Environment
		x.Environment, x.Pauses = &environment, new(Pauses)
	}
	archive.Number(c, &x.Environment.Time)
	archive.Number(c, &x.Environment.MemoryUsed)
	if c.Since(archive.VersionFeatures) {
		archive.Hash(c, &x.Environment.Randomness)
	}
	x.In.Archive(c)
	archive.Pointer(c, &x.Install, func(i *Installation) { i.archive(c, s, modules) })
	canister.ArchiveMessage(c, &x.Message)
	archive.Number(c, &x.Context)
	x.Prepaid.Archive(c)
	archive.AtMost(c, &x.Limit, max(s.Limits.Message, s.Limits.Query, s.Limits.Install))
	c.Bool(&x.Memory64)
	archive.Number(c, &x.Began.Height)
	archive.Number(c, &x.Began.Time)
	x.Pauses.archive(c)
	if c.Since(archive.VersionFeatures) {
		archive.Number(c, &x.Until)
		archive.Number(c, &x.Alarm)
	}
	if c.Reading() && !c.Failed() {
		x.First = x.Pauses.Seen[0]
	}
}

func (i *Installation) archive(c *archive.Coder, s *State, modules *canister.Modules) {
	if c.Reading() {
		i.Call, i.In = &ManagementCall{State: s}, new(canister.Install)
	}
	i.Call.Archive(c, s)
	i.In.Archive(c, modules)
	archive.Number(c, &i.Spent)
}

func (p *Pauses) archive(c *archive.Coder) {
	archive.Number(c, &p.Slices)
	archive.Number(c, &p.Memory)
	before := -1
	archive.Slice(c, &p.Seen, archive.MaxItems, func(s *ObservedState) {
		archive.AtMost(c, &s.Slice, p.Slices)
		archive.AtMost(c, &s.Status, canister.Stopped)
		archive.Number(c, &s.Version)
		archive.Number(c, &s.Messages)
		archive.Number(c, &s.Log)
		c.Check(s.Slice > before, "what a message has seen is not in the order of its slices")
		before = s.Slice
	})
	if c.Since(archive.VersionFeatures) {
		p.archiveWakes(c)
	}
	c.Check(p.Slices > 0 && len(p.Seen) > 0 && p.Seen[0].Slice == 0, "a message is parked that has not begun")
}

func (p *Pauses) archiveWakes(c *archive.Coder) {
	before := 0
	archive.Slice(c, &p.Wakes, archive.MaxItems, func(w *Wake) {
		archive.AtMost(c, &w.Slice, p.Slices)
		archive.Number(c, &w.Time)
		c.Check(w.Slice > before, "the waits of a message are not in the order of its slices")
		before = w.Slice
	})
}
