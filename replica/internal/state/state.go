package state

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/timers"
)

// State is the replicated state of one subnet. Only the subnet that owns it writes it, on one goroutine; package
// canister writes a Canister while one of its messages runs.
type State struct {
	ID     principal.Principal
	Nodes  int
	Blocks Blocks // made so far, by node
	System bool   // a system subnet: only signatures cost cycles
	Fees   cycles.Schedule

	// Admins are the subnet admins, by id; empty unless the subnet is Administered, of the kind that can have admins.
	Admins       []principal.Principal
	Administered bool

	Time   uint64 // ns, of the last round
	Height uint64 // rounds so far
	Batch  uint64 // batches and beginnings of rounds so far

	Ids          Ids
	Canisters    Canisters
	History      History
	Calls        intercanister.CallTable
	Deadlines    timers.Table
	Ready        intercanister.Ready
	RandomBeacon *RandomBeacon
	Totals       CycleTotals

	// Compiled are the hashes of the modules that were installed since the last checkpoint.
	Compiled map[[32]byte]bool
	// Messages is the memory of the messages of all canisters.
	Messages MessageMemory
	// ManagementCalls are the waiting calls of the management canister.
	ManagementCalls intercanister.Mailbox
	// Heartbeats are the canisters that export a heartbeat, by id.
	Heartbeats []*Entry
	// Outcalls are the unanswered HTTP outcalls, by number; numbers count from 0.
	Outcalls     map[uint64]*PendingOutcall
	OutcallsMade uint64

	// Signing are the subnet's threshold keys and the pending requests for signatures.
	Signing Signing

	// Postponed are calls of the management canister that are answered when the next
	// round begins, in the order they were executed.
	Postponed []Postponed

	// Touched are the canisters, and Answered the messages, whose part of the
	// certified tree may have changed since the last round.
	Touched  []*Entry
	Answered []ChangedRequest

	// Held are the messages that are held in transit.
	Held HeldMessages
	// throttled are the canisters that wait because they changed too much memory, in the order in which they did.
	throttled []*Entry

	stops uint64

	// Limits are the limits of executions.
	Limits canister.Limits
	// Environment is what the messages of this batch see of the subnet. Parked ones keep theirs.
	Environment *canister.Subnet

	// MemoryUsed are the bytes of all canisters, each at the time of its last count.
	MemoryUsed uint64
	// Consumed are the cycles that were spent at the last count.
	Consumed cycles.Amount
	// Transactions counts the messages executed since the start.
	Transactions uint64
	// Instructions counts the instructions of all rounds before this one. It only grows. RoundInstructions counts this
	// round.
	Instructions, RoundInstructions uint64
	// TreeChanged says that the certified tree must be made again although no round ran.
	TreeChanged bool
	// Shared is the state that the messages of a batch share.
	Shared Shared

	// Inbound are the messages from other subnets that are received at the beginning of the next round.
	Inbound []StreamMessage
	// Output are the queues of messages to other subnets, by position. Unsent counts them all.
	Output [][]StreamMessage
	Unsent int
	// Swept is the second of the last search for late messages.
	Swept uint64

	// Parked are the messages in the middle of their code, by canister id.
	Parked []*Execution

	// Preparing are the commands that wait for their modules, in the order in which they came.
	Preparing []Preparation
	// Prepared are the modules that became ready since the last checkpoint; nil for those that are valid.
	Prepared map[[32]byte]*intercanister.Reject
}

// ChangedRequest is a message whose part of the certified tree may have changed.
type ChangedRequest struct {
	ID       RequestID
	Number   uint64 // in the history; 0 if it was pruned since
	Recorded uint64 // Ingress.Recorded of a pruned message
}

// Postponed is a call of the management canister that is answered when the next round begins.
type Postponed struct {
	Ticket Ticket
	Method string // determines the answer (Management.Postponed)
}

// Add adds a new canister.
func (s *State) Add(c *canister.Canister) *Entry {
	r := &Entry{Canister: c, Charged: s.Time}
	r.Mailbox.Owner = c.ID
	s.Canisters.add(r)
	s.Touch(r)
	return r
}

// Remove removes a canister. Nothing may still wait for it.
func (s *State) Remove(r *Entry) {
	s.Totals.recordDeletion(r.Canister)
	s.DisarmTimer(r)
	s.SetHeartbeat(r, false)
	s.Ready.Remove(&r.Mailbox)
	r.Mailbox.Blocked, r.Gone = true, true
	s.Messages.Guaranteed -= r.Messages.Guaranteed
	s.Messages.BestEffort -= r.Messages.BestEffort
	s.Canisters.remove(r)
	s.Touch(r)
}

// Touch notes that the certified tree's part of a canister may have changed.
func (s *State) Touch(r *Entry) {
	if !r.touched {
		r.touched = true
		s.Touched = append(s.Touched, r)
	}
}

// Show notes that the certified tree's part of an ingress message has changed.
func (s *State) Show(in *Ingress) {
	r := s.History.At(in.Number)
	if r.changedAt == 0 {
		s.Answered = append(s.Answered, ChangedRequest{})
		changed := &s.Answered[len(s.Answered)-1] // written in place: a copy would wait for its fields
		changed.ID, changed.Number = r.ID, r.Number
		r = s.History.own(r)
		r.changedAt = len(s.Answered)
	}
	if r.pruned {
		a := &s.Answered[r.changedAt-1]
		a.Number, a.Recorded = 0, r.Recorded
	}
}

// Untouch empties the list of touched canisters.
func (s *State) Untouch() {
	for _, r := range s.Touched {
		r.touched = false
	}
	for i := range s.Answered {
		if number := s.Answered[i].Number; number != 0 {
			s.History.own(s.History.At(number)).changedAt = 0
		}
	}
	clear(s.Touched)
	s.Touched = s.Touched[:0]
	s.Answered = s.Answered[:0]
}

// RearmTimer sets the deadline of the canister's global timer to the canister's value (Canister.Timer).
func (s *State) RearmTimer(r *Entry) {
	if r.timerAt == r.Canister.Timer {
		return
	}
	s.DisarmTimer(r)
	if at := r.Canister.Timer; at != 0 {
		r.timer = s.Deadlines.Add(timers.Deadline{At: at, Kind: timers.GlobalTimer, Subject: r.ID()})
		r.timerAt = at
	}
}

// RecordTimerFired records that a global timer has reached its deadline. The timer is armed again only when the
// canister sets it to another time, or by PostponeTimer.
func (s *State) RecordTimerFired(r *Entry) { r.timer = 0 }

// ForceTimer sets a global timer whose deadline is reached at a time.
func (s *State) ForceTimer(r *Entry, at uint64) {
	s.Deadlines.Remove(r.timer)
	r.Canister.Timer, r.timer, r.timerAt = at, 0, at
}

// DisarmTimer makes the global timer inactive until the canister sets it again, as when its
// task begins.
func (s *State) DisarmTimer(r *Entry) {
	s.Deadlines.Remove(r.timer)
	r.timer, r.timerAt = 0, 0
}

// PostponeTimer makes a global timer that could not run fire again at another time.
func (s *State) PostponeTimer(r *Entry, at uint64) {
	s.Deadlines.Remove(r.timer)
	r.timer = s.Deadlines.Add(timers.Deadline{At: at, Kind: timers.GlobalTimer, Subject: r.ID()})
	r.timerAt = r.Canister.Timer
}

// SetHeartbeat adds a canister to the list of those with a heartbeat, or removes it.
func (s *State) SetHeartbeat(r *Entry, heartbeat bool) {
	if r.Heartbeat == heartbeat {
		return
	}
	r.Heartbeat = heartbeat
	at, _ := slices.BinarySearchFunc(s.Heartbeats, r.ID(), byID)
	if heartbeat {
		s.Heartbeats = slices.Insert(s.Heartbeats, at, r)
	} else {
		s.Heartbeats = slices.Delete(s.Heartbeats, at, at+1)
	}
}

// AddStop makes a caller of stop_canister wait.
func (s *State) AddStop(r *Entry, t Ticket) {
	s.stops++
	r.Stops = append(r.Stops, Stop{t, s.stops, s.Deadlines.Add(timers.Deadline{
		At: s.Time + StopTimeout, Kind: timers.StopTimeout, Subject: r.ID(), Number: s.stops,
	})})
}

// RemoveStops removes and returns all waiting callers of stop_canister.
func (s *State) RemoveStops(r *Entry) []Stop {
	stops := r.Stops
	r.Stops = nil
	for _, stop := range stops {
		s.Deadlines.Remove(stop.Timeout)
	}
	return stops
}

// RemoveStop removes and returns the waiting caller with a number; false if it was answered.
func (s *State) RemoveStop(r *Entry, number uint64) (Stop, bool) {
	i := slices.IndexFunc(r.Stops, func(stop Stop) bool { return stop.Number == number })
	if i < 0 {
		return Stop{}, false
	}
	stop := r.Stops[i]
	r.Stops = slices.Delete(r.Stops, i, i+1)
	return stop, true
}
