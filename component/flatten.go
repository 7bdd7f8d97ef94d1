package component

// flatten gives the core types that a value is passed as, without memory. Its type has at most maxFlatParams of them.
func (t *valueType) flatten(flat []coreValue) []coreValue {
	switch t.kind {
	case kindPrimitive:
		switch t.prim {
		case primS64, primU64:
			return append(flat, coreI64)
		case primF32:
			return append(flat, coreF32)
		case primF64:
			return append(flat, coreF64)
		case primString:
			return append(flat, coreI32, coreI32)
		}
		return append(flat, coreI32)
	case kindRecord, kindTuple:
		for _, f := range t.fields {
			flat = f.typ.flatten(flat)
		}
		return flat
	case kindFixedList:
		for range t.length {
			flat = t.fields[0].typ.flatten(flat)
		}
		return flat
	case kindList, kindMap:
		return append(flat, coreI32, coreI32)
	case kindVariant, kindOption, kindResult:
		return t.flattenUnion(append(flat, coreI32))
	}
	return append(flat, coreI32)
}

// flattenUnion joins the types of all payloads: each core value is wide enough for those of all cases.
func (t *valueType) flattenUnion(flat []coreValue) []coreValue {
	start := len(flat)
	for _, f := range t.fields {
		if f.typ == nil {
			continue
		}
		for i, v := range f.typ.flatten(nil) {
			if start+i == len(flat) {
				flat = append(flat, v)
			} else {
				flat[start+i] = join(flat[start+i], v)
			}
		}
	}
	return flat
}

// join gives the core type that has room for values of both types.
func join(a, b coreValue) coreValue {
	switch {
	case a == b:
		return a
	case (a == coreI32 && b == coreF32) || (a == coreF32 && b == coreI32):
		return coreI32
	}
	return coreI64
}

// flatFunc describes how a component function is called as a core function.
type flatFunc struct {
	core          *coreFunc
	memory        bool // values are in memory
	realloc       bool // values are written to memory by the one who calls realloc
	paramsSpill   bool // parameters are in memory, as one tuple
	resultsSpill  bool
	paramsPointer bool
}

// callee and caller say on which side of the function the core function is.
type side bool

const (
	callee side = false // canon lift: the core function implements the component function
	caller side = true  // canon lower: the core function calls it
)

// flattenFunc gives the core signature of a component function, for a synchronous or an asynchronous definition.
func (f *funcType) flattenFunc(where side, async, callback bool) flatFunc {
	limit := uint64(maxFlatParams)
	if async && where == caller {
		limit = maxFlatAsyncParams
	}
	flat := flatFunc{core: &coreFunc{}}
	var n uint64
	for _, p := range f.params {
		n = add(n, p.typ.flat)
		flat.paramsPointer = flat.paramsPointer || p.typ.pointers
	}
	if n > limit {
		flat.paramsSpill = true
		flat.core.params = []coreValue{coreI32}
	} else {
		for _, p := range f.params {
			flat.core.params = p.typ.flatten(flat.core.params)
		}
	}
	flat.memory = flat.paramsPointer || flat.paramsSpill
	flat.realloc = flat.memory && where == callee
	f.flattenResult(&flat, where, async, callback)
	return flat
}

func (f *funcType) flattenResult(flat *flatFunc, where side, async, callback bool) {
	if f.result != nil && (where == caller || !async) {
		flat.memory = flat.memory || f.result.pointers
		flat.realloc = flat.realloc || (f.result.pointers && where == caller)
	}
	if async {
		if where == caller {
			if f.result != nil {
				flat.resultsSpill, flat.memory = true, true
				flat.core.params = append(flat.core.params, coreI32)
			}
			flat.core.results = []coreValue{coreI32}
		} else if callback {
			flat.core.results = []coreValue{coreI32}
		}
		return
	}
	switch {
	case f.result == nil:
	case f.result.flat <= maxFlatResults:
		flat.core.results = f.result.flatten(nil)
	case where == caller:
		flat.resultsSpill, flat.memory = true, true
		flat.core.params = append(flat.core.params, coreI32)
	default:
		flat.resultsSpill, flat.memory = true, true
		flat.core.results = []coreValue{coreI32}
	}
}
