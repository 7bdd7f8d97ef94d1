package component

// typeDefinition reads a definition of the type section.
func (r *reader) typeDefinition(depth int) any {
	start := r.pos
	code := r.byte()
	switch code {
	case 0x3f:
		return r.resource()
	case 0x40, 0x43:
		return r.function(code == 0x43)
	case 0x41:
		return componentTypeDef{r.declarations(depth, true)}
	case 0x42:
		return instanceTypeDef{r.declarations(depth, false)}
	}
	if p, ok := primitives[code]; ok {
		return valueTypeDef{kind: kindPrimitive, prim: p}
	}
	kind := typeKind(code)
	if _, ok := kindNames[kind]; !ok || kind == kindPrimitive {
		badCode(start, code, "component defined type")
	}
	return r.valueTypeDefinition(kind)
}

func (r *reader) valueTypeDefinition(kind typeKind) valueTypeDef {
	d := valueTypeDef{kind: kind}
	switch kind {
	case kindRecord:
		d.fields = r.fields(func() fieldRef { return fieldRef{r.name(), r.required()} })
	case kindVariant:
		d.fields = r.fields(func() fieldRef {
			f := fieldRef{r.name(), r.optional("optional case type")}
			r.code("zero byte required", 0)
			return f
		})
	case kindTuple:
		d.fields = r.fields(func() fieldRef { return fieldRef{typ: r.required()} })
	case kindFlags, kindEnum:
		d.fields = r.fields(func() fieldRef { return fieldRef{name: r.name()} })
	case kindList, kindOption:
		d.fields = []fieldRef{{typ: r.required()}}
	case kindFixedList:
		d.fields = []fieldRef{{typ: r.required()}}
		d.length = r.u32()
	case kindMap:
		d.fields = []fieldRef{{typ: r.required()}, {typ: r.required()}}
	case kindResult:
		d.fields = []fieldRef{{typ: r.optional("optional ok type")}, {typ: r.optional("optional error type")}}
	case kindStream, kindFuture:
		d.fields = []fieldRef{{typ: r.optional("optional element type")}}
	case kindOwn, kindBorrow:
		d.index = r.u32()
	}
	return d
}

func (r *reader) fields(item func() fieldRef) []fieldRef {
	fields := make([]fieldRef, r.count(maxFields, "fields, cases or labels of a type"))
	for i := range fields {
		fields[i] = item()
	}
	return fields
}

func (r *reader) required() *valueRef {
	v := r.valueType()
	return &v
}

func (r *reader) optional(what string) *valueRef {
	if r.code(what, 0, 1) == 0 {
		return nil
	}
	return r.required()
}

func (r *reader) valueType() valueRef {
	start := r.pos
	n := r.s33()
	if n >= 0 {
		return valueRef{index: uint32(n)}
	}
	code := byte(n & 0x7f)
	p, ok := primitives[code]
	if n < -0x40 || !ok {
		badCode(start, code, "component value type")
	}
	return valueRef{primitive: p}
}

func (r *reader) resource() resourceDef {
	d := resourceDef{rep: r.byte()}
	if r.code("optional destructor", 0, 1) == 1 {
		index := r.u32()
		d.destructor = &index
	}
	return d
}

func (r *reader) function(async bool) funcDef {
	d := funcDef{async: async, params: make([]fieldRef, r.count(maxParameters, "parameters"))}
	for i := range d.params {
		d.params[i] = fieldRef{r.name(), r.required()}
	}
	d.result = r.result()
	return d
}

func (r *reader) result() *valueRef {
	if r.code("component function results", 0, 1) == 0 {
		return r.required()
	}
	r.code("number of results", 0)
	return nil
}

// declarations reads those of a component type or an instance type.
func (r *reader) declarations(depth int, imports bool) []definition {
	if depth >= maxNesting {
		malformed(r.pos, "types are nested deeper than the limit of %d", maxNesting)
	}
	var all []definition
	for range r.count(maxTypes, "declarations of a type") {
		r.definition()
		d := definition{offset: r.pos}
		switch code := r.byte(); {
		case code == 0:
			d.body = r.coreType()
		case code == 1:
			d.body = typeDef{r.typeDefinition(depth + 1)}
		case code == 2:
			d.body = r.alias()
		case code == 3 && imports:
			d.body = importDef{r.externDeclaration()}
		case code == 4:
			d.body = exportDecl{r.externDeclaration()}
		default:
			badCode(d.offset, code, "component or instance type declaration")
		}
		all = append(all, d)
	}
	return all
}
