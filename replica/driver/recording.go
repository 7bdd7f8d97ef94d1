package driver

import "github.com/canisterd/canisterd/replica"

// Recording keeps the newest events of a network without a driver, such as a replay: MaxEvents of them, in
// MaxEventBytes bytes. It is an event sink.
type Recording struct{ ring recorder }

// NewRecording makes a recording without events.
func NewRecording() *Recording {
	r := new(Recording)
	r.ring.init(&Config{})
	return r
}

// Event records an event.
func (r *Recording) Event(e *replica.Event) { r.ring.Event(e) }

// Events returns the recorded events, the oldest first.
func (r *Recording) Events() (all []replica.Event) {
	r.ring.mu.Lock()
	defer r.ring.mu.Unlock()
	for _, c := range r.ring.chunks {
		all = append(all, c.events...)
	}
	return all
}
