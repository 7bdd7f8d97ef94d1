package replica

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/timers"
)

// waits reports whether the message of a job waits for a time.
func (j *Job) waits() bool { return j.Until != 0 }

// sleep adds the deadline at which a parked message resumes.
func (s *subnet) sleep(j *Job) {
	s.waiting++
	j.Alarm = s.Deadlines.Add(timers.Deadline{At: j.Until, Kind: timers.Wake, Subject: j.Entry.ID()})
}

// wake resumes the message of a canister that waits for a time.
func (s *subnet) wake(id principal.Principal) {
	at, found := slices.BinarySearchFunc(s.paused, id, func(j *Job, id principal.Principal) int { return j.Entry.ID().Compare(id) })
	if !found || !s.paused[at].waits() {
		return
	}
	s.waiting--
	j := s.paused[at]
	j.Wake(s.Time)
	j.woke = s.Time
}

// awake returns the parked messages that wait only for their turn. It allocates nothing if all or none of them wait for
// a time.
func (s *subnet) awake() []*Job {
	switch s.waiting {
	case 0:
		return s.paused
	case len(s.paused):
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.paused), (*Job).waits)
}

// catchUp runs a restarted job to the point where the original job was parked. It returns false if the message ends
// before that point.
func (j *Job) catchUp() bool {
	c, p := j.Entry.Canister, j.Pauses
	status, version, messages, logs, sub := c.Status, c.Version, c.MessageBytes, c.Logs, *j.Environment
	memory := sub.MemoryUsed
	j.Environment = &sub
	sub.MemoryUsed = p.Memory
	before := true // the point where the original was parked: what it has printed is not printed again
	sub.Print = func(canister principal.Principal, text []byte) {
		if printed := j.subnet.net.config.Printed; printed != nil && !before {
			printed(canister, text)
		}
	}
	c.Logs = canister.LogFrom(j.First.Log)
	seen, wakes, until := p.Seen, p.Wakes, j.Until
	for slice := range p.Slices {
		if len(seen) > 0 && seen[0].Slice == slice {
			c.Status, c.Version, c.MessageBytes = seen[0].Status, seen[0].Version, seen[0].Messages
			seen = seen[1:]
		}
		if len(wakes) > 0 && wakes[0].Slice == slice {
			j.woke, wakes = wakes[0].Time, wakes[1:]
		}
		if parked, alive := j.coroutine.next(); !alive || !parked {
			return false
		}
		sub.MemoryUsed = memory
	}
	if len(wakes) > 0 {
		j.woke = wakes[0].Time
	}
	before, j.Until = false, until
	c.Status, c.Version, c.MessageBytes, c.Logs = status, version, messages, logs
	return true
}

// RunningSince reports whether a message that began at a height or before is parked and could resume.
func (n *Network) RunningSince(height uint64) bool {
	for _, m := range n.subnets {
		for _, j := range m.paused {
			if !j.waits() && j.Began.Height <= height {
				return true
			}
		}
	}
	return false
}
