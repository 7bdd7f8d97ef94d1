package component

import "fmt"

// values compares two value types, which must be equal.
func (c *comparison) values(t, want *valueType) string {
	if t.kind != want.kind {
		return fmt.Sprintf("expected %s, found %s", valueName(want), valueName(t))
	}
	switch t.kind {
	case kindPrimitive:
		if t.prim != want.prim {
			return fmt.Sprintf("expected primitive `%s` found primitive `%s`", want.prim, t.prim)
		}
		return ""
	case kindOwn, kindBorrow:
		return c.sameResource(t.resource, want.resource)
	case kindFlags, kindEnum:
		return sameLabels(t, want)
	case kindResult:
		ok, failure := t.fields[0].typ, t.fields[1].typ
		reason := c.optional(ok, want.fields[0].typ, "ok type", "ok type, but", "type mismatch in ok variant")
		if reason == "" {
			reason = c.optional(failure, want.fields[1].typ, "err type", "err type, but", "type mismatch in err variant")
		}
		return reason
	case kindFixedList:
		if t.length != want.length {
			return fmt.Sprintf("expected a list of %d elements, found one of %d", want.length, t.length)
		}
	}
	return c.fields(t, want)
}

// valueName is the name of a primitive type, or the constructor of another one.
func valueName(t *valueType) string {
	if t.kind == kindPrimitive {
		return t.prim.String()
	}
	return t.kind.String()
}

func sameLabels(t, want *valueType) string {
	same := len(t.fields) == len(want.fields)
	for i := 0; same && i < len(t.fields); i++ {
		same = t.fields[i].name == want.fields[i].name
	}
	if same {
		return ""
	}
	if t.kind == kindEnum {
		return "mismatch in enum elements"
	}
	return "mismatch in flags elements"
}

// fieldWords has what the fields of a type are called: several of them, one with a name, and the context of one.
var fieldWords = map[typeKind]struct{ several, named, context string }{
	kindRecord:  {"fields", "field name", "record field"},
	kindVariant: {"cases", "case named", "variant case"},
	kindTuple:   {"types", "", "tuple field"},
}

func (c *comparison) fields(t, want *valueType) string {
	words := fieldWords[t.kind]
	if len(t.fields) != len(want.fields) {
		return fmt.Sprintf("expected %d %s, found %d", len(want.fields), words.several, len(t.fields))
	}
	for i, f := range t.fields {
		w := want.fields[i]
		switch {
		case f.name != w.name:
			return fmt.Sprintf("expected %s `%s`, found `%s`", words.named, w.name, f.name)
		case f.typ == nil && w.typ == nil:
			continue
		case f.typ == nil:
			return fmt.Sprintf("expected %s to have a type, found none", fieldName(t, i))
		case w.typ == nil:
			return fmt.Sprintf("expected %s to have no type, found one", fieldName(t, i))
		}
		if reason := c.types(f.typ, w.typ); reason != "" {
			return fmt.Sprintf("type mismatch in %s: %s", fieldContext(t, i, words.context), reason)
		}
	}
	return ""
}

// fieldName is the name of a case, or the constructor of a type with one payload.
func fieldName(t *valueType, i int) string {
	if t.kind == kindVariant {
		return fmt.Sprintf("case `%s`", t.fields[i].name)
	}
	return t.kind.String()
}

func fieldContext(t *valueType, i int, context string) string {
	switch t.kind {
	case kindRecord, kindVariant:
		return fmt.Sprintf("%s `%s`", context, t.fields[i].name)
	case kindTuple:
		return fmt.Sprintf("%s %d", context, i)
	}
	return t.kind.String()
}
