package cow

// Mark is set in a value whose content a fork shares. Source and fork each have a mark, so that neither needs a lock to
// read its own. The zero value is not set.
//
//	fork    v.mark.Share(); f := v      both are marked, and the content is read-only
//	write   if v.mark.Own() { copy }    the writer copies it and is alone again; the other keeps its mark
type Mark struct{ shared bool }

// Share sets the mark. The fork is a copy of the marked value.
func (m *Mark) Share() { m.shared = true }

// Own clears the mark and reports whether it was set: then the caller copies the content before it writes.
func (m *Mark) Own() bool {
	if m.shared {
		m.shared = false
		return true
	}
	return false
}
