package candid

// appendHeader appends the magic bytes, the type table and the argument types.
func appendHeader(b []byte, types []*Type) []byte {
	w := tableWriter{index: make(map[*Type]int)}
	for _, t := range types {
		w.note(t)
	}
	var entries []byte
	for i := 0; i < len(w.queue); i++ {
		entries = w.entry(entries, w.queue[i])
	}
	b = append(b, magic...)
	b = appendUleb(b, uint64(len(w.queue)))
	b = append(b, entries...)
	return w.list(b, types)
}

// tableWriter numbers the types of a table in the order of their first use. It uses a queue instead of recursion: types
// may nest to any depth.
type tableWriter struct {
	index map[*Type]int
	queue []*Type
}

// note numbers a type if it needs a number.
func (w *tableWriter) note(t *Type) int {
	t = t.resolve()
	if t.kind == KindFuture {
		return -int(KindReserved)
	}
	if t.kind.primitive() {
		return -int(t.kind)
	}
	i, ok := w.index[t]
	if !ok {
		i = len(w.queue)
		w.index[t] = i
		w.queue = append(w.queue, t)
	}
	return i
}

func (w *tableWriter) ref(b []byte, t *Type) []byte { return appendSleb(b, int64(w.note(t))) }

func (w *tableWriter) list(b []byte, types []*Type) []byte {
	b = appendUleb(b, uint64(len(types)))
	for _, t := range types {
		b = w.ref(b, t)
	}
	return b
}

func (w *tableWriter) entry(b []byte, t *Type) []byte {
	b = appendSleb(b, -int64(t.kind))
	switch t.kind {
	case KindOpt, KindVec:
		return w.ref(b, t.elem)
	case KindRecord, KindVariant:
		b = appendUleb(b, uint64(len(t.fields)))
		for _, f := range t.fields {
			b = w.ref(appendUleb(b, uint64(f.ID)), f.Type)
		}
	case KindFunc:
		b = w.list(w.list(b, t.fn.Args), t.fn.Results)
		b = appendUleb(b, uint64(len(t.fn.Annotation.words())))
		for i := range 3 {
			if t.fn.Annotation&(1<<i) != 0 {
				b = append(b, byte(i+1))
			}
		}
	case KindService:
		b = appendUleb(b, uint64(len(t.methods)))
		for _, m := range t.methods {
			b = append(appendUleb(b, uint64(len(m.Name))), m.Name...)
			b = w.ref(b, m.Type)
		}
	}
	return b
}
