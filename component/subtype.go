package component

import "fmt"

// comparison decides whether types can be supplied where others are expected. It knows which resources stand for which
// others: those that a component imports are the ones of its arguments.
type comparison struct {
	scope     *scope
	offset    int
	resources map[*resource]*resource
}

func (s *scope) compare(offset int) *comparison {
	return &comparison{s, offset, map[*resource]*resource{}}
}

func (c *comparison) actual(r *resource) *resource {
	for {
		c.scope.spend(c.offset)
		next, ok := c.resources[r]
		if !ok || next == r {
			return r
		}
		r = next
	}
}

func nameOf(t anyType) string {
	switch t.(type) {
	case *resourceType:
		return "resource"
	case *funcType:
		return "func"
	case *instanceType:
		return "instance"
	case *componentType:
		return "component"
	}
	return "defined type"
}

// mismatch says why an item cannot be supplied where another one is expected. It is empty if it can.
func (c *comparison) mismatch(e, want entity) string {
	if e.sort != want.sort {
		return fmt.Sprintf("expected %s, found %s", want.sort, e.sort)
	}
	return c.types(e.typ, want.typ)
}

func (c *comparison) types(t, want anyType) string {
	c.scope.spend(c.offset)
	if t == want {
		return ""
	}
	switch want := want.(type) {
	case *moduleType:
		return t.(*moduleType).mismatch(want)
	case *resourceType:
		if t, ok := t.(*resourceType); ok {
			return c.sameResource(t, want)
		}
	case *funcType:
		if t, ok := t.(*funcType); ok {
			return c.funcs(t, want)
		}
	case *instanceType:
		if t, ok := t.(*instanceType); ok {
			return c.instances(t, want)
		}
	case *componentType:
		if t, ok := t.(*componentType); ok {
			return c.components(t, want)
		}
	case *valueType:
		if t, ok := t.(*valueType); ok {
			return c.values(t, want)
		}
	}
	return fmt.Sprintf("expected %s, found %s", nameOf(want), nameOf(t))
}

func (c *comparison) sameResource(t, want *resourceType) string {
	if c.actual(t.resource) != c.actual(want.resource) {
		return "resource types are not the same"
	}
	return ""
}

func (c *comparison) funcs(f, want *funcType) string {
	if f.async != want.async {
		return fmt.Sprintf("expected %s, found %s", asyncName(want.async), asyncName(f.async))
	}
	if len(f.params) != len(want.params) {
		return fmt.Sprintf("expected %d parameters, found %d", len(want.params), len(f.params))
	}
	for i, p := range f.params {
		w := want.params[i]
		if p.name != w.name {
			return fmt.Sprintf("expected parameter named `%s`, found `%s`", w.name, p.name)
		}
		if reason := c.types(p.typ, w.typ); reason != "" {
			return fmt.Sprintf("type mismatch in function parameter `%s`: %s", p.name, reason)
		}
	}
	return c.optional(f.result, want.result, "a result", "a result,", "type mismatch with result type")
}

func asyncName(async bool) string {
	if async {
		return "an async function"
	}
	return "a synchronous function"
}

// optional compares two value types that may be absent. The texts name the type: present, missing, and different.
func (c *comparison) optional(t, want *valueType, present, missing, context string) string {
	switch {
	case t == nil && want == nil:
		return ""
	case want == nil:
		return fmt.Sprintf("expected %s to not be present", present)
	case t == nil:
		return fmt.Sprintf("expected %s found none", missing)
	}
	if reason := c.types(t, want); reason != "" {
		return context + ": " + reason
	}
	return ""
}

// introduce says which resources of a type stand for those that the expected type introduces.
func (c *comparison) introduce(wanted []resourcePath, want, supplied *externs) {
	for _, w := range wanted {
		if r := resourceAlong(w.path, want, supplied); r != nil {
			c.resources[w.resource] = r.resource
		}
	}
}

// resourceAlong finds the resource that externs have under the names along a path of other externs.
func resourceAlong(path []int, names, in *externs) *resourceType {
	for i, place := range path {
		if place >= len(names.items) {
			return nil
		}
		item, ok := in.find(names.items[place].name)
		if !ok {
			return nil
		}
		if i == len(path)-1 {
			r, _ := item.typ.(*resourceType)
			return r
		}
		nextNames, ok := names.items[place].typ.(*instanceType)
		if !ok {
			return nil
		}
		next, ok := item.typ.(*instanceType)
		if !ok {
			return nil
		}
		names, in = &nextNames.exports, &next.exports
	}
	return nil
}

func (c *comparison) instances(t, want *instanceType) string {
	c.introduce(want.fresh, &want.exports, &t.exports)
	return c.exports(&t.exports, &want.exports, "instance export")
}

func (c *comparison) exports(have, want *externs, what string) string {
	for _, w := range want.items {
		item, ok := have.find(w.name)
		if !ok {
			return fmt.Sprintf("missing expected export `%s`", w.name)
		}
		if reason := c.mismatch(item, w.entity); reason != "" {
			return fmt.Sprintf("type mismatch in %s `%s`: %s", what, w.name, reason)
		}
	}
	return ""
}

// components compares as if the expected component's imports were supplied to the component.
func (c *comparison) components(t, want *componentType) string {
	c.introduce(t.imported, &t.imports, &want.imports)
	for _, i := range t.imports.items {
		item, ok := want.imports.find(i.name)
		if !ok {
			return fmt.Sprintf("missing expected import `%s`", i.name)
		}
		if reason := c.mismatch(item, i.entity); reason != "" {
			return fmt.Sprintf("type mismatch in import `%s`: %s", i.name, reason)
		}
	}
	c.introduce(want.fresh, &want.exports, &t.exports)
	return c.exports(&t.exports, &want.exports, "export")
}
