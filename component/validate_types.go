package component

// typeDefinition validates a type.
func (s *scope) typeDefinition(offset int, body any) anyType {
	switch body := body.(type) {
	case resourceDef:
		return s.defineResource(offset, body)
	case funcDef:
		return s.funcType(offset, body)
	case componentTypeDef:
		inner := s.declare(scopeComponentType, body.declarations)
		return inner.finish(offset)
	case instanceTypeDef:
		return s.declare(scopeInstanceType, body.declarations).finishInstance(offset)
	}
	return s.valueType(offset, body.(valueTypeDef))
}

func (s *scope) declare(kind scopeKind, declarations []definition) *scope {
	inner := newScope(s.validation, kind, s)
	for _, d := range declarations {
		inner.define(d)
	}
	return inner
}

// finishInstance gives the instance type whose declarations are all valid.
func (s *scope) finishInstance(offset int) *instanceType {
	t := &instanceType{exports: s.exports, nodes: nodesOfExterns(offset, &s.exports)}
	named := s.namedResources(offset, &s.exports)
	for _, r := range s.defined {
		t.fresh = append(t.fresh, resourcePath{r, named[r]})
	}
	return t
}

func (s *scope) defineResource(offset int, d resourceDef) *resourceType {
	if s.kind != scopeComponent {
		invalid(offset, "resources can only be defined within a concrete component")
	}
	if coreValue([]byte{d.rep}) != coreI32 {
		invalid(offset, "resources can only be represented by `i32`")
	}
	r := &resource{}
	if d.destructor != nil {
		r.destructor = at(s.coreFuncs, *d.destructor, offset, "function")
		if !r.destructor.equal(signature("i:")) {
			invalid(offset, "wrong signature for a destructor: expected (func (param i32)), found %s", r.destructor)
		}
	}
	s.defined = append(s.defined, r)
	s.local[r] = true
	return &resourceType{r}
}

func (s *scope) funcType(offset int, d funcDef) *funcType {
	t := &funcType{async: d.async, nodes: 1}
	labels := labels{what: "function parameter name", previous: "parameter name"}
	for _, p := range d.params {
		labels.add(offset, p.name)
		v := s.resolve(offset, *p.typ)
		t.params = append(t.params, field{p.name, v})
		t.nodes = add(t.nodes, v.nodes)
	}
	if d.result != nil {
		t.result = s.resolve(offset, *d.result)
		if t.result.borrows {
			invalid(offset, "function result cannot contain a `borrow` type")
		}
		t.nodes = add(t.nodes, t.result.nodes)
	}
	if t.nodes > maxTypeSize {
		invalid(offset, "effective type size exceeds the limit of %d", maxTypeSize)
	}
	return t
}

// resolve gives the value type that a reference means.
func (s *scope) resolve(offset int, ref valueRef) *valueType {
	if ref.primitive != 0 {
		return primitiveTypes[ref.primitive]
	}
	t, ok := at(s.types, ref.index, offset, "type").(*valueType)
	if !ok {
		invalid(offset, "type index %d is not a defined type", ref.index)
	}
	return t
}

// labelRules has what the names in a type are called in faults, and how many a type must have at least.
var labelRules = map[typeKind]labels{
	kindRecord:  {what: "record field name", previous: "field name", missing: "record type must have at least one field"},
	kindVariant: {what: "variant case name", previous: "case name", missing: "variant type must have at least one case"},
	kindTuple:   {missing: "tuple type must have at least one type"},
	kindFlags:   {what: "flag name", previous: "flag name", missing: "flags must have at least one entry"},
	kindEnum:    {what: "enum tag name", previous: "tag name", missing: "enum type must have at least one variant"},
}

func (s *scope) valueType(offset int, d valueTypeDef) *valueType {
	t := &valueType{kind: d.kind, prim: d.prim, length: d.length}
	labels := labelRules[d.kind]
	if labels.missing != "" && len(d.fields) == 0 {
		invalid(offset, "%s", labels.missing)
	}
	for _, f := range d.fields {
		if labels.what != "" {
			labels.add(offset, f.name)
		}
		resolved := field{name: f.name}
		if f.typ != nil {
			resolved.typ = s.resolve(offset, *f.typ)
		}
		t.fields = append(t.fields, resolved)
	}
	s.checkKind(offset, t, d)
	t.measure()
	switch {
	case t.nodes > maxTypeSize:
		invalid(offset, "effective type size exceeds the limit of %d", maxTypeSize)
	case t.depth > maxTypeDepth:
		invalid(offset, "types are nested deeper than the limit of %d", maxTypeDepth)
	case t.size64.size >= maxValueSize:
		invalid(offset, "type of %d bytes exceeds maximum byte size of %d", t.size64.size, maxValueSize-1)
	}
	return t
}

// checkKind checks the rules of single kinds of types.
func (s *scope) checkKind(offset int, t *valueType, d valueTypeDef) {
	switch t.kind {
	case kindFlags:
		if len(t.fields) > maxFlags {
			invalid(offset, "cannot have more than %d flags", maxFlags)
		}
	case kindFixedList:
		if t.length == 0 {
			invalid(offset, "fixed-length lists must have more than zero elements")
		}
	case kindOwn, kindBorrow:
		t.resource = s.resourceAt(offset, d.index)
	case kindMap:
		key := t.fields[0].typ
		if key.kind != kindPrimitive || key.prim == primF32 || key.prim == primF64 || key.prim == primErrorContext {
			invalid(offset, "map key type must be a boolean, an integer, a character or a string")
		}
	case kindStream, kindFuture:
		element := t.fields[0].typ
		if element == nil {
			return
		}
		if element.borrows {
			invalid(offset, "`%s` element type cannot contain a `borrow` type", t.kind)
		}
		if t.kind == kindStream && element.kind == kindPrimitive && element.prim == primChar {
			invalid(offset, "`stream<char>` is not valid at this time")
		}
	}
}

// resourceAt gives the resource type at an index.
func (s *scope) resourceAt(offset int, index uint32) *resourceType {
	r, ok := at(s.types, index, offset, "type").(*resourceType)
	if !ok {
		invalid(offset, "type index %d is not a resource type", index)
	}
	return r
}

// labels checks the names in a type: kebab case, and strongly unique.
type labels struct {
	what, previous string
	missing        string // what to say if there are none
	seen           map[string]string
}

func (l *labels) add(offset int, name string) {
	if name == "" {
		invalid(offset, "%s cannot be empty", l.what)
	}
	if checkLabel(name) != nil {
		invalid(offset, "%s `%s` is not in kebab case", l.what, name)
	}
	if l.seen == nil {
		l.seen = map[string]string{}
	}
	key := canonicalName(name)
	if other, taken := l.seen[key]; taken {
		invalid(offset, "%s `%s` conflicts with previous %s `%s`", l.what, name, l.previous, other)
	}
	l.seen[key] = name
}
