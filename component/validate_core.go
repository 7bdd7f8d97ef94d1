package component

import "errors"

func (s *scope) defineCoreModule(offset int, d coreModule) {
	bounded(offset, len(s.coreModules), maxModules, "modules")
	r := &reader{data: s.data, pos: offset, end: offset + len(d.data), read: &quota{}}
	module := r.readCoreModule()
	if err := s.checkCode(d.data); err != nil {
		invalid(offset, "core module: %v", err)
	}
	s.coreModules = append(s.coreModules, module)
}

func (s *scope) defineCoreType(offset int, body any) {
	bounded(offset, len(s.coreTypes), maxTypes, "core types")
	switch body := body.(type) {
	case coreTypeDef:
		s.coreTypes = append(s.coreTypes, body.types...)
	case moduleTypeDef:
		s.coreTypes = append(s.coreTypes, s.moduleType(body))
	}
}

// moduleType validates a module type. Its types are those that it declares or aliases.
func (s *scope) moduleType(d moduleTypeDef) *moduleType {
	inner := newScope(s.validation, scopeModuleType, s)
	t := &moduleType{}
	for _, d := range d.declarations {
		switch body := d.body.(type) {
		case coreTypeDef:
			inner.defineCoreType(d.offset, body)
		case outerAlias:
			inner.defineOuterAlias(d.offset, body)
		case moduleImport:
			t.addImport(d.offset, body.module, body.name, inner.coreExtern(d.offset, body.item))
		case moduleExport:
			if !t.exports.add(body.name, inner.coreExtern(d.offset, body.item)) {
				invalid(d.offset, "export name `%s` already defined", body.name)
			}
		}
	}
	return t
}

func (s *scope) coreExtern(offset int, ref coreExternRef) coreExtern {
	l := ref.limits
	switch ref.sort {
	case sortCoreFunc, sortCoreTag:
		ref.fn = coreFuncAt(s.coreTypes, ref.index, offset)
	case sortCoreMemory:
		if !l.wide && (l.min > maxMemoryPages || l.max > maxMemoryPages) {
			invalid(offset, "memory size must be at most %d pages (4 GiB)", maxMemoryPages)
		}
		if l.shared && !l.bounded {
			invalid(offset, "shared memory must have maximum size")
		}
	case sortCoreTable:
		if l.min > maxTableElements {
			invalid(offset, "minimum table size of %d exceeds the limit of %d", l.min, maxTableElements)
		}
	}
	if l.bounded && l.min > l.max {
		invalid(offset, "size minimum must not be greater than maximum")
	}
	return ref.coreExtern
}

func (s *scope) defineCoreInstance(offset int, d coreInstance) {
	bounded(offset, len(s.coreInstances), maxInstances, "core instances")
	var exports *coreExternMap
	switch e := d.expression.(type) {
	case coreInstantiate:
		exports = s.instantiateModule(offset, e)
	case coreExports:
		exports = &coreExternMap{}
		for _, export := range e.exports {
			if !exports.add(export.name, s.coreItem(export.offset, export.item)) {
				invalid(export.offset, "export name `%s` already defined", export.name)
			}
		}
	}
	s.coreInstances = append(s.coreInstances, exports)
}

// coreItem gives the type of an item that core instances can export.
func (s *scope) coreItem(offset int, i sortIndex) coreExtern {
	switch i.sort {
	case sortCoreFunc:
		return coreExtern{sort: sortCoreFunc, fn: at(s.coreFuncs, i.index, offset, "function")}
	case sortCoreTable, sortCoreMemory, sortCoreGlobal, sortCoreTag:
		return at(s.coreItems[i.sort], i.index, offset, i.sort.String())
	}
	invalid(offset, "core instances cannot export items of the sort %s", i.sort)
	return coreExtern{}
}

func (s *scope) instantiateModule(offset int, e coreInstantiate) *coreExternMap {
	module := at(s.coreModules, e.module, offset, "module")
	args := map[string]*coreExternMap{}
	for _, arg := range e.args {
		if _, taken := args[arg.name]; taken {
			invalid(arg.offset, "duplicate module instantiation argument named `%s`", arg.name)
		}
		args[arg.name] = at(s.coreInstances, arg.item.index, arg.offset, "core instance")
	}
	for _, want := range module.imports {
		arg, ok := args[want.module]
		if !ok {
			invalid(offset, "missing module instantiation argument named `%s`", want.module)
		}
		item, ok := arg.find(want.name)
		if !ok {
			invalid(offset, "module instantiation argument `%s` does not export an item named `%s`", want.module, want.name)
		}
		if reason := item.mismatch(want.item); reason != "" {
			invalid(offset, "type mismatch for export `%s` of module instantiation argument `%s`: %s", want.name, want.module, errors.New(reason))
		}
	}
	return &module.exports
}
