package wit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/component"
)

// scope is an interface or the world while it is written: the names that types have there.
type scope struct {
	*printer
	of    *namedInterface // nil for the world and interfaces without a name
	names map[component.Type]string
	// aliases are the names of types that are other names of types of the scope, with those.
	aliases map[string]string
}

// items writes the items of an interface, with an empty line between two: uses of other interfaces first, then types, then
// functions.
func (s *scope) items(depth int, items []component.Extern) {
	first := true
	separate := func() {
		if !first {
			s.line(0, "")
		}
		first = false
	}
	s.uses(depth, items, &first)
	s.nameTypes(items)
	for _, e := range items {
		if _, used := s.usedFrom(e); e.Sort == "type" && !used {
			separate()
			s.declare(depth, e, items)
		}
	}
	for _, e := range items {
		switch {
		case e.Func != nil && !strings.HasPrefix(e.Name, "["):
			separate()
			s.line(depth, "%s: %s;", escaped(e.Name), s.function(e.Func, 0))
		case e.Func == nil && e.Sort != "type":
			separate()
			s.line(depth, "// %s: %s", e.Name, e.Sort)
		}
	}
}

// uses writes which types of other interfaces the items name. Those of an interface that follow one another are on one line.
func (s *scope) uses(depth int, items []component.Extern, first *bool) {
	last := ""
	var names []string
	flush := func() {
		if len(names) > 0 {
			s.line(depth, "use %s.{%s};", last, strings.Join(names, ", "))
			*first = false
		}
		names = nil
	}
	for _, e := range items {
		from, used := s.usedFrom(e)
		if !used {
			continue
		}
		path := from.of.path()
		if s.of != nil && from.of.pkgVersion() == s.of.pkgVersion() {
			path = escaped(from.of.name)
		}
		if path != last {
			flush()
			last = path
		}
		name := escaped(from.name)
		if from.name != e.Name {
			name += " as " + escaped(e.Name)
		}
		names = append(names, name)
		s.name(e)
	}
	flush()
}

// usedFrom gives the place of a type that another interface defines.
func (s *scope) usedFrom(e component.Extern) (place, bool) {
	from, ok := s.owners[e.Referenced]
	if !ok || e.Sort != "type" || s.of != nil && from.of.path() == s.of.path() {
		return place{}, false
	}
	return from, true
}

// nameTypes names the types that are defined in the scope: functions and types may use those that follow.
func (s *scope) nameTypes(items []component.Extern) {
	s.aliases = map[string]string{}
	for _, e := range items {
		if _, used := s.usedFrom(e); e.Sort != "type" || used {
			continue
		}
		if other, ok := s.names[e.Referenced]; ok {
			s.aliases[e.Name] = other
		}
		s.name(e)
	}
}

func (s *scope) name(e component.Extern) {
	for _, t := range []component.Type{e.Type, e.Referenced} {
		if _, named := s.names[t]; !named && t != (component.Type{}) {
			s.names[t] = escaped(e.Name)
		}
	}
}

// declare writes a type, with the functions of a resource.
func (s *scope) declare(depth int, e component.Extern, items []component.Extern) {
	name := escaped(e.Name)
	if other, ok := s.aliases[e.Name]; ok {
		s.line(depth, "type %s = %s;", name, other)
		return
	}
	fields := e.Type.Fields()
	switch kind := e.Type.Kind(); kind {
	case component.KindResource:
		s.resource(depth, e, items)
	case component.KindRecord, component.KindVariant, component.KindFlags, component.KindEnum:
		s.line(depth, "%s %s {", kind, name)
		for _, f := range fields {
			s.line(depth+1, "%s,", s.member(kind, f))
		}
		s.line(depth, "}")
	default:
		s.line(depth, "type %s = %s;", name, s.structure(e.Type))
	}
}

func (s *scope) member(kind component.Kind, f component.Field) string {
	switch {
	case kind == component.KindRecord:
		return escaped(f.Name) + ": " + s.typeName(f.Type)
	case f.Type != component.Type{}:
		return escaped(f.Name) + "(" + s.typeName(f.Type) + ")"
	}
	return escaped(f.Name)
}

func (s *scope) resource(depth int, e component.Extern, items []component.Extern) {
	var lines []string
	for _, item := range items {
		annotation, rest, _ := strings.Cut(item.Name, "]")
		resource, label, _ := strings.Cut(rest, ".")
		if item.Func == nil || resource != e.Name {
			continue
		}
		switch annotation {
		case "[constructor":
			text := strings.TrimPrefix(s.function(item.Func, 0), "func")
			lines = append(lines, "constructor"+strings.TrimSuffix(text, " -> "+escaped(e.Name)))
		case "[method":
			lines = append(lines, escaped(label)+": "+s.function(item.Func, 1))
		case "[static":
			lines = append(lines, escaped(label)+": static "+s.function(item.Func, 0))
		}
	}
	if len(lines) == 0 {
		s.line(depth, "resource %s;", escaped(e.Name))
		return
	}
	s.line(depth, "resource %s {", escaped(e.Name))
	for _, text := range lines {
		s.line(depth+1, "%s;", text)
	}
	s.line(depth, "}")
}

// function writes a function without some of its first parameters.
func (s *scope) function(f *component.FuncType, without int) string {
	var params []string
	for _, p := range f.Params[without:] {
		params = append(params, escaped(p.Name)+": "+s.typeName(p.Type))
	}
	text := "func(" + strings.Join(params, ", ") + ")"
	if f.Async {
		text = "async " + text
	}
	if f.Result != (component.Type{}) {
		text += " -> " + s.typeName(f.Result)
	}
	return text
}

// typeName writes a type by its name, or its structure if it has none.
func (s *scope) typeName(t component.Type) string {
	if name, ok := s.names[t]; ok {
		return name
	}
	return s.structure(t)
}

func (s *scope) structure(t component.Type) string {
	kind := t.Kind()
	var parts []string
	for _, f := range t.Fields() {
		parts = append(parts, s.optional(f.Type))
	}
	switch kind {
	case component.KindOwn:
		return s.typeName(t.Resource())
	case component.KindBorrow:
		return "borrow<" + s.typeName(t.Resource()) + ">"
	case component.KindFixedList:
		return "list<" + parts[0] + ", " + strconv.Itoa(int(t.Length())) + ">"
	case component.KindResult:
		if parts[1] == "_" {
			parts = parts[:1]
		}
	case component.KindRecord, component.KindVariant, component.KindFlags, component.KindEnum:
		return fmt.Sprintf("/* %s without a name */", kind)
	}
	if parts = slices.DeleteFunc(parts, func(part string) bool { return len(parts) == 1 && part == "_" }); len(parts) == 0 {
		return kind.String()
	}
	return kind.String() + "<" + strings.Join(parts, ", ") + ">"
}

func (s *scope) optional(t component.Type) string {
	if t == (component.Type{}) {
		return "_"
	}
	return s.typeName(t)
}

// keywords are the words of WIT that a name escapes.
var keywords = strings.Fields(`as async bool borrow char constructor enum error-context export f32 f64 flags from func future
	import include interface list map option own package record resource result s16 s32 s64 s8 static stream string
	tuple type u16 u32 u64 u8 use variant with world`)

func escaped(name string) string {
	if slices.Contains(keywords, name) {
		return "%" + name
	}
	return name
}
