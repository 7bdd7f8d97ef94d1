package component

import "maps"

// scopeKind says what has an index space.
type scopeKind uint8

const (
	scopeComponent scopeKind = iota
	scopeComponentType
	scopeInstanceType
	scopeModuleType
)

// scope has the index spaces of a component or type while it is validated.
type scope struct {
	*validation
	kind   scopeKind
	parent *scope // nil for the outermost component

	definitions definitions    // of a component that was validated
	typ         *componentType // its type
	builtins    []int          // places in coreFuncs of functions that canonical definitions make
	nested      []*scope       // of the components that are defined in this one, in their order

	coreFuncs     []*coreFunc
	coreItems     map[sort][]coreExtern // tables, memories, globals and tags
	coreTypes     []any                 // *coreFunc, otherCoreType or *moduleType
	coreModules   []*moduleType
	coreInstances []*coreExternMap

	components []*componentType
	instances  []*instanceType
	funcs      []*funcType
	types      []anyType

	imports, exports         externs
	importNames, exportNames names
	imported                 []resourcePath // resources that imports introduce
	defined                  []*resource    // those that definitions, instances and exports introduce, in their order
	local                    map[*resource]bool

	// Types that imports and exports may refer to, because an import or an export names them.
	importable, exportable map[anyType]bool
}

// names are those of the imports or of the exports of a scope.
type names struct {
	noun      string            // what has them
	anonymous bool              // functions cannot be methods of the resources
	canonical map[string]string // strongly unique names, with what they were
	resources map[string]bool   // labels of resources
	labels    map[*resourceType]string
}

// validation is the validation of one component with all that it contains.
type validation struct {
	checkCode func(module []byte) error
	data      []byte
	steps     int
}

// validate checks a component that was read from data. checkCode validates the code of a core module.
func validate(data []byte, component definitions, checkCode func(module []byte) error) (valid *scope, err error) {
	defer caught(&err)
	v := &validation{checkCode: checkCode, data: data}
	return v.component(nil, component), nil
}

func newScope(v *validation, kind scopeKind, parent *scope) *scope {
	return &scope{
		validation: v, kind: kind, parent: parent,
		coreItems:  map[sort][]coreExtern{},
		local:      map[*resource]bool{},
		importable: map[anyType]bool{}, exportable: map[anyType]bool{},
	}
}

// spend counts types that comparisons and substitutions visit. Their number is exponential in hostile components.
func (v *validation) spend(offset int) {
	v.steps++
	if v.steps > maxValidationSteps {
		invalid(offset, "comparing the types of the component takes more than the limit of %d steps", maxValidationSteps)
	}
}

func (v *validation) component(parent *scope, component definitions) *scope {
	s := newScope(v, scopeComponent, parent)
	offset := 0
	for _, d := range component {
		s.define(d)
		offset = d.offset
	}
	s.definitions, s.typ = component, s.finish(offset)
	return s
}

// define validates a definition and adds what it defines to its index space.
func (s *scope) define(d definition) {
	switch body := d.body.(type) {
	case coreModule:
		s.defineCoreModule(d.offset, body)
	case coreInstance:
		s.defineCoreInstance(d.offset, body)
	case coreTypeDef, moduleTypeDef:
		s.defineCoreType(d.offset, body)
	case nested:
		bounded(d.offset, len(s.components), maxComponents, "components")
		inner := s.component(s, body.component)
		s.nested = append(s.nested, inner)
		s.components = append(s.components, inner.typ)
	case instance:
		s.defineInstance(d.offset, body)
	case exportAlias:
		s.defineExportAlias(d.offset, body)
	case coreExportAlias:
		s.defineCoreExportAlias(d.offset, body)
	case outerAlias:
		s.defineOuterAlias(d.offset, body)
	case typeDef:
		bounded(d.offset, len(s.types), maxTypes, "types")
		s.types = append(s.types, s.typeDefinition(d.offset, body.body))
	case canonDef:
		s.defineCanonical(d.offset, body)
	case importDef:
		s.defineImport(d.offset, body)
	case exportDef:
		s.defineExport(d.offset, body)
	case exportDecl:
		s.declareExport(d.offset, body)
	case startOrValue:
		invalid(d.offset, "%s definitions are not supported", body.section)
	}
}

func bounded(offset, n, limit int, what string) {
	if n >= limit {
		invalid(offset, "the number of %s exceeds the limit of %d", what, limit)
	}
}

// at gives the item at an index of an index space.
func at[T any](space []T, index uint32, offset int, what string) T {
	if uint64(index) >= uint64(len(space)) {
		invalid(offset, "unknown %s %d: %s index out of bounds", what, index, what)
	}
	return space[index]
}

// finish gives the type of a component whose definitions are all valid.
func (s *scope) finish(offset int) *componentType {
	t := &componentType{imports: s.imports, exports: s.exports, imported: s.imported}
	used := map[*resource]bool{}
	for _, e := range s.imports.items {
		s.freeResources(offset, e.entity, used)
	}
	for _, r := range s.defined {
		if used[r] {
			invalid(offset, "local resource type found in imports")
		}
	}
	clear(used)
	for _, e := range s.exports.items {
		s.freeResources(offset, e.entity, used)
	}
	named := s.namedResources(offset, &s.exports)
	for _, r := range s.defined {
		if !used[r] {
			continue
		}
		path, ok := named[r]
		if !ok {
			invalid(offset, "local resource type found in export but not exported itself")
		}
		t.fresh = append(t.fresh, resourcePath{r, path})
	}
	t.nodes = add(nodesOfExterns(offset, &s.imports), nodesOfExterns(offset, &s.exports))
	return t
}

func nodesOfExterns(offset int, e *externs) uint64 {
	n := uint64(1)
	for _, item := range e.items {
		n = add(n, nodesOf(item.typ))
	}
	if n > maxTypeSize {
		invalid(offset, "effective type size exceeds the limit of %d", maxTypeSize)
	}
	return n
}

// namedResources gives the first path of each resource that externs export as a type.
func (s *scope) namedResources(offset int, e *externs) map[*resource][]int {
	named := map[*resource][]int{}
	s.walkResources(offset, e, nil, func(r *resourceType, path []int) {
		if _, ok := named[r.resource]; !ok {
			named[r.resource] = append([]int(nil), path...)
		}
	})
	return named
}

func (s *scope) walkResources(offset int, e *externs, path []int, visit func(*resourceType, []int)) {
	for i, item := range e.items {
		s.spend(offset)
		switch t := item.typ.(type) {
		case *resourceType:
			visit(t, append(path, i))
		case *instanceType:
			if item.sort == sortInstance {
				s.walkResources(offset, &t.exports, append(path, i), visit)
			}
		}
	}
}

// freeResources adds the resources that a type refers to, without those that it introduces itself.
func (s *scope) freeResources(offset int, e entity, used map[*resource]bool) {
	s.freeOf(offset, e.typ, used)
	if e.sort == sortType && e.referenced != e.typ {
		s.freeOf(offset, e.referenced, used)
	}
}

func (s *scope) freeOf(offset int, t anyType, used map[*resource]bool) {
	s.spend(offset)
	switch t := t.(type) {
	case *resourceType:
		used[t.resource] = true
	case *valueType:
		if !t.resources {
			return
		}
		if t.resource != nil {
			used[t.resource.resource] = true
		}
		s.freeOfFields(offset, t.fields, used)
	case *funcType:
		s.freeOfFields(offset, t.params, used)
		if t.result != nil {
			s.freeOf(offset, t.result, used)
		}
	case *instanceType:
		s.freeOfScope(offset, used, t.fresh, &t.exports)
	case *componentType:
		s.freeOfScope(offset, used, append(t.imported[:len(t.imported):len(t.imported)], t.fresh...), &t.imports, &t.exports)
	}
}

func (s *scope) freeOfFields(offset int, fields []field, used map[*resource]bool) {
	for _, f := range fields {
		if f.typ != nil {
			s.freeOf(offset, f.typ, used)
		}
	}
}

// freeOfScope adds the resources of externs without the bound ones.
func (s *scope) freeOfScope(offset int, used map[*resource]bool, bound []resourcePath, all ...*externs) {
	inner := map[*resource]bool{}
	for _, e := range all {
		for _, item := range e.items {
			s.freeResources(offset, item.entity, inner)
		}
	}
	for _, b := range bound {
		delete(inner, b.resource)
	}
	maps.Copy(used, inner)
}
