package component

import "encoding/binary"

// importPrefix begins the names of modules in imports: the engine refuses empty ones.
const importPrefix = "."

// forEngine rewrites a core module, which was read before, into one that the engine takes: names of imported modules have
// a prefix, and a memory beside an imported one, which no instruction can use without the multi-memory proposal, is left
// out with its exports. Offsets of code change, so texts of the engine have none. A module that is not whole cannot be
// instantiated.
func forEngine(data []byte) (module []byte, whole bool) {
	r := &reader{data: data, pos: len(corePreamble), end: len(data), read: &quota{}}
	out := append(make([]byte, 0, len(data)+len(data)/16), corePreamble...)
	memoryImported := false
	whole = true
	for !r.done() {
		code := r.byte()
		body := r.within(r.u32())
		content := body.data[body.pos:body.end]
		switch code {
		case 2:
			content, memoryImported = rewriteImports(body)
		case 5:
			if memoryImported {
				whole = false
				continue
			}
		case 7:
			if !whole {
				content = rewriteExports(body)
			}
		}
		out = append(out, code)
		out = binary.AppendUvarint(out, uint64(len(content)))
		out = append(out, content...)
	}
	return out, whole
}

func rewriteImports(r *reader) (out []byte, memory bool) {
	n := r.count(maxExterns, "imports")
	out = binary.AppendUvarint(out, uint64(n))
	for range n {
		out = appendName(out, importPrefix+r.name())
		start := r.pos
		r.name()
		memory = r.coreExtern().sort == sortCoreMemory || memory
		out = append(out, r.data[start:r.pos]...)
	}
	return out, memory
}

// rewriteExports leaves out the memories that were defined.
func rewriteExports(r *reader) []byte {
	var kept []byte
	count := 0
	for range r.count(maxExterns, "exports") {
		start := r.pos
		r.name()
		sort := r.coreSort("external kind")
		if index := r.u32(); sort == sortCoreMemory && index > 0 {
			continue
		}
		count++
		kept = append(kept, r.data[start:r.pos]...)
	}
	return append(binary.AppendUvarint(nil, uint64(count)), kept...)
}

func appendName(out []byte, name string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(name))), name...)
}
