package component

// register checks that all types which an import or export refers to have a name that its users can see, and gives names
// to the types that it adds.
func (s *scope) register(offset int, e entity, imported bool) bool {
	if s.kind == scopeInstanceType {
		return true // checked where it is imported or exported
	}
	s.spend(offset)
	visible := s.exportable
	if imported {
		visible = s.importable
	}
	if e.sort == sortType {
		if !s.visible(offset, e.referenced, visible) {
			return false
		}
		s.exportable[e.typ] = true
		if imported {
			s.importable[e.typ] = true
		}
		return true
	}
	switch t := e.typ.(type) {
	case *instanceType:
		for _, item := range t.exports.items {
			if !s.register(offset, item.entity, imported) {
				return false
			}
		}
	case *funcType:
		return s.visible(offset, t, visible)
	}
	return true // modules and components refer to nothing outside
}

// visible says whether a type refers to types with names only. The type itself needs none.
func (s *scope) visible(offset int, t anyType, visible map[anyType]bool) bool {
	s.spend(offset)
	switch t := t.(type) {
	case *valueType:
		if t.resource != nil {
			return visible[t.resource]
		}
		return s.namedFields(offset, t.fields, visible)
	case *funcType:
		return s.namedFields(offset, t.params, visible) && (t.result == nil || s.named(offset, t.result, visible))
	case *instanceType:
		for _, item := range t.exports.items {
			if item.sort != sortComponent && !s.visible(offset, item.typ, visible) {
				return false
			}
		}
	}
	return true
}

func (s *scope) namedFields(offset int, fields []field, visible map[anyType]bool) bool {
	for _, f := range fields {
		if f.typ != nil && !s.named(offset, f.typ, visible) {
			return false
		}
	}
	return true
}

// named says whether a value type has a name if it needs one, and otherwise whether the types in it do.
func (s *scope) named(offset int, t *valueType, visible map[anyType]bool) bool {
	switch t.kind {
	case kindRecord, kindVariant, kindEnum, kindFlags:
		return visible[t]
	}
	return s.visible(offset, t, visible)
}
