package components

import (
	"strings"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
	"github.com/canisterd/canisterd/component"
)

// canonical returns the place of the function of a canonical definition.
func (l *linker) canonical(c *component.Canon) uint32 {
	place, ok := l.functionOf[c]
	if !ok {
		place = l.define(c)
		l.functionOf[c] = place
		l.canons = append(l.canons, c)
	}
	return place
}

func (l *linker) define(c *component.Canon) uint32 {
	typ := functionType(c.Params, c.Results)
	checkEncoding(c.Options)
	switch {
	case strings.HasPrefix(c.Name, "stream.") || strings.HasPrefix(c.Name, "future."):
		return l.endFunction(c, typ)
	case c.Own != nil:
		return l.resourceFunction(c, typ)
	}
	switch c.Name {
	case "lower":
		return l.lower(c, typ)
	case "resource.drop":
		return l.drop(c, typ)
	case "task.return":
		place := l.add(c.Name, typ, nil)
		store := l.storeSlots(c.Params)
		l.setBody(place, 0, store.i32(int32(l.tables.typ(c.Result))).call(l.of("task_return")))
		return place
	case "context.get", "context.set":
		if strings.IndexByte(typ[1:], typeI64) >= 0 {
			refuse("the component keeps numbers of 64 bits in its context; the limit is 32 bits")
		}
		place := l.add(c.Name, typ, nil)
		get := code{}.i32(int32(c.Slot))
		if len(c.Params) > 0 {
			get = get.get(0)
		}
		l.setBody(place, 0, get.call(l.of(c.Name)))
		return place
	}
	place, has, ok := l.runtimeFunction(c.Name)
	if !ok || has != typ {
		refuse("the component uses %s, which components that are canisters cannot use", c.Name)
	}
	return place
}

func checkEncoding(o component.CanonOptions) {
	if !o.UTF8 {
		refuse("the component has strings that are not in UTF-8, which components that are canisters cannot have")
	}
}

// lower returns the function of ic:canister that a component calls.
func (l *linker) lower(c *component.Canon, typ string) uint32 {
	if c.Func.Import == "" {
		refuse("the component contains components that call each other, which is not supported in canisters")
	}
	wasi, isWASI := ofWASI(c.Func.Import)
	f := networkFunction{}
	if !isWASI {
		f = importedFunction(c.Func)
	}
	if c.Options.Async != f.async {
		refuse("the component calls %s in another way than it must: only calls#call is asynchronous", c.Func.Import)
	}
	if isWASI {
		return l.wasiImport(c, wasi, typ)
	}
	return l.typed(f.name, typ)
}

// typed returns the function of the runtime for one of a known type.
func (l *linker) typed(name, typ string) uint32 {
	place, has, ok := l.runtimeFunction(name)
	if !ok || has != typ {
		panic("the runtime has another function " + name)
	}
	return place
}

// storeSlots stores parameters in the slots.
func (l *linker) storeSlots(params []byte) (c code) {
	for i, t := range params {
		c = c.global(l.own.slots).get(uint32(i)).access(stores[t], uint32(i)*slotBytes)
	}
	return c
}

// loadSlots does the opposite.
func (l *linker) loadSlots(params []byte) (c code) {
	for i, t := range params {
		c = c.global(l.own.slots).access(loads[t], uint32(i)*slotBytes)
	}
	return c
}

// toI64 makes a result a number of 64 bits, and fromI64 does the opposite.
func (c code) toI64(results []byte) code {
	if len(results) == 0 {
		return c.op(opI64Const, 0)
	}
	return c.op(map[byte][]byte{
		typeI32: {opI64ExtendI32U}, typeF32: {opI32Reinterpret, opI64ExtendI32U}, typeF64: {opI64Reinterpret},
	}[results[0]]...)
}

func (c code) fromI64(params []byte) code {
	if len(params) == 0 {
		return c.op(wasmfile.OpDrop)
	}
	return c.op(map[byte][]byte{
		typeI32: {opI32WrapI64}, typeF32: {opI32WrapI64, opF32Reinterpret}, typeF64: {opF64Reinterpret},
	}[params[0]]...)
}

// program returns the place of a function that the runtime imports from the program. generate writes the bodies.
func (l *linker) program(name, typ string) uint32 {
	if name == "realloc" {
		l.realloc = l.findRealloc(typ)
		return l.realloc
	}
	place := l.add(name, typ, nil)
	l.dispatchers[name] = place
	return place
}

// generate writes the functions with which the runtime calls the program, and the start function.
func (l *linker) generate() {
	var invoke, callback, postReturn code
	for i, x := range l.exported {
		f := x.function
		params, results := signature(l.typeOfFunction(*f.Core))
		number := int32(i)
		invoke = invoke.when(0, number, l.loadSlots(params).call(l.function(*f.Core)).toI64(results).op(opReturn))
		if f.Options.Callback != nil {
			callback = callback.when(0, number, code{}.get(1).get(2).get(3).call(l.function(*f.Options.Callback)).op(opReturn))
		}
		if f.Options.PostReturn != nil {
			params, _ := signature(l.typeOfFunction(*f.Options.PostReturn))
			postReturn = postReturn.when(0, number, code{}.get(1).fromI64(params).call(l.function(*f.Options.PostReturn)))
		}
	}
	l.setBody(l.dispatchers["invoke"], 0, invoke.op(wasmfile.OpUnreachable))
	l.setBody(l.dispatchers["callback"], 0, callback.op(wasmfile.OpUnreachable))
	l.setBody(l.dispatchers["post_return"], 0, postReturn)
	l.generateImportRealloc()
	l.generateStart()
}
