package wasi

import "encoding/binary"

// pollFunctions wait.
func pollFunctions() []function {
	return []function{{name: "poll_oneoff", params: "iiii", body: pollOneoff}}
}

// Sizes of what poll_oneoff reads and writes, in bytes.
const (
	subscriptionBytes = 48
	eventBytes        = 32
)

// The types of events (WASI preview 1, "eventtype").
const (
	eventClock = iota
	eventRead
	eventWrite
)

// subscription is something that a program waits for.
type subscription struct {
	data  uint64 // returned with the event
	event byte
	until uint64 // ns, of a clock
	bad   errno
}

// put writes the event: user data (8), errno (2, at 8), type (1, at 10), bytes that are ready (8, at 16), flags (2).
func (s *subscription) put(to []byte) {
	clear(to[:eventBytes])
	binary.LittleEndian.PutUint64(to, s.data)
	binary.LittleEndian.PutUint16(to[8:], uint16(s.bad))
	to[10] = s.event
	if s.event == eventRead && s.bad == success {
		const hangup = 1 // the input is at its end
		to[24] = hangup
	}
}

// ready reports whether the subscription is ready at a time. Streams and invalid subscriptions always are.
func (s *subscription) ready(now uint64) bool {
	return s.event != eventClock || s.bad != success || s.until <= now
}

// pollOneoff (subscriptions, events, count, ready) waits until a subscription is ready, and writes an event for each
// that is.
func pollOneoff(c *call) errno {
	from, to, count := c.params[0], c.params[1], c.params[2]
	if count == 0 || count > maxSubscriptions {
		return invalid
	}
	c.Guest.Charge((subscriptionBytes + eventBytes) * count)
	all, bad := c.subscriptions(from, count)
	if bad != success {
		return bad
	}
	if _, bad := c.view(to, eventBytes*count); bad != success {
		return bad
	}
	if _, bad := c.view(c.params[3], 4); bad != success {
		return bad
	}
	if !c.anyReady(all) {
		if c.Sleep == nil {
			return notSupport
		}
		c.wait(all)
	}
	return c.putEvents(to, all)
}

// subscriptions reads a list of subscriptions.
func (c *call) subscriptions(ptr, count uint64) ([]subscription, errno) {
	list, bad := c.view(ptr, subscriptionBytes*count)
	if bad != success {
		return nil, bad
	}
	all := make([]subscription, count)
	for i := range all {
		all[i] = c.subscription(list[subscriptionBytes*i:])
	}
	return all, success
}

// subscription reads one: user data (8), type (1, at 8), and at 16 a clock (4), its time (8, at 24) and flags (2, at
// 40), or a descriptor (4).
func (c *call) subscription(at []byte) subscription {
	const absolute = 1
	s := subscription{data: binary.LittleEndian.Uint64(at), event: at[8]}
	subject := binary.LittleEndian.Uint32(at[16:])
	switch s.event {
	case eventClock:
		s.until = binary.LittleEndian.Uint64(at[24:])
		if binary.LittleEndian.Uint16(at[40:])&absolute == 0 {
			s.until = later(c.Time, s.until)
		}
		if subject > monotonic {
			s.bad = invalid
		}
	case eventRead:
		if subject != stdin {
			s.bad = badFile
		}
	case eventWrite:
		if subject != stdout && subject != stderr {
			s.bad = badFile
		}
	default:
		s.bad = invalid
	}
	return s
}

// later returns the time some nanoseconds after another, or the maximum if that overflows.
func later(now, after uint64) uint64 {
	if now+after < now {
		return 1<<64 - 1
	}
	return now + after
}

func (c *call) anyReady(all []subscription) bool {
	for i := range all {
		if all[i].ready(c.Time) {
			return true
		}
	}
	return false
}

// wait parks the message until the earliest time of its subscriptions.
func (c *call) wait(all []subscription) {
	until := all[0].until
	for i := range all {
		until = min(until, all[i].until)
	}
	executed := c.Guest.Executed()
	c.Guest.Suspend(func() { c.Time = c.Sleep(until, executed) })
}

// putEvents writes the events of the subscriptions that are ready, and their number.
func (c *call) putEvents(to uint64, all []subscription) errno {
	n := uint32(0)
	for i := range all {
		if !all[i].ready(c.Time) {
			continue
		}
		event, bad := c.view(to+eventBytes*uint64(n), eventBytes)
		if bad != success {
			return bad
		}
		all[i].put(event)
		n++
	}
	return c.put32(c.params[3], n)
}
