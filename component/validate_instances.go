package component

import (
	"errors"
	"maps"
)

func (s *scope) defineInstance(offset int, d instance) {
	var t *instanceType
	switch e := d.expression.(type) {
	case instantiate:
		t = s.instantiate(offset, e)
	case inlineExports:
		t = s.synthesize(offset, e)
	}
	s.addInstance(offset, t)
}

func (s *scope) addInstance(offset int, t *instanceType) {
	bounded(offset, len(s.instances), maxInstances, "instances")
	s.instances = append(s.instances, t)
}

// synthesize gives the type of an instance of exports.
func (s *scope) synthesize(offset int, e inlineExports) *instanceType {
	t := &instanceType{}
	n := names{noun: "export", anonymous: true}
	for _, export := range e.exports {
		item := s.item(export.offset, export.item)
		n.add(export.offset, export.name, item)
		t.exports.add(export.name.name, item)
	}
	t.nodes = nodesOfExterns(offset, &t.exports)
	return t
}

// item gives the type of an item that components can import and export.
func (s *scope) item(offset int, i sortIndex) entity {
	switch i.sort {
	case sortCoreModule:
		return entity{sort: i.sort, typ: at(s.coreModules, i.index, offset, "module")}
	case sortFunc:
		return entity{sort: i.sort, typ: at(s.funcs, i.index, offset, "function")}
	case sortComponent:
		return entity{sort: i.sort, typ: at(s.components, i.index, offset, "component")}
	case sortInstance:
		return entity{sort: i.sort, typ: at(s.instances, i.index, offset, "instance")}
	case sortType:
		t := at(s.types, i.index, offset, "type")
		return entity{i.sort, t, t}
	}
	invalid(offset, "components cannot import or export items of the sort %s", i.sort)
	return entity{}
}

// instantiate checks the arguments of an instantiation, and gives the type of the instance.
func (s *scope) instantiate(offset int, e instantiate) *instanceType {
	component := at(s.components, e.component, offset, "component")
	var args externs
	for _, arg := range e.args {
		if _, taken := args.find(arg.name); taken {
			invalid(arg.offset, "instantiation argument `%s` conflicts with previous argument `%s`", arg.name, arg.name)
		}
		args.add(arg.name, s.item(arg.offset, arg.item))
	}
	c := s.compare(offset)
	c.introduce(component.imported, &component.imports, &args)
	u := s.substitute(offset)
	u.resources = maps.Clone(c.resources)
	for _, want := range component.imports.items {
		arg, ok := args.find(want.name)
		if !ok {
			invalid(offset, "missing import named `%s`", want.name)
		}
		if reason := c.mismatch(arg, want.entity); reason != "" {
			invalid(offset, "type mismatch for import `%s`: %s", want.name, errors.New(reason))
		}
		u.rename(want.entity, arg)
	}
	s.defined = append(s.defined, s.freshen(u, component.fresh)...)
	exports, _ := u.externs(&component.exports)
	return &instanceType{exports: exports, nodes: nodesOfExterns(offset, &exports)}
}
