package replicatest

import (
	"fmt"

	"github.com/canisterd/canisterd/replica/introspect"
)

// held lists the held messages.
func (p *performer) held([]string) {
	for _, h := range p.stage.Introspect().Held(0, 0, introspect.MaxListed) {
		line := fmt.Sprintf("%d %s %s #%d of %s to %s", h.ID, h.Kind, h.Method, h.Call, p.name(h.Caller), p.name(h.Callee))
		switch {
		case h.Mock:
			line += fmt.Sprintf(", mocked by rule %d", h.Rule)
		case h.Rule != 0:
			line += fmt.Sprintf(", rule %d", h.Rule)
		}
		if h.Behind != 0 {
			line += fmt.Sprintf(", behind %d", h.Behind)
		}
		line += fmt.Sprintf(", %s cycles", h.Cycles)
		if h.Deadline != 0 {
			line += fmt.Sprintf(", deadline %s", since(h.Deadline))
		}
		if h.Release != 0 {
			line += fmt.Sprintf(", until %s", since(h.Release))
		}
		switch {
		case h.Reject != nil:
			line += ": " + p.short(h.Reject)
		case h.Reply != nil:
			line += fmt.Sprintf(": replied %q", h.Reply)
		default:
			line += fmt.Sprintf(": %q", h.Argument)
		}
		p.say("%s", line)
	}
}

// since formats a time of the network, relative to the start of the stage.
func since(time uint64) string {
	return fmt.Sprintf("%+ds", int64(time/1_000_000_000)-Start/1_000_000_000)
}
