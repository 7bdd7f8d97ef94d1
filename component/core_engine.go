package component

import "encoding/binary"

// importPrefix begins the names of modules in imports: the engine refuses empty ones.
const importPrefix = "."

// forEngine rewrites a core module, which was read before, into one that the engine takes: names of imported
// modules have a prefix, tables have a maximum, and there is one memory in a module. Offsets of code change, so texts of the engine have none.
func forEngine(data []byte) engineModule {
	r := &reader{data: data, pos: len(corePreamble), end: len(data), read: &quota{}}
	out := append(make([]byte, 0, len(data)+len(data)/16), corePreamble...)
	memories := 0
	for !r.done() {
		code := r.byte()
		body := r.within(r.u32())
		content := body.data[body.pos:body.end]
		switch code {
		case 2:
			content, memories = rewriteImports(body)
		case 4:
			n := body.count(maxTypes, "tables")
			content = append(binary.AppendUvarint(nil, uint64(n)), boundTables(body, n)...)
		case 5:
			memories += body.count(maxTypes, "memories")
		}
		out = appendSection(out, code, content)
	}
	if memories > 1 {
		return splitMemories(data)
	}
	return engineModule{code: out}
}

func rewriteImports(r *reader) (out []byte, memories int) {
	n := r.count(maxExterns, "imports")
	out = binary.AppendUvarint(out, uint64(n))
	for range n {
		out = appendName(out, importPrefix+r.name())
		start := r.pos
		r.name()
		if r.coreExtern().sort == sortCoreMemory {
			memories++
		}
		out = append(out, r.data[start:r.pos]...)
	}
	return out, memories
}

func appendName(out []byte, name string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(name))), name...)
}

// boundTables gives n definitions of tables with a maximum, which the engine does not have for all tables together.
func boundTables(r *reader, n int) (out []byte) {
	for range n {
		start := r.pos
		t, from, to := r.table()
		if t.limits.wide {
			out = append(out, r.data[start:r.pos]...) // the engine refuses it
			continue
		}
		out = append(out, r.data[start:from]...)
		out = t.limits.bound().append(out)
		out = append(out, r.data[to:r.pos]...)
	}
	return out
}

// bound gives the limits of a table that grows by at most maxTableGrowth elements.
func (l limits) bound() limits {
	if most := l.min + maxTableGrowth; !l.bounded || l.max > most {
		l.bounded, l.max = true, most
	}
	return l
}
