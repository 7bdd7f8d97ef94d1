package stable

// Moment is the committed bytes of a memory at one time, of which memories are made that go their own way from there. It never changes and may
// be used on any goroutine until whoever has it closes it.
type Moment struct {
	space *space
	head
}

// Moment is that of the committed bytes of m. Nothing is copied.
func (m *Memory) Moment() Moment {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	return Moment{s, s.share(m.head)}
}

// Memory makes a memory with the bytes of the moment.
func (t *Moment) Memory() *Memory { return t.space.fork(&t.head) }

// Close gives everything back; the memories stay.
func (t *Moment) Close() {
	t.space.mu.Lock()
	defer t.space.mu.Unlock()
	t.space.leave(&t.table)
}

// share is one more use of the space, with the same bytes. Needs mu.
func (s *space) share(h *head) head {
	s.users++
	return head{h.table.share(), h.size, h.written}
}

// fork makes a memory with the bytes of a head of the space.
func (s *space) fork(h *head) *Memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &Memory{space: s, own: s.share(h), size: h.size}
	f.head = &f.own
	return f
}
