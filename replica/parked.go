package replica

import "github.com/canisterd/canisterd/canister"

// A message that is parked stands in the middle of its code, on a stack of its own that
// nobody can copy. A fork, or who reads a network from a file, begins it anew, on the
// memories its canister had before it, and runs as many slices as it had: that gives the same, for code is deterministic, if the
// message sees the same. What it may see change while it is parked is written down.

// sight is what a message sees of its canister that may change while it is parked.
type sight struct {
	slice    int // from which on
	status   canister.Status
	version  uint64
	messages uint64 // bytes of memory
	log      uint64 // number of the next record
}

// parked is what a parked message has seen so far.
type parked struct {
	slices int     // that are over
	memory uint64  // of all canisters of the subnet when it began; later it saw what Job.sub has
	seen   []sight // where it changed, at most once a slice
}

func seen(c *canister.Canister) sight {
	return sight{status: c.Status, version: c.Version, messages: c.MessageBytes, log: c.Logs.Next()}
}

// begin notes what a job is about to see of its canister.
func (j *Job) begin() { j.first = seen(j.entry.Canister) }

// pause notes that a slice of a job is over, and the message is not.
func (j *Job) pause() {
	if j.parked == nil {
		j.parked = &parked{memory: j.environment.MemoryUsed, seen: []sight{j.first}}
	}
	j.parked.slices++
}

// see notes what the next slice is about to see, where that has changed.
func (p *parked) see(c *canister.Canister) {
	now := seen(c)
	last := &p.seen[len(p.seen)-1]
	now.slice, now.log = last.slice, last.log // its own records are not news to it
	if now != *last {
		now.slice = p.slices
		p.seen = append(p.seen, now)
	}
}

// catchUp brings a job that has begun anew to where the job was parked that it stands
// for. It is false where its message ends before.
func (j *Job) catchUp() bool {
	c, p := j.entry.Canister, j.parked
	status, version, messages, logs, sub := c.Status, c.Version, c.MessageBytes, c.Logs, *j.environment
	memory := sub.MemoryUsed
	j.environment = &sub
	sub.MemoryUsed = p.memory
	c.Logs = canister.LogFrom(j.first.log)
	seen := p.seen
	for slice := range p.slices {
		if len(seen) > 0 && seen[0].slice == slice {
			c.Status, c.Version, c.MessageBytes = seen[0].status, seen[0].version, seen[0].messages
			seen = seen[1:]
		}
		if parked, alive := j.coroutine.next(); !alive || !parked {
			return false
		}
		sub.MemoryUsed = memory
	}
	c.Status, c.Version, c.MessageBytes, c.Logs = status, version, messages, logs
	return true
}
