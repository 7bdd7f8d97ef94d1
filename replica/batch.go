package replica

// beginBatch lets the messages from now on see what happened before.
func (m *subnet) beginBatch() {
	m.BeginBatch()
	m.Environment.MemoryUsed = m.MemoryUsed + m.config.Occupied
}
