package component

func (s *scope) defineExportAlias(offset int, a exportAlias) {
	if s.kind != scopeComponent && a.sort != sortType && a.sort != sortInstance {
		invalid(offset, "aliases in component and instance types may only refer to types or instances, not to a %s", a.sort)
	}
	exports := &at(s.instances, a.instance, offset, "instance").exports
	item, ok := exports.find(a.name)
	if !ok {
		invalid(offset, "instance %d has no export named `%s`", a.instance, a.name)
	}
	if item.sort != a.sort {
		invalid(offset, "export `%s` for instance %d is not a %s", a.name, a.instance, a.sort)
	}
	s.addItem(offset, item)
}

// addItem adds an item to the index space of its sort.
func (s *scope) addItem(offset int, e entity) {
	switch t := e.typ.(type) {
	case *moduleType:
		bounded(offset, len(s.coreModules), maxModules, "modules")
		s.coreModules = append(s.coreModules, t)
		return
	case *funcType:
		if e.sort == sortFunc {
			bounded(offset, len(s.funcs), maxFunctions, "functions")
			s.funcs = append(s.funcs, t)
			return
		}
	case *componentType:
		if e.sort == sortComponent {
			bounded(offset, len(s.components), maxComponents, "components")
			s.components = append(s.components, t)
			return
		}
	case *instanceType:
		if e.sort == sortInstance {
			s.addInstance(offset, t)
			return
		}
	}
	bounded(offset, len(s.types), maxTypes, "types")
	s.types = append(s.types, e.typ)
}

func (s *scope) defineCoreExportAlias(offset int, a coreExportAlias) {
	if s.kind != scopeComponent {
		invalid(offset, "aliases in component and instance types may only refer to types or instances, not to a %s", a.sort)
	}
	item, ok := at(s.coreInstances, a.instance, offset, "core instance").find(a.name)
	if !ok {
		invalid(offset, "core instance %d has no export named `%s`", a.instance, a.name)
	}
	if item.sort != a.sort {
		invalid(offset, "export `%s` for core instance %d is not a %s", a.name, a.instance, a.sort)
	}
	if item.sort == sortCoreFunc {
		s.addCoreFunc(offset, item.fn)
		return
	}
	bounded(offset, len(s.coreItems[item.sort]), maxTypes, "core items")
	s.coreItems[item.sort] = append(s.coreItems[item.sort], item)
}

func (s *scope) addCoreFunc(offset int, fn *coreFunc) {
	bounded(offset, len(s.coreFuncs), maxFunctions, "core functions")
	s.coreFuncs = append(s.coreFuncs, fn)
}

func (s *scope) defineOuterAlias(offset int, a outerAlias) {
	if (s.kind == scopeComponentType || s.kind == scopeInstanceType) && a.sort != sortType && a.sort != sortCoreType {
		invalid(offset, "outer aliases in component and instance types may only refer to types or instances, not to a %s", a.sort)
	}
	outer := s
	crossed := false
	for range a.count {
		crossed = crossed || outer.kind == scopeComponent
		if outer = outer.parent; outer == nil {
			invalid(offset, "invalid outer alias count of %d", a.count)
		}
	}
	switch a.sort {
	case sortCoreModule, sortComponent:
		s.addItem(offset, outer.item(offset, sortIndex{a.sort, a.index}))
	case sortCoreType:
		t := at(outer.coreTypes, a.index, offset, "type")
		if _, isModule := t.(*moduleType); isModule && s.kind == scopeModuleType {
			invalid(offset, "outer alias in a module type may not refer to a module type")
		}
		bounded(offset, len(s.coreTypes), maxTypes, "core types")
		s.coreTypes = append(s.coreTypes, t)
	case sortType:
		item := outer.item(offset, sortIndex{a.sort, a.index})
		if crossed {
			s.rejectResources(offset, item)
		}
		s.addItem(offset, item)
	}
}

// rejectResources reports types that refer to resources, which may not cross the boundary of a component.
func (s *scope) rejectResources(offset int, item entity) {
	used := map[*resource]bool{}
	s.freeResources(offset, item, used)
	if len(used) > 0 {
		invalid(offset, "cannot alias outer type which transitively refers to resources not defined in the current component")
	}
}
