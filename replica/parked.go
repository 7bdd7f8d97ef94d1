package replica

import "github.com/canisterd/canisterd/canister"

// catchUp brings a job that has begun again to the point where the original job was parked. It is false if its message
// ends before.
func (j *Job) catchUp() bool {
	c, p := j.Entry.Canister, j.Pauses
	status, version, messages, logs, sub := c.Status, c.Version, c.MessageBytes, c.Logs, *j.Environment
	memory := sub.MemoryUsed
	j.Environment = &sub
	sub.MemoryUsed = p.Memory
	c.Logs = canister.LogFrom(j.First.Log)
	seen := p.Seen
	for slice := range p.Slices {
		if len(seen) > 0 && seen[0].Slice == slice {
			c.Status, c.Version, c.MessageBytes = seen[0].Status, seen[0].Version, seen[0].Messages
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
