package component

// linking evaluates the definitions of a component as an instance does ([instanceState]), without running anything: items are
// what [Linking] says of them.
type linking struct {
	linking   Linking
	instances int // that were made
	elements  *elementTypes
}

// linkedScope is an instance of a component.
type linkedScope struct {
	indexSpaces[linkedItem, CoreItem]
	linking *linking
	scope   *scope

	coreInstances              []linkedCore
	imported, exported, nested int // definitions that were evaluated
	exports                    *linkedExports
}

// linkedCode is a core module.
type linkedCode struct {
	data []byte
	typ  *moduleType
}

// linkedCore is a core instance: the exports of a module's instance, or items by their names.
type linkedCore struct {
	module int
	items  map[string]CoreItem // nil for an instance of a module
}

func (c linkedCore) item(name string) CoreItem {
	if c.items != nil {
		return c.items[name]
	}
	return CoreItem{Module: c.module, Name: name}
}

func (l *linking) countInstance() {
	l.instances++
	if l.instances > maxTreeInstances {
		invalid(0, "the component makes more than the limit of %d instances", maxTreeInstances)
	}
}

func (l *linking) instantiate(code *linkedComponent, args map[string]linkedItem) *linkedExports {
	l.countInstance()
	s := &linkedScope{indexSpaces: indexSpacesIn(code.outer), linking: l, scope: code.scope, exports: &linkedExports{}}
	for _, d := range code.scope.definitions {
		s.define(d.body, args)
	}
	return s.exports
}

func (s *linkedScope) define(body any, args map[string]linkedItem) {
	switch body := body.(type) {
	case coreModule:
		s.add(sortCoreModule, linkedItem{module: &linkedCode{body.data, s.scope.coreModules[len(s.items[sortCoreModule])]}})
	case coreInstance:
		s.coreInstances = append(s.coreInstances, s.coreInstance(body))
	case nested:
		s.add(sortComponent, linkedItem{component: &linkedComponent{s.scope.nested[s.nested], &s.indexSpaces}})
		s.nested++
	case instance:
		s.add(sortInstance, linkedItem{instance: s.instance(body)})
	case exportAlias:
		s.add(body.sort, s.items[sortInstance][body.instance].instance.find(body.name))
	case coreExportAlias:
		s.addCore(body.sort, s.coreInstances[body.instance].item(body.name))
	case outerAlias:
		s.outerAlias(body)
	case typeDef:
		s.add(sortType, linkedItem{resource: s.resource(body.body)})
	case canonDef:
		s.canonical(body)
	case importDef:
		declared := s.scope.imports.items[s.imported]
		s.imported++
		s.add(declared.sort, args[declared.name])
	case exportDef:
		declared := s.scope.exports.items[s.exported]
		s.exported++
		item := s.item(body.item)
		s.exports.add(declared.name, item)
		s.add(declared.sort, item)
	}
}

func (s *linkedScope) instance(d instance) *linkedExports {
	switch e := d.expression.(type) {
	case instantiate:
		args := map[string]linkedItem{}
		for _, arg := range e.args {
			args[arg.name] = s.item(arg.item)
		}
		return s.linking.instantiate(s.items[sortComponent][e.component].component, args)
	case inlineExports:
		exports := &linkedExports{}
		for _, export := range e.exports {
			exports.add(export.name.name, s.item(export.item))
		}
		return exports
	}
	return nil
}

func (s *linkedScope) coreInstance(d coreInstance) linkedCore {
	switch e := d.expression.(type) {
	case coreInstantiate:
		return s.coreInstantiate(e)
	case coreExports:
		items := map[string]CoreItem{}
		for _, export := range e.exports {
			items[export.name] = s.coreItem(export.item)
		}
		return linkedCore{items: items}
	}
	return linkedCore{}
}

func (s *linkedScope) coreInstantiate(e coreInstantiate) linkedCore {
	s.linking.countInstance()
	code := s.items[sortCoreModule][e.module].module
	args := map[string]linkedCore{}
	for _, arg := range e.args {
		args[arg.name] = s.coreInstances[arg.item.index]
	}
	if code == nil {
		invalid(0, "the component instantiates a core module that it imports, which only a host can supply")
	}
	m := LinkedModule{code.data, map[CoreImport]CoreItem{}}
	for _, i := range code.typ.imports {
		m.Imports[CoreImport{i.module, i.name}] = args[i.module].item(i.name)
	}
	all := &s.linking.linking
	all.Modules = append(all.Modules, m)
	return linkedCore{module: len(all.Modules) - 1}
}

func (s *linkedScope) canonical(d canonDef) {
	if d.kind == canonLift {
		core, typ := s.core[sortCoreFunc][d.function], s.scope.funcs[len(s.items[sortFunc])]
		s.add(sortFunc, linkedItem{function: &ComponentFunc{Core: &core, Type: *describeFunc(typ), Options: s.options(d.options)}})
		return
	}
	typ := s.scope.coreFuncs[len(s.core[sortCoreFunc])]
	c := &Canon{Name: canonicals[d.kind].name, Params: engineTypes(typ.params), Results: engineTypes(typ.results), Slot: d.slot, Options: s.options(d.options)}
	switch d.kind {
	case canonLower:
		c.Func = s.items[sortFunc][d.function].function
	case canonResourceNew, canonResourceDrop, canonResourceRep:
		c.Resource, c.Own = Type{s.scope.resourceAt(0, d.typ).resource}, s.items[sortType][d.typ].resource
	case canonTaskReturn:
		if d.result != nil {
			c.Result = describeType(s.scope.resolve(0, *d.result))
		}
	case canonWaitableSetWait, canonWaitableSetPoll:
		c.Options.Memory = &s.core[sortCoreMemory][d.memory]
	}
	if d.kind >= canonStreamNew && d.kind <= canonFutureDropWritable {
		c.Element = s.linking.elements.of(s.scope.types[d.typ].(*valueType).fields[0].typ)
		c.Options.Async = c.Options.Async || d.flag
	}
	s.addCore(sortCoreFunc, CoreItem{Canon: c})
}

// resource gives the resource of a type definition, nil for another one.
func (s *linkedScope) resource(body any) *OwnResource {
	d, ok := body.(resourceDef)
	switch {
	case !ok:
		return nil
	case d.destructor == nil:
		return &OwnResource{}
	}
	destructor := s.core[sortCoreFunc][*d.destructor]
	return &OwnResource{&destructor}
}

func (s *linkedScope) options(list []option) CanonOptions {
	o := CanonOptions{UTF8: true}
	for _, option := range list {
		function := func() *CoreItem { f := s.core[sortCoreFunc][option.index]; return &f }
		switch option.code {
		case optionUTF16, optionLatin1:
			o.UTF8 = false
		case optionMemory:
			memory := s.core[sortCoreMemory][option.index]
			o.Memory = &memory
		case optionRealloc:
			o.Realloc = function()
		case optionPostReturn:
			o.PostReturn = function()
		case optionAsync:
			o.Async = true
		case optionCallback:
			o.Callback = function()
		}
	}
	return o
}
