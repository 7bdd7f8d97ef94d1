package replica

import (
	"cmp"
	"slices"

	"github.com/canisterd/canisterd/intercanister"
)

// RoundReport says what a round did. Its slices are good until the end of the
// next round.
type RoundReport struct {
	Time, Height uint64
	Messages     int
	Instructions uint64
	Answered     []RequestID // ingress messages whose answer the new view shows
	Busy         bool        // another round would go on at once
}

// Round gives every subnet one round and certifies what came out.
func (n *Network) Round() RoundReport {
	n.begin()
	for _, m := range n.subnets {
		for m.wave() {
		}
	}
	return n.end()
}

// begin opens a round, unless one is open: time moves, and what is due falls
// due.
func (n *Network) begin() {
	if n.open {
		return
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
}

// end closes the round: messages leave for other subnets, trees are certified,
// the view is new.
func (n *Network) end() RoundReport {
	for _, m := range n.subnets {
		m.end()
	}
	n.open = false
	n.publish()
	for _, m := range n.subnets {
		n.report.Messages += m.executed
		n.report.Instructions += m.spent
	}
	n.report.Answered, n.answered, n.told = n.answered, n.told[:0], n.answered
	n.report.Busy = n.Busy()
	if n.sink != nil {
		n.emit(Event{Kind: RoundEnded, Instructions: n.report.Instructions, Number: uint64(n.report.Messages)})
	}
	return n.report
}

func (m *subnet) begin() {
	m.Time, m.Height = m.net.time, m.net.height
	m.instructions += m.spent
	m.spent, m.worked, m.executed, m.dirtied, m.waves = 0, 0, 0, 0, 0
	m.Commands.Held = false
	m.Ready.Add(&m.Commands)
	if m.Height%CheckpointRounds == 0 {
		clear(m.Compiled)
		clear(m.prepared)
	}
	m.Blocks.Add(m.Time, m.Height)
	m.refresh()
	m.beginWave()
	m.Unthrottle(&m.limits)
	m.settlePostponed()
	m.expireOutput()
	m.compileHere()
	m.receive()
	m.sign()
	m.due()
	m.beat()
	for _, j := range m.resumed() {
		j.resident.Mailbox.Resume = true
		m.Ready.Add(&j.resident.Mailbox)
	}
}

// resumed are the parked messages that go on in this round, at most ResumedPerRound: those
// that had the fewest slices for the rounds since they began, so that all take turns and
// none waits for ever. What new messages wait for is a few slices, not one of every message
// that is parked.
func (m *subnet) resumed() []*Job {
	if len(m.parked) <= ResumedPerRound {
		return m.parked
	}
	byShare := slices.Clone(m.parked)
	slices.SortStableFunc(byShare, func(a, b *Job) int {
		return cmp.Compare(a.share(m.Height), b.share(m.Height))
	})
	return byShare[:ResumedPerRound]
}

// share is how many slices a parked message had of a million rounds.
func (j *Job) share(height uint64) uint64 {
	return uint64(j.parked.slices) * 1_000_000 / max(1, height-j.began.Height)
}

func (m *subnet) end() {
	m.settleCredits()
	m.fillStreams()
	m.shed()
	for _, j := range m.parked {
		j.resident.Mailbox.Resume = false
	}
}

// within reports whether the round's limits leave room for another wave.
func (m *subnet) within() bool {
	return m.spent < m.net.config.RoundInstructions && m.executed < m.net.config.RoundMessages && m.dirtied < RoundPages
}

// nextWave begins a wave where none is under way. It is false where nothing is
// ready, or the limits leave no room; the first wave always has room. A wave in
// which nothing is left to do is over: messages that waited may be gone.
func (m *subnet) nextWave() bool {
	for {
		m.Ready.Prune(&m.Commands)
		if !m.Ready.Between() {
			return true
		}
		if m.waves > 0 && !m.within() || !m.Ready.Wave() {
			return false
		}
		m.waves++
		m.beginWave()
	}
}

// wave lets every ready canister take one message. The management canister,
// whose empty id comes first, runs before the others take theirs. It is false
// where nothing was ready.
func (m *subnet) wave() bool {
	if !m.nextWave() {
		return false
	}
	m.batch, m.running = m.batch[:0], m.running[:0]
	for {
		box := m.Ready.Next()
		if box == nil {
			break
		}
		if box == &m.Commands {
			m.command(nil)
			continue
		}
		if j := m.take(box, nil); j.runs() {
			m.batch, m.running = append(m.batch, j), append(m.running, j)
		} else {
			m.batch = append(m.batch, j)
		}
	}
	if len(m.running) > 0 {
		m.net.runner.Run(m.running)
	}
	for _, j := range m.batch {
		m.finish(j)
	}
	return true
}

// beat queues the heartbeat of every canister that has one and is running.
func (m *subnet) beat() {
	for _, r := range m.Beating {
		if rejectNotRunning(r.Canister) == nil && !r.Running {
			r.Mailbox.PushTask(intercanister.Heartbeat)
			m.Ready.Add(&r.Mailbox)
		}
	}
}
