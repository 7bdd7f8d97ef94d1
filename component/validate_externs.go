package component

import (
	"cmp"
	"errors"
	"strings"
)

func (s *scope) defineImport(offset int, d importDef) {
	bounded(offset, len(s.imports.items), maxExterns, "imports")
	e := s.declared(offset, d.externDecl)
	if t, ok := e.typ.(*instanceType); ok && e.sort == sortInstance {
		e.typ = s.introduceInstance(offset, t, len(s.imports.items), true)
	}
	if d.sub {
		r := e.typ.(*resourceType).resource
		s.imported = append(s.imported, resourcePath{r, []int{len(s.imports.items)}})
	}
	s.importNames.noun = "import"
	s.importNames.add(offset, d.name, e)
	if !s.register(offset, e, true) {
		invalid(offset, "%s not valid to be used as import", e.sort)
	}
	s.imports.add(d.name.name, e)
	s.addItem(offset, e)
}

// declareExport validates the declaration of an export in a component type or an instance type.
func (s *scope) declareExport(offset int, d exportDecl) {
	e := s.declared(offset, d.externDecl)
	if d.sub {
		s.defined = append(s.defined, e.typ.(*resourceType).resource)
	}
	s.addExport(offset, d.name, e)
}

func (s *scope) defineExport(offset int, d exportDef) {
	e := s.item(offset, d.item)
	if d.ascribed != nil {
		e = s.ascribe(offset, e, *d.ascribed)
	}
	if e.sort == sortType {
		e.typ = renamed(e.referenced)
	}
	s.addExport(offset, d.name, e)
}

// ascribe gives the type that an export is declared to have, which must be a supertype of its own.
func (s *scope) ascribe(offset int, e entity, d externDecl) entity {
	if d.sub {
		if _, ok := e.typ.(*resourceType); e.sort != sortType || !ok {
			invalid(offset, "ascribed type of export is not compatible with item's type: expected resource")
		}
		r := &resource{}
		s.defined = append(s.defined, r)
		t := &resourceType{r}
		return entity{sortType, t, t}
	}
	want := s.declared(offset, d)
	if reason := s.compare(offset).mismatch(e, want); reason != "" {
		invalid(offset, "ascribed type of export is not compatible with item's type: %s", errors.New(reason))
	}
	return want
}

func (s *scope) addExport(offset int, name externName, e entity) {
	bounded(offset, len(s.exports.items), maxExterns, "exports")
	if t, ok := e.typ.(*instanceType); ok && e.sort == sortInstance {
		e.typ = s.introduceInstance(offset, t, 0, false)
	}
	s.exportNames.noun = "export"
	s.exportNames.add(offset, name, e)
	if !s.register(offset, e, false) {
		invalid(offset, "%s not valid to be used as export", e.sort)
	}
	s.exports.add(name.name, e)
	s.addItem(offset, e)
}

// introduceInstance gives an imported or exported instance resources of its own.
func (s *scope) introduceInstance(offset int, t *instanceType, place int, imported bool) *instanceType {
	if len(t.fresh) == 0 {
		return t
	}
	u := s.substitute(offset)
	made := s.freshen(u, t.fresh)
	exports, _ := u.externs(&t.exports)
	for i, r := range made {
		if imported {
			s.imported = append(s.imported, resourcePath{r, append([]int{place}, t.fresh[i].path...)})
		} else {
			s.defined = append(s.defined, r)
		}
	}
	return &instanceType{exports: exports, nodes: t.nodes}
}

// declared gives the type that an import or export is declared to have.
func (s *scope) declared(offset int, d externDecl) entity {
	switch d.sort {
	case sortCoreModule:
		t, ok := at(s.coreTypes, d.index, offset, "type").(*moduleType)
		if !ok {
			invalid(offset, "core type index %d is not a module type", d.index)
		}
		return entity{sort: d.sort, typ: t}
	case sortValue:
		invalid(offset, "values are not supported as imports and exports")
	case sortType:
		if d.sub {
			t := &resourceType{&resource{}}
			return entity{d.sort, t, t}
		}
		t := at(s.types, d.index, offset, "type")
		return entity{d.sort, renamed(t), t}
	}
	t := at(s.types, d.index, offset, "type")
	article := "a"
	var ok bool
	switch d.sort {
	case sortFunc:
		_, ok = t.(*funcType)
	case sortComponent:
		_, ok = t.(*componentType)
	case sortInstance:
		article = "an"
		_, ok = t.(*instanceType)
	}
	if !ok {
		invalid(offset, "type index %d is not %s %s type", d.index, article, cmp.Or(map[sort]string{sortFunc: "function"}[d.sort], d.sort.String()))
	}
	return entity{sort: d.sort, typ: t}
}

// renamed gives the name that an import or export adds to a type.
func renamed(t anyType) anyType {
	switch t := t.(type) {
	case *valueType:
		copied := *t
		return &copied
	case *resourceType:
		return &resourceType{t.resource}
	}
	return t
}

// add checks the name of an import or export.
func (n *names) add(offset int, name externName, e entity) {
	parsed, err := parseName(name.name)
	suffix := name.versionSuffix()
	if suffix != nil {
		err = checkVersionSuffix(name.name, *suffix)
		parsed = parsedName{kind: nameInterface, label: name.name}
	}
	if err != nil {
		invalid(offset, "`%s` is not a valid extern name: %v", name.name, err)
	}
	n.checkAttributes(offset, name, parsed, e)
	n.checkAnnotation(offset, parsed, e)
	if n.canonical == nil {
		n.canonical = map[string]string{}
	}
	key := canonicalName(name.name)
	if previous, taken := n.canonical[key]; taken {
		invalid(offset, "%s name `%s` conflicts with previous name `%s`", n.noun, name.name, previous)
	}
	n.canonical[key] = name.name
	if r, ok := e.typ.(*resourceType); ok && parsed.kind == nameLabel {
		n.register(parsed.label, r)
	}
}

func (n *names) register(label string, r *resourceType) {
	if n.resources == nil {
		n.resources, n.labels = map[string]bool{}, map[*resourceType]string{}
	}
	n.resources[label] = true
	if !n.anonymous {
		n.labels[r] = label
	}
}

func (n externName) versionSuffix() *string {
	for _, a := range n.attributes {
		if a.kind == attributeVersionSuffix {
			return &a.value
		}
	}
	return nil
}

// checkVersionSuffix checks a name whose version has a suffix as an attribute.
func checkVersionSuffix(name, suffix string) error {
	base, version, _ := strings.Cut(name, "@")
	if !isCanonicalVersion(version) {
		return errNotCanonical
	}
	return checkInterfaceName(base + "@" + version + suffix)
}

func (n *names) checkAttributes(offset int, name externName, parsed parsedName, e entity) {
	seen := map[byte]bool{}
	for _, a := range name.attributes {
		if seen[a.kind] {
			invalid(offset, "duplicate '%s' option in name", attributeNames[a.kind])
		}
		seen[a.kind] = true
		if a.kind != attributeImplements {
			continue
		}
		if e.sort != sortInstance {
			invalid(offset, "only instances can have an `implements` attribute, `%s` is a %s", name.name, e.sort)
		}
		if parsed.kind != nameLabel {
			invalid(offset, "name `%s` is not valid with `implements`", name.name)
		}
		implemented, err := parseName(a.value)
		if err != nil {
			invalid(offset, "`implements` value `%s` is not a valid name: %v", a.value, err)
		}
		if implemented.kind != nameInterface {
			invalid(offset, "`implements` value `%s` must be an interface", a.value)
		}
	}
}

// checkAnnotation checks the type of a function whose name says what it is for a resource.
func (n *names) checkAnnotation(offset int, name parsedName, e entity) {
	if name.kind == nameLabel || name.kind == nameInterface {
		return
	}
	f, ok := e.typ.(*funcType)
	if !ok || e.sort != sortFunc {
		invalid(offset, "`%s` is not a func, but the name of one", annotations[name.kind]+name.resource)
	}
	switch name.kind {
	case nameConstructor:
		n.checkResource(offset, name, constructed(offset, f))
	case nameMethod:
		if len(f.params) == 0 {
			invalid(offset, "function should have at least one argument")
		}
		self := f.params[0]
		if self.name != "self" {
			invalid(offset, "function should have a first argument called `self`")
		}
		if self.typ.kind != kindBorrow {
			invalid(offset, "function should take a first argument of `(borrow $T)`")
		}
		n.checkResource(offset, name, self.typ.resource)
	case nameStatic:
		if !n.resources[name.resource] {
			invalid(offset, "static resource name is not known in this context: `%s`", name.resource)
		}
	}
}

// constructed gives the resource that a constructor returns.
func constructed(offset int, f *funcType) *resourceType {
	t := f.result
	if t == nil {
		invalid(offset, "function should return one value")
	}
	if t.kind == kindResult && t.fields[0].typ != nil {
		t = t.fields[0].typ
	}
	if t.kind != kindOwn {
		invalid(offset, "function should return `(own $T)` or `(result (own $T))`")
	}
	return t.resource
}

func (n *names) checkResource(offset int, name parsedName, r *resourceType) {
	label, ok := n.labels[r]
	if !ok {
		invalid(offset, "resource used in function does not have a name in this context")
	}
	if label != name.resource {
		invalid(offset, "function does not match expected resource name `%s`, found `%s`", label, name.resource)
	}
}
