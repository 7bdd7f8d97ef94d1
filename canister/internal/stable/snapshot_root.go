package stable

// SnapshotRoot has the committed bytes of a memory at one time, from which independent memories are made. It is
// immutable and may be used on any goroutine until its owner closes it.
type SnapshotRoot struct {
	space *space
	head
}

// SnapshotRoot returns the root of the committed bytes of m. Nothing is copied.
func (m *Memory) SnapshotRoot() SnapshotRoot {
	s := m.space
	s.mu.Lock()
	defer s.mu.Unlock()
	return SnapshotRoot{s, s.share(m.head)}
}

// Memory makes a memory with the bytes of the root.
func (t *SnapshotRoot) Memory() *Memory { return t.space.fork(&t.head) }

// Close releases the root; the memories stay.
func (t *SnapshotRoot) Close() {
	t.space.mu.Lock()
	defer t.space.mu.Unlock()
	t.space.leave(&t.table)
}

// share adds a user of the space, with the same bytes. Needs mu.
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
