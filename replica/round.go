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
	Busy         bool        // another round would have work at once
}

// Round runs one round on every subnet and certifies the result.
func (n *Network) Round() RoundReport {
	opened := n.begin()
	for _, m := range n.subnets {
		for m.runBatch() {
		}
	}
	return n.end(opened, roundEnded)
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
func (n *Network) end(opened bool, kind recordKind) RoundReport {
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
	n.report.Answered, n.answered, n.told = n.answered, n.told[:0], n.answered
	n.report.Busy = n.Activity().Busy
	if n.sink != nil {
		n.emit(Event{Kind: RoundEnded, Instructions: n.report.Instructions, Number: uint64(n.report.Messages)})
	}
	return n.report
}

func (m *subnet) begin() {
	m.Time, m.Height = m.net.time, m.net.height
	m.Instructions += m.RoundInstructions
	m.RoundInstructions, m.worked, m.executed, m.dirtied, m.batches = 0, 0, 0, 0, 0
	m.Commands.Blocked = false
	m.Ready.Add(&m.Commands)
	if m.Height%CheckpointRounds == 0 {
		clear(m.Compiled)
		clear(m.Prepared)
	}
	m.Blocks.Add(m.Time, m.Height)
	m.refresh()
	m.beginBatch()
	m.Unthrottle(&m.Limits)
	m.answerPostponed()
	m.expireOutput()
	m.compileHere()
	m.receive()
	m.sign()
	m.due()
	tasks.QueueHeartbeats(&m.State)
	for _, j := range resumed(m.awake(), m.Height) {
		j.Entry.Mailbox.Resume = true
		m.Ready.Add(&j.Entry.Mailbox)
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

func (m *subnet) end() {
	m.ApplyDeferredCredits()
	m.fillStreams()
	m.shed()
	for _, j := range m.awake() {
		j.Entry.Mailbox.Resume = false
	}
}

// within reports whether the round's limits leave room for another batch.
func (m *subnet) within() bool {
	return m.RoundInstructions < m.net.config.RoundInstructions && m.executed < m.net.config.RoundMessages && m.dirtied < RoundPages
}

// nextBatch begins a batch unless one is in progress. It returns false if nothing is ready, or the limits leave no
// room; the first batch always has room. A batch with nothing left to do has ended: waiting messages may have been
// removed.
func (m *subnet) nextBatch() bool {
	for {
		m.Ready.Prune(&m.Commands)
		if !m.Ready.Between() {
			return true
		}
		if m.batches > 0 && !m.within() || !m.Ready.Batch() {
			return false
		}
		m.batches++
		m.beginBatch()
	}
}

// runBatch takes one message of every ready canister. The management canister, whose empty id comes first, runs before
// the others take theirs. It returns false if nothing was ready.
func (m *subnet) runBatch() bool {
	if !m.nextBatch() {
		return false
	}
	m.jobs, m.running = m.jobs[:0], m.running[:0]
	for {
		box := m.Ready.Next()
		if box == nil {
			break
		}
		if box == &m.Commands {
			m.command(nil)
			continue
		}
		if j := m.nextJob(box, nil); j.runs() {
			m.jobs, m.running = append(m.jobs, j), append(m.running, j)
		} else {
			m.jobs = append(m.jobs, j)
		}
	}
	if len(m.running) > 0 {
		m.net.runner.Run(m.running)
	}
	for _, j := range m.jobs {
		m.finish(j)
	}
	return true
}

// beginBatch makes what happened so far visible to the next messages.
func (m *subnet) beginBatch() {
	m.BeginBatch()
	m.Environment.MemoryUsed = m.MemoryUsed + m.config.Occupied
}
