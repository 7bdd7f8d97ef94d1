package replica

import (
	"cmp"
	"slices"

	"github.com/canisterd/canisterd/replica/internal/tasks"
)

// RoundReport says what a round did. Its slices are valid until the end of the next round.
type RoundReport struct {
	Time, Height uint64
	Messages     int
	Instructions uint64
	Answered     []RequestID // ingress messages whose answer the new view shows
}

// Round runs one round on every subnet and certifies the result.
func (n *Network) Round() RoundReport {
	opened := n.begin()
	for _, m := range n.subnets {
		for m.runBatch() {
		}
	}
	n.end(opened, roundEnded)
	return n.report
}

// begin opens a round, unless one is open: it advances the time, and handles what is due. It reports whether it opened
// one.
func (n *Network) begin() (opened bool) {
	if n.open {
		return false
	}
	n.open = true
	n.generation++
	n.time = n.nextTime()
	n.clock = n.time
	n.height++
	n.report = RoundReport{Time: n.time, Height: n.height}
	for _, m := range n.subnets {
		m.begin()
	}
	return true
}

// end closes the round: messages leave for other subnets, trees are certified, the view is new. The round is recorded
// before its view exists: the journal has everything that readers see.
func (n *Network) end(opened bool, kind recordKind) {
	for _, m := range n.subnets {
		m.end()
		n.report.Messages += m.executed
		n.report.Instructions += m.RoundInstructions
	}
	n.open = false
	if n.journal != nil {
		n.recordEnd(opened, kind)
	}
	n.publish()
	n.report.Answered, n.answered, n.prevAnswered = n.answered, n.prevAnswered[:0], n.answered
	if n.sink != nil {
		n.emit(Event{Kind: RoundEnded, Instructions: n.report.Instructions, Number: uint64(n.report.Messages)})
	}
}

func (s *subnet) begin() {
	s.Time, s.Height = s.net.time, s.net.height
	s.Instructions += s.RoundInstructions
	s.RoundInstructions, s.worked, s.executed, s.dirtied, s.batches = 0, 0, 0, 0, 0
	s.ManagementCalls.Blocked = false
	s.Ready.Add(&s.ManagementCalls)
	if s.Height%CheckpointRounds == 0 {
		clear(s.Compiled)
		clear(s.Prepared)
	}
	s.Blocks.Add(s.Time, s.Height)
	s.refresh()
	s.beginBatch()
	s.Unthrottle(&s.Limits)
	s.answerPostponed()
	s.expireOutput()
	s.compileHere()
	s.receive()
	s.sign()
	s.due()
	tasks.QueueHeartbeats(&s.State)
	for _, j := range resumed(s.awake(), s.Height) {
		j.Entry.Mailbox.Resume = true
		s.Ready.Add(&j.Entry.Mailbox)
	}
}

// resumed returns the parked messages that resume in this round, at most ResumedPerRound: those with the fewest slices
// for the rounds since they began, so that all take turns and none waits forever. New messages wait for a few slices,
// not for one of every parked message.
func resumed(paused []*Job, height uint64) []*Job {
	if len(paused) <= ResumedPerRound {
		return paused
	}
	byShare := slices.Clone(paused)
	slices.SortStableFunc(byShare, func(a, b *Job) int {
		return cmp.Compare(a.share(height), b.share(height))
	})
	return byShare[:ResumedPerRound]
}

// share returns the number of slices that a parked message ran, scaled to a million rounds.
func (j *Job) share(height uint64) uint64 {
	return uint64(j.Pauses.Slices) * 1_000_000 / max(1, height-j.Began.Height)
}

func (s *subnet) end() {
	s.ApplyDeferredCredits()
	s.fillStreams()
	s.shed()
	for _, j := range s.awake() {
		j.Entry.Mailbox.Resume = false
	}
}

// within reports whether the round's limits leave room for another batch.
func (s *subnet) within() bool {
	return s.RoundInstructions < s.net.config.RoundInstructions && s.executed < s.net.config.RoundMessages && s.dirtied < RoundPages
}

// nextBatch begins a batch unless one is in progress. It returns false if nothing is ready, or the limits leave no
// room; the first batch always has room. A batch with nothing left to do has ended: waiting messages may have been
// removed.
func (s *subnet) nextBatch() bool {
	for {
		s.Ready.Prune(&s.ManagementCalls)
		if !s.Ready.Between() {
			return true
		}
		if s.batches > 0 && !s.within() || !s.Ready.Batch() {
			return false
		}
		s.batches++
		s.beginBatch()
	}
}

// runBatch takes one message of every ready canister. The management canister, whose empty id comes first, runs before
// the others take theirs. It returns false if nothing was ready.
func (s *subnet) runBatch() bool {
	if !s.nextBatch() {
		return false
	}
	s.jobs, s.running = s.jobs[:0], s.running[:0]
	for {
		box := s.Ready.Next()
		if box == nil {
			break
		}
		if box == &s.ManagementCalls {
			s.command(nil)
			continue
		}
		if j := s.nextJob(box, nil); j.runs() {
			s.jobs, s.running = append(s.jobs, j), append(s.running, j)
		} else {
			s.jobs = append(s.jobs, j)
		}
	}
	if len(s.running) > 0 {
		s.net.runner.Run(s.running)
	}
	for _, j := range s.jobs {
		s.finish(j)
	}
	return true
}

// beginBatch makes what happened so far visible to the next messages.
func (s *subnet) beginBatch() {
	s.BeginBatch()
	s.Environment.MemoryUsed = s.MemoryUsed + s.config.Occupied
}
