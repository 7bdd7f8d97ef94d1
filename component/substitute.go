package component

// substitution gives types of an instance: the type of its component with other resources, and with the names that
// arguments have for imported types. Types in which nothing changes keep their pointers, and so their names.
type substitution struct {
	scope     *scope
	offset    int
	resources map[*resource]*resource
	types     map[anyType]anyType // and what was substituted before
}

func (s *scope) substitute(offset int) *substitution {
	return &substitution{s, offset, map[*resource]*resource{}, map[anyType]anyType{}}
}

func (u *substitution) of(t anyType) anyType {
	u.scope.spend(u.offset)
	if done, ok := u.types[t]; ok {
		return done
	}
	var done anyType
	switch t := t.(type) {
	case *resourceType:
		done = t
		if r, ok := u.resources[t.resource]; ok {
			done = &resourceType{r}
		}
	case *valueType:
		done = u.value(t)
	case *funcType:
		done = u.fn(t)
	case *instanceType:
		exports, changed := u.externs(&t.exports)
		done = t
		if changed {
			done = &instanceType{exports, t.fresh, t.nodes}
		}
	case *componentType:
		imports, changedImports := u.externs(&t.imports)
		exports, changedExports := u.externs(&t.exports)
		done = t
		if changedImports || changedExports {
			done = &componentType{imports, exports, t.imported, t.fresh, t.nodes}
		}
	default:
		done = t
	}
	u.types[t] = done
	return done
}

func (u *substitution) value(t *valueType) *valueType {
	fields, changed := u.fields(t.fields)
	resource := t.resource
	if resource != nil {
		resource = u.of(resource).(*resourceType)
	}
	if !changed && resource == t.resource {
		return t
	}
	copied := *t
	copied.fields, copied.resource = fields, resource
	return &copied
}

func (u *substitution) fn(t *funcType) *funcType {
	params, changed := u.fields(t.params)
	result := t.result
	if result != nil {
		result = u.of(result).(*valueType)
	}
	if !changed && result == t.result {
		return t
	}
	return &funcType{t.async, params, result, t.nodes}
}

func (u *substitution) fields(fields []field) ([]field, bool) {
	all := make([]field, len(fields))
	changed := false
	for i, f := range fields {
		all[i] = f
		if f.typ != nil {
			all[i].typ = u.of(f.typ).(*valueType)
			changed = changed || all[i].typ != f.typ
		}
	}
	return all, changed
}

func (u *substitution) externs(e *externs) (all externs, changed bool) {
	for _, item := range e.items {
		other := item.entity
		other.typ = u.of(item.typ)
		if item.referenced != nil {
			other.referenced = u.of(item.referenced)
		}
		changed = changed || other != item.entity
		all.add(item.name, other)
	}
	return all, changed
}

// rename records that an imported type, and the types of an imported instance, have the names of what is supplied.
func (u *substitution) rename(want, supplied entity) {
	u.scope.spend(u.offset)
	switch typ := want.typ.(type) {
	case *valueType, *resourceType:
		u.types[typ] = supplied.typ
	case *instanceType:
		if want.sort != sortInstance {
			return
		}
		for _, item := range typ.exports.items {
			if other, ok := supplied.typ.(*instanceType).exports.find(item.name); ok {
				u.rename(item.entity, other)
			}
		}
	}
}

// freshen substitutes new resources for those that a type introduces.
func (s *scope) freshen(u *substitution, fresh []resourcePath) []*resource {
	made := make([]*resource, len(fresh))
	for i, f := range fresh {
		made[i] = &resource{}
		u.resources[f.resource] = made[i]
	}
	return made
}
