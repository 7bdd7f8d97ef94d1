package rewrite

// limits reads the size bounds of a table or memory.
func (s *source) limits(r *reader, what string) limits {
	at := r.pos
	flags := r.byte()
	if r.err == nil && flags > 7 {
		r.failAt(at, "invalid "+what+" limits flags")
	}
	if r.err == nil && flags&2 != 0 {
		r.failAt(at, sharedText(what))
	}
	l := limits{hasMax: flags&1 != 0, wide: flags&4 != 0}
	read := func() uint64 {
		if l.wide {
			return r.u64()
		}
		return uint64(r.u32())
	}
	l.min = read()
	if l.hasMax {
		l.max = read()
		if r.err == nil && l.min > l.max {
			r.failAt(at, "size minimum must not be greater than maximum")
		}
	}
	return l
}

func (s *source) table(r *reader) table {
	at := r.pos
	elem := s.valueType(r)
	if r.err == nil && !elem.reference() {
		r.failAt(at, "malformed reference type")
	}
	t := table{elem, s.limits(r, "table")}
	if r.err == nil && t.limits.min > maxEngineElements {
		r.failAt(at, "minimum table size is out of bounds")
	}
	return t
}

func (s *source) memory(r *reader) limits {
	at := r.pos
	l := s.limits(r, "memory")
	most, text := uint64(narrowMaxPages), "memory size must be at most 65536 pages (4GiB)"
	if l.wide {
		most, text = 1<<48, "memory size must be at most 2**48 pages"
	}
	if r.err == nil && (l.min > most || l.max > most) {
		r.failAt(at, text)
	}
	return l
}

func (s *source) globalType(r *reader) global {
	g := global{value: s.valueType(r)}
	switch m := r.byte(); {
	case r.err != nil:
	case m == 1:
		g.mutable = true
	case m != 0:
		r.failAt(r.pos-1, "malformed mutability")
	}
	return g
}

func (s *source) importSection(r *reader) {
	for range r.count(maxImports, "imports") {
		at := r.pos
		item := importItem{module: r.name(maxStringBytes), name: r.name(maxStringBytes)}
		item.kind = r.byte()
		if r.err != nil {
			return
		}
		switch item.kind {
		case kindFunction:
			item.index = s.typeIndex(r)
			s.functions = append(s.functions, item.index)
		case kindTable:
			item.index = uint32(len(s.tables))
			s.tables = append(s.tables, s.table(r))
		case kindMemory:
			item.index = uint32(len(s.memories))
			s.memories = append(s.memories, s.memory(r))
		case kindGlobal:
			item.index = uint32(len(s.globals))
			s.globals = append(s.globals, s.globalType(r))
		case kindTag:
			r.failAt(at, "exceptions proposal not enabled")
		default:
			r.failAt(r.pos-1, "malformed import kind")
		}
		s.imports = append(s.imports, item)
		if r.err != nil {
			return
		}
	}
	s.importedFunctions, s.importedTables = len(s.functions), len(s.tables)
	s.importedMemories, s.importedGlobals = len(s.memories), len(s.globals)
	s.checkCounts(r)
}

// checkCounts enforces the engine's limits on tables and memories.
func (s *source) checkCounts(r *reader) {
	if r.err == nil && len(s.memories) > 1 {
		r.fail("multiple memories")
	}
	if r.err == nil && len(s.tables) > maxEngineTables {
		r.fail("tables count exceeds limit of " + decimal(maxEngineTables))
	}
}

func (s *source) tableSection(r *reader) {
	for range r.count(maxEngineTables, "tables") {
		s.tables = append(s.tables, s.table(r))
		if r.err != nil {
			return
		}
	}
	s.checkCounts(r)
}

func (s *source) memorySection(r *reader) {
	for range r.count(maxEngineTables, "memories") {
		s.memories = append(s.memories, s.memory(r))
		if s.checkCounts(r); r.err != nil {
			return
		}
	}
}

func (s *source) globalSection(r *reader) {
	for range r.count(maxEngineItems, "globals") {
		g := s.globalType(r)
		_, g.init = s.constantExpression(r, g.value, nil)
		if r.err != nil {
			return
		}
		s.globals = append(s.globals, g)
	}
}

func (s *source) exportSection(r *reader) {
	n := r.count(maxExports, "exports")
	seen := make(map[string]struct{}, n)
	for range n {
		at := r.pos
		e := exportItem{name: r.name(maxStringBytes), kind: r.byte()}
		index := r.pos
		e.index = r.u32()
		if r.err != nil {
			return
		}
		var size int
		var what string
		switch e.kind {
		case kindFunction:
			size, what = len(s.functions), "function"
		case kindTable:
			size, what = len(s.tables), "table"
		case kindMemory:
			size, what = len(s.memories), "memory"
		case kindGlobal:
			size, what = len(s.globals), "global"
		default:
			r.failAt(at, "malformed export kind")
			return
		}
		if uint64(e.index) >= uint64(size) {
			r.failAt(index, "unknown "+what+" "+decimal(uint64(e.index))+": exported "+what+" index out of bounds")
			return
		}
		if _, dup := seen[e.name]; dup {
			r.failAt(at, "duplicate export name `"+e.name+"` already defined")
			return
		}
		seen[e.name] = struct{}{}
		if e.kind == kindFunction {
			s.declare(e.index)
		}
		s.exports = append(s.exports, e)
	}
}

func (s *source) startSection(r *reader) {
	at := r.pos
	i := s.functionIndex(r)
	if r.err != nil {
		return
	}
	if t := s.types[s.functions[i]]; t.params != "" || t.results != "" {
		r.failAt(at, "invalid start function type")
		return
	}
	s.start = int64(i)
}

func (s *source) dataSection(r *reader) {
	for range r.count(maxDataSegments, "data segments") {
		d := dataSegment{at: r.pos}
		flags := r.u32()
		if r.err == nil && flags > 2 {
			r.failAt(d.at, "invalid flag byte in data segment")
		}
		if d.active = flags != 1; d.active {
			memory := uint32(0)
			if flags == 2 {
				memory = r.u32()
			}
			if r.err == nil && int64(memory) >= int64(len(s.memories)) {
				r.failAt(d.at, "unknown memory "+decimal(uint64(memory)))
			}
			if r.err == nil {
				d.offset, _ = s.constantExpression(r, s.memories[memory].index(), nil)
				if r.err == nil && s.memories[memory].wide && d.offset.opcode == opGlobalGet {
					r.failAt(d.at, "offset of a data segment of a 64-bit memory taken from a global is not supported here")
				}
			}
		}
		d.bytes = r.bytes(int(r.u32()))
		if r.err != nil {
			return
		}
		s.data = append(s.data, d)
	}
}

func sharedText(what string) string {
	if what == "memory" {
		return "threads must be enabled for shared memories"
	}
	return "threads must be enabled for shared tables"
}
