package component

import "fmt"

// mismatch says why a core item cannot be supplied where another one is expected. It is empty if it can.
func (e coreExtern) mismatch(want coreExtern) string {
	if e.sort != want.sort {
		return fmt.Sprintf("expected %s, found %s", coreSortName(want.sort), coreSortName(e.sort))
	}
	switch e.sort {
	case sortCoreFunc:
		if !e.fn.equal(want.fn) {
			return fmt.Sprintf("expected: %s, found: %s", want.fn, e.fn)
		}
	case sortCoreTag:
		if !e.fn.equal(want.fn) {
			return fmt.Sprintf("expected tag: %s, found: %s", want.fn, e.fn)
		}
	case sortCoreGlobal:
		if e.mutable != want.mutable {
			return "global types differ in mutability"
		}
		if e.value != want.value {
			return fmt.Sprintf("expected global type %s, found %s", want.value, e.value)
		}
	case sortCoreTable:
		if e.value != want.value {
			return fmt.Sprintf("expected table element type %s, found %s", want.value, e.value)
		}
		return e.limits.mismatch(want.limits, "table limits", "tables")
	case sortCoreMemory:
		return e.limits.mismatch(want.limits, "memory limits", "memories")
	}
	return ""
}

// coreSortName is func instead of function, as in the text format.
func coreSortName(s sort) string {
	if s == sortCoreFunc {
		return "func"
	}
	return s.String()
}

func (l limits) mismatch(want limits, what, items string) string {
	switch {
	case l.shared != want.shared:
		return "mismatch in the shared flag for " + items
	case l.wide != want.wide:
		return "mismatch in index type used for " + items
	case l.min < want.min || (want.bounded && (!l.bounded || l.max > want.max)):
		return "mismatch in " + what
	}
	return ""
}

// mismatch says why a module cannot be supplied where one of another type is expected.
func (t *moduleType) mismatch(want *moduleType) string {
	for _, i := range t.imports {
		place, ok := want.imported[[2]string{i.module, i.name}]
		if !ok {
			return fmt.Sprintf("missing expected import `%s::%s`", i.module, i.name)
		}
		if reason := want.imports[place].item.mismatch(i.item); reason != "" {
			return fmt.Sprintf("type mismatch in import `%s::%s`: %s", i.module, i.name, reason)
		}
	}
	for _, e := range want.exports.items {
		item, ok := t.exports.find(e.name)
		if !ok {
			return fmt.Sprintf("missing expected export `%s`", e.name)
		}
		if reason := item.mismatch(e.item); reason != "" {
			return fmt.Sprintf("type mismatch in export `%s`: %s", e.name, reason)
		}
	}
	return ""
}
