package stable

// owners counts the leaves of trees that have a file page, if there are several.
type owners struct {
	chunks []*ownersChunk // by file page; nil if all pages have one owner
}

// ownersInChunk is how many file pages share one table of counts. No count depends on it.
const ownersInChunk = 256

type ownersChunk struct {
	more    [ownersInChunk]uint32 // owners beyond the first
	several int                   // pages that have some
}

// add adds an owner to a file page; page 0 means none.
func (o *owners) add(page uint32) {
	if page == 0 {
		return
	}
	i := int(page / ownersInChunk)
	if i >= len(o.chunks) {
		o.chunks = append(o.chunks, make([]*ownersChunk, i+1-len(o.chunks))...)
	}
	c := o.chunks[i]
	if c == nil {
		c = new(ownersChunk)
		o.chunks[i] = c
	}
	if c.more[page%ownersInChunk]++; c.more[page%ownersInChunk] == 1 {
		c.several++
	}
}

// drop removes an owner from a file page, and reports whether it was the last one.
func (o *owners) drop(page uint32) (last bool) {
	i := int(page / ownersInChunk)
	if i >= len(o.chunks) || o.chunks[i] == nil || o.chunks[i].more[page%ownersInChunk] == 0 {
		return true
	}
	c := o.chunks[i]
	if c.more[page%ownersInChunk]--; c.more[page%ownersInChunk] == 0 {
		if c.several--; c.several == 0 {
			o.chunks[i] = nil
		}
	}
	return false
}
