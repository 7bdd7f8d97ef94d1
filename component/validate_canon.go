package component

import "slices"

func (s *scope) defineCanonical(offset int, d canonDef) {
	options := s.options(offset, d.options)
	switch d.kind {
	case canonLift:
		s.lift(offset, d, options)
		return
	case canonLower:
		s.addBuiltin(offset, s.lower(offset, d, options))
		return
	case canonTaskReturn:
		s.addBuiltin(offset, s.taskReturn(offset, d, options))
		return
	}
	s.checkImmediates(offset, d, options)
	fn := signatures[d.kind]
	if coreValue([]byte{d.coreType}) == coreI64 { // a slot of the context
		fn = signature(map[canonKind]string{canonContextGet: ":l", canonContextSet: "l:"}[d.kind])
	}
	s.addBuiltin(offset, fn)
}

func (s *scope) addBuiltin(offset int, fn *coreFunc) {
	s.builtins = append(s.builtins, len(s.coreFuncs))
	s.addCoreFunc(offset, fn)
}

// checkImmediates checks what the built-in functions refer to.
func (s *scope) checkImmediates(offset int, d canonDef, options canonOptions) {
	switch d.kind {
	case canonResourceNew, canonResourceRep:
		if r := s.resourceAt(offset, d.typ); !s.local[r.resource] {
			invalid(offset, "type index %d is not a local resource", d.typ)
		}
	case canonResourceDrop:
		s.resourceAt(offset, d.typ)
	case canonContextGet, canonContextSet:
		s.checkContext(offset, d)
	case canonWaitableSetWait, canonWaitableSetPoll:
		s.memoryAt(offset, d.memory)
	case canonThreadNewIndirect, canonThreadSpawnIndirect, canonThreadSpawnRef:
		s.checkThread(offset, d)
	case canonStreamRead, canonStreamWrite, canonFutureRead, canonFutureWrite:
		s.checkTransfer(offset, d, options)
	case canonErrorContextNew, canonErrorContextMessage:
		options.require(offset, true, d.kind == canonErrorContextMessage)
	default:
		if kind, ok := endOf(d.kind); ok {
			s.endAt(offset, d.typ, kind)
		}
	}
}

func (s *scope) checkContext(offset int, d canonDef) {
	if t := coreValue([]byte{d.coreType}); t != coreI32 && t != coreI64 {
		invalid(offset, "context storage must be of the type i32 or i64, found %s", t)
	}
	if d.slot >= contextSlots {
		invalid(offset, "context slot %d does not exist: there are %d", d.slot, contextSlots)
	}
}

func (s *scope) checkThread(offset int, d canonDef) {
	fn := coreFuncAt(s.coreTypes, d.typ, offset)
	if !fn.equal(signature("i:")) && !fn.equal(signature("l:")) {
		invalid(offset, "start function must take a single `i32` or `i64` argument and return nothing, found %s", fn)
	}
	if d.kind == canonThreadSpawnRef {
		return
	}
	if table := at(s.coreItems[sortCoreTable], d.table, offset, "table"); table.value != coreFuncref {
		invalid(offset, "table %d must have elements of the type funcref, found %s", d.table, table.value)
	}
}

// endOf gives the type of the streams or futures that a built-in is for.
func endOf(k canonKind) (typeKind, bool) {
	switch {
	case k >= canonStreamNew && k <= canonStreamDropWritable:
		return kindStream, true
	case k >= canonFutureNew && k <= canonFutureDropWritable:
		return kindFuture, true
	}
	return 0, false
}

func (s *scope) endAt(offset int, index uint32, kind typeKind) *valueType {
	t, ok := at(s.types, index, offset, "type").(*valueType)
	if !ok || t.kind != kind {
		invalid(offset, "type index %d is not a %s type", index, kind)
	}
	return t
}

// checkTransfer checks the options of built-ins that move the elements of streams and futures.
func (s *scope) checkTransfer(offset int, d canonDef, options canonOptions) {
	kind, _ := endOf(d.kind)
	element := s.endAt(offset, d.typ, kind).fields[0].typ
	reads := d.kind == canonStreamRead || d.kind == canonFutureRead
	options.require(offset, element != nil, reads && element != nil && element.pointers)
	if options.postReturn != nil {
		invalid(offset, "canonical option `post-return` cannot be specified for %s", canonicals[d.kind].name)
	}
}

// canonOptions are the options of a canonical definition, resolved.
type canonOptions struct {
	encoding             byte
	memory, async        bool
	realloc              bool
	postReturn, callback *coreFunc
}

var encodingNames = map[byte]string{optionUTF8: "utf8", optionUTF16: "utf16", optionLatin1: "latin1-utf16"}

func (s *scope) options(offset int, list []option) (o canonOptions) {
	encoded := false
	once := func(option option, taken bool, name string) {
		if taken {
			invalid(option.offset, "canonical option `%s` is specified more than once", name)
		}
	}
	for _, option := range list {
		switch option.code {
		case optionUTF8, optionUTF16, optionLatin1:
			if encoded {
				invalid(option.offset, "canonical encoding option `%s` conflicts with option `%s`",
					encodingNames[o.encoding], encodingNames[option.code])
			}
			o.encoding, encoded = option.code, true
		case optionMemory:
			once(option, o.memory, "memory")
			s.memoryAt(option.offset, option.index)
			o.memory = true
		case optionRealloc:
			once(option, o.realloc, "realloc")
			o.realloc = true
			s.optionFunc(option, "realloc", signature("iiii:i"))
		case optionPostReturn:
			once(option, o.postReturn != nil, "post-return")
			o.postReturn = at(s.coreFuncs, option.index, option.offset, "function")
		case optionCallback:
			once(option, o.callback != nil, "callback")
			o.callback = s.optionFunc(option, "callback", signature("iii:i"))
		case optionAsync:
			once(option, o.async, "async")
			o.async = true
		}
	}
	if o.realloc && !o.memory {
		invalid(offset, "canonical option `realloc` requires `memory` to also be specified")
	}
	if o.callback != nil && !o.async {
		invalid(offset, "canonical option `callback` requires `async` to also be specified")
	}
	return o
}

func (s *scope) optionFunc(o option, name string, want *coreFunc) *coreFunc {
	fn := at(s.coreFuncs, o.index, o.offset, "function")
	if !fn.equal(want) {
		badSignature(o.offset, name, fn, want)
	}
	return fn
}

func badSignature(offset int, name string, fn, want *coreFunc) {
	invalid(offset, "canonical option `%s` uses a core function with an incorrect signature: expected %s, found %s", name, want, fn)
}

// memoryAt checks that a core memory can be used by the Canonical ABI.
func (s *scope) memoryAt(offset int, index uint32) {
	memory := at(s.coreItems[sortCoreMemory], index, offset, "memory")
	if memory.limits.wide {
		invalid(offset, "memory %d has 64-bit addresses: only 32-bit memories are supported", index)
	}
	if memory.limits.shared {
		invalid(offset, "memory %d is shared: only memories of one thread are supported", index)
	}
}

func (o canonOptions) require(offset int, memory, realloc bool) {
	if (memory || realloc) && !o.memory {
		invalid(offset, "canonical option `memory` is required")
	}
	if realloc && !o.realloc {
		invalid(offset, "canonical option `realloc` is required")
	}
}

func (s *scope) lift(offset int, d canonDef, options canonOptions) {
	fn := at(s.coreFuncs, d.function, offset, "function")
	t, ok := at(s.types, d.typ, offset, "type").(*funcType)
	if !ok {
		invalid(offset, "type index %d is not a function type", d.typ)
	}
	if options.async && !t.async {
		invalid(offset, "the `async` canonical option requires an async function type")
	}
	flat := t.flattenFunc(callee, options.async, options.callback != nil)
	options.require(offset, flat.memory, flat.realloc)
	if !slices.Equal(flat.core.params, fn.params) {
		invalid(offset, "lowered parameter types `%s` do not match parameter types `%s` of the core function",
			listed(flat.core.params), listed(fn.params))
	}
	if !slices.Equal(flat.core.results, fn.results) {
		invalid(offset, "lowered result types `%s` do not match result types `%s` of the core function",
			listed(flat.core.results), listed(fn.results))
	}
	if options.postReturn != nil {
		if options.async {
			invalid(offset, "canonical option `post-return` cannot be specified together with `async`")
		}
		if want := (&coreFunc{params: fn.results}); !options.postReturn.equal(want) {
			badSignature(offset, "post-return", options.postReturn, want)
		}
	}
	bounded(offset, len(s.funcs), maxFunctions, "functions")
	s.funcs = append(s.funcs, t)
}

func (s *scope) lower(offset int, d canonDef, options canonOptions) *coreFunc {
	t := at(s.funcs, d.function, offset, "function")
	if options.postReturn != nil {
		invalid(offset, "canonical option `post-return` cannot be specified for lowerings")
	}
	if options.callback != nil {
		invalid(offset, "canonical option `callback` cannot be specified for lowerings")
	}
	if options.async && !t.async {
		invalid(offset, "the `async` canonical option requires an async function type")
	}
	flat := t.flattenFunc(caller, options.async, false)
	options.require(offset, flat.memory, flat.realloc)
	return flat.core
}

// taskReturn gives the signature of task.return: the results of the task are its parameters.
func (s *scope) taskReturn(offset int, d canonDef, options canonOptions) *coreFunc {
	if options.postReturn != nil || options.callback != nil || options.realloc || options.async {
		invalid(offset, "task.return takes no canonical options but `memory` and the string encoding")
	}
	f := &funcType{}
	if d.result != nil {
		result := s.resolve(offset, *d.result)
		if result.borrows {
			invalid(offset, "function result cannot contain a `borrow` type")
		}
		f.params = []field{{typ: result}}
	}
	flat := f.flattenFunc(caller, false, false)
	options.require(offset, flat.memory, false)
	return flat.core
}

// listed writes types as the specification's tests do.
func listed(types []coreValue) string {
	names := map[coreValue]string{coreI32: "I32", coreI64: "I64", coreF32: "F32", coreF64: "F64"}
	text := "["
	for i, t := range types {
		if i > 0 {
			text += ", "
		}
		if name, ok := names[t]; ok {
			text += name
		} else {
			text += t.String()
		}
	}
	return text + "]"
}
