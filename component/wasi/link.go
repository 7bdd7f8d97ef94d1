package wasi

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/component"
)

// linker supplies the interfaces of a component.
type linker struct {
	*Host
	names map[component.Type]string // of resources that were supplied: interfaces name those of others, too
}

// supply makes the instance that a component imports: what the host has, and refusals of the rest.
func (l *linker) supply(i component.Extern, have functions) (component.Imports, error) {
	all := component.Imports{}
	for _, item := range i.Instance {
		if item.Type.Kind() == component.KindResource {
			all[item.Name] = l.resource(item)
		}
	}
	for _, item := range i.Instance {
		if item.Func == nil {
			continue
		}
		f, ok := have[item.Name]
		switch {
		case !ok && isRefused(i.Name):
			all[item.Name] = refusal(i.Name, item)
		case !ok:
			return nil, fmt.Errorf("the component imports %s#%s, which this host does not have", i.Name, item.Name)
		case l.paramsText(item.Func) != f.params:
			return nil, fmt.Errorf("the component imports %s#%s with parameters (%s): those of WASI are (%s)", i.Name, item.Name, l.paramsText(item.Func), f.params)
		default:
			all[item.Name] = f.supplied
		}
	}
	return all, nil
}

// resource supplies a resource: those of this package by their names, under which the first interface has them.
func (l *linker) resource(item component.Extern) *component.ResourceType {
	name, ok := l.names[item.Type]
	if !ok {
		name = item.Name
		l.names[item.Type] = name
	}
	if l.types[name] == nil {
		l.types[name] = &component.ResourceType{}
	}
	return l.types[name]
}

// paramsText writes the types of the parameters of a function, which resources have by the names of this package.
func (l *linker) paramsText(f *component.FuncType) string {
	types := make([]string, len(f.Params))
	for i, p := range f.Params {
		types[i] = l.typeText(p.Type)
	}
	return strings.Join(types, ", ")
}

func (l *linker) typeText(t component.Type) string {
	var parts []string
	for _, f := range t.Fields() {
		if t.Kind() == component.KindEnum {
			parts = append(parts, f.Name)
		} else if (f.Type != component.Type{}) {
			parts = append(parts, l.typeText(f.Type))
		}
	}
	switch kind := t.Kind(); {
	case kind == component.KindEnum:
		return "enum(" + strings.Join(parts, ", ") + ")"
	case kind == component.KindBorrow, kind == component.KindOwn:
		return kind.String() + "<" + l.names[t.Resource()] + ">"
	case len(parts) == 0:
		return kind.String()
	default:
		return kind.String() + "<" + strings.Join(parts, ", ") + ">"
	}
}
