package component

import (
	"context"
	"encoding/binary"
	"strconv"

	"github.com/tetratelabs/wazero/api"
)

// coreItem is an item of a core index space: an export of a module of the engine.
type coreItem struct {
	module api.Module
	name   string
	typ    coreExtern
	direct func(ctx context.Context, stack []uint64) // of a function that a canonical definition makes
}

// coreFunction calls a core function. The engine's functions are not re-entrant, so there is one for each call that runs.
type coreFunction struct {
	direct func(ctx context.Context, stack []uint64)
	module api.Module
	name   string
	idle   []api.Function
}

// call runs the function with its parameters on the stack, and leaves its results there.
func (f *coreFunction) call(ctx context.Context, stack []uint64) (err error) {
	if f.direct != nil {
		defer trapped(&err)
		f.direct(ctx, stack)
		return nil
	}
	var fn api.Function
	if n := len(f.idle); n > 0 {
		fn, f.idle = f.idle[n-1], f.idle[:n-1]
	} else {
		fn = f.module.ExportedFunction(f.name)
	}
	err = fn.CallWithStack(ctx, stack)
	if err == nil {
		f.idle = append(f.idle, fn)
	}
	return err
}

// callable gives a core function that Go code can call.
func (s *instanceState) callable(index uint32) *coreFunction {
	item := s.core[sortCoreFunc][index]
	if item.direct != nil {
		return &coreFunction{direct: item.direct}
	}
	if _, _, imported := item.module.ExportedFunctionDefinitions()[item.name].Import(); !imported {
		return &coreFunction{module: item.module, name: item.name}
	}
	// It may be a function of the host, which the engine lets only core code call.
	caller := s.link([]coreItem{item}, func(w *linkWriter) { w.forward() })
	return &coreFunction{module: caller, name: "0"}
}

// linkWriter writes a core module that imports items, the i-th as the item i of the module i.
type linkWriter struct {
	items   []coreItem
	types   []byte // of functions and tags, one for each item
	imports []byte
	rest    []byte // sections after the imports
}

// export makes the module export its imports under names.
func (w *linkWriter) export(names []string) {
	counts := map[sort]uint64{}
	exports := binary.AppendUvarint(nil, uint64(len(w.items)))
	for i, item := range w.items {
		exports = append(appendName(exports, names[i]), byte(item.typ.sort-coreSort))
		exports = binary.AppendUvarint(exports, counts[item.typ.sort])
		counts[item.typ.sort]++
	}
	w.rest = appendSection(w.rest, 7, exports)
}

// forward makes the module define and export a function that calls its only import.
func (w *linkWriter) forward() {
	body := []byte{0} // no locals
	for i := range w.items[0].typ.fn.params {
		body = binary.AppendUvarint(append(body, 0x20), uint64(i))
	}
	body = append(body, 0x10, 0, 0x0b)
	w.rest = appendSection(w.rest, 3, []byte{1, 0})
	w.rest = appendSection(w.rest, 7, append(appendName([]byte{1}, "0"), byte(sortCoreFunc-coreSort), 1))
	w.rest = appendSection(w.rest, 10, append([]byte{1}, appendName(nil, string(body))...))
}

func appendSection(out []byte, code byte, content []byte) []byte {
	out = binary.AppendUvarint(append(out, code), uint64(len(content)))
	return append(out, content...)
}

func (w *linkWriter) add(item coreItem) {
	place := uint64(len(w.items))
	w.items = append(w.items, item)
	w.imports = appendName(w.imports, importPrefix+strconv.FormatUint(place, 10))
	w.imports = append(appendName(w.imports, item.name), byte(item.typ.sort-coreSort))
	fn := item.typ.fn
	switch item.typ.sort {
	case sortCoreFunc:
		w.imports = binary.AppendUvarint(w.imports, place)
	case sortCoreTag:
		w.imports = binary.AppendUvarint(append(w.imports, 0), place)
	case sortCoreGlobal:
		w.imports = append(append(w.imports, item.typ.value...), flagByte(item.typ.mutable))
	case sortCoreTable:
		w.imports = item.typ.limits.append(append(w.imports, item.typ.value...))
	case sortCoreMemory:
		w.imports = item.typ.limits.append(w.imports)
	}
	if fn == nil {
		fn = &coreFunc{} // keeps the places of items and types the same
	}
	w.types = fn.append(w.types)
}

func flagByte(set bool) byte {
	if set {
		return 1
	}
	return 0
}

func (f *coreFunc) append(out []byte) []byte {
	out = append(out, 0x60)
	for _, types := range [][]coreValue{f.params, f.results} {
		out = binary.AppendUvarint(out, uint64(len(types)))
		for _, t := range types {
			out = append(out, t...)
		}
	}
	return out
}

func (l limits) append(out []byte) []byte {
	out = append(out, flagByte(l.bounded)|flagByte(l.shared)<<1)
	out = binary.AppendUvarint(out, l.min)
	if l.bounded {
		out = binary.AppendUvarint(out, l.max)
	}
	return out
}

// link instantiates a module that imports items.
func (s *instanceState) link(items []coreItem, finish func(w *linkWriter)) api.Module {
	w := &linkWriter{}
	for _, item := range items {
		w.add(item)
	}
	finish(w)
	count := binary.AppendUvarint(nil, uint64(len(items)))
	module := appendSection(append([]byte{}, corePreamble...), 1, append(count[:len(count):len(count)], w.types...))
	module = appendSection(module, 2, append(count[:len(count):len(count)], w.imports...))
	module = append(module, w.rest...)
	compiled, err := s.host.component.link(s.host.ctx, module)
	if err != nil {
		trap("linking %d core items: %v", len(items), err)
	}
	return s.instantiateCore(s.host.ctx, compiled, func(name string) api.Module {
		place, err := strconv.Atoi(name)
		if err != nil || place >= len(items) {
			return nil
		}
		return items[place].module
	})
}
