package wit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/component"
)

// Print gives the world of a component with imports and exports, and the interfaces that they name, by package. What WIT cannot
// express (components and core modules) is a comment.
func Print(imports, exports []component.Extern) string {
	p := &printer{owners: map[component.Type]place{}}
	p.collect(imports)
	p.collect(exports)
	w := &scope{printer: p, names: map[component.Type]string{}}
	p.line(0, "package root:component;")
	p.line(0, "")
	p.line(0, "world root {")
	p.world(w, "import", imports)
	if len(imports) > 0 && len(exports) > 0 {
		p.line(0, "")
	}
	p.world(w, "export", exports)
	p.line(0, "}")
	p.packages()
	return p.text.String()
}

// printer writes a world.
type printer struct {
	text       strings.Builder
	interfaces []namedInterface
	owners     map[component.Type]place // of types that interfaces name
}

// namedInterface is an interface of a package.
type namedInterface struct {
	pkg, version, name string
	items              []component.Extern
}

func (i *namedInterface) path() string { return withVersion(i.pkg+"/"+escaped(i.name), i.version) }

func (i *namedInterface) pkgVersion() string { return withVersion(i.pkg, i.version) }

func withVersion(name, version string) string {
	if version == "" {
		return name
	}
	return name + "@" + version
}

// place is where a type is defined.
type place struct {
	of   *namedInterface
	name string
}

func (p *printer) line(depth int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text != "" {
		text = strings.Repeat("  ", depth) + text
	}
	p.text.WriteString(text + "\n")
}

// collect keeps the interfaces of packages. One that is imported and exported has the same text.
func (p *printer) collect(externs []component.Extern) {
	for _, e := range externs {
		i, ok := parseInterface(e)
		if !ok {
			continue
		}
		if !slices.ContainsFunc(p.interfaces, func(o namedInterface) bool { return o.path() == i.path() }) {
			p.interfaces = append(p.interfaces, i)
		}
		for _, item := range i.items {
			p.own(&i, item)
		}
	}
}

func parseInterface(e component.Extern) (i namedInterface, ok bool) {
	if e.Sort != "instance" || !strings.Contains(e.Name, ":") {
		return i, false
	}
	name, version, _ := strings.Cut(e.Name, "@")
	pkg, name, ok := strings.Cut(name, "/")
	return namedInterface{pkg, version, name, e.Instance}, ok
}

// own records the first interface that names a type.
func (p *printer) own(i *namedInterface, item component.Extern) {
	if item.Type == (component.Type{}) {
		return
	}
	where, used := p.owners[item.Referenced]
	if !used {
		where = place{i, item.Name}
	}
	if _, taken := p.owners[item.Type]; !taken {
		p.owners[item.Type] = where
	}
}

func (p *printer) world(s *scope, verb string, externs []component.Extern) {
	s.nameTypes(externs)
	for _, e := range externs {
		if e.Sort == "type" {
			s.declare(1, e, externs)
		}
	}
	for _, e := range externs {
		i, named := parseInterface(e)
		switch {
		case named:
			p.line(1, "%s %s;", verb, i.path())
		case e.Sort == "instance":
			p.line(1, "%s %s: interface {", verb, escaped(e.Name))
			(&scope{printer: p, names: maps.Clone(s.names)}).items(2, e.Instance)
			p.line(1, "}")
		case e.Func != nil && !strings.HasPrefix(e.Name, "["):
			p.line(1, "%s %s: %s;", verb, escaped(e.Name), s.function(e.Func, 0))
		case e.Sort != "type" && e.Func == nil:
			p.line(1, "// %s %s: a %s", verb, e.Name, e.Sort)
		}
	}
}

// packages writes the interfaces of each package together, after those of the packages that they use.
func (p *printer) packages() {
	done := map[string]bool{}
	for i := range p.interfaces {
		p.packageOf(&p.interfaces[i], done)
	}
}

func (p *printer) packageOf(of *namedInterface, done map[string]bool) {
	if done[of.pkgVersion()] {
		return
	}
	done[of.pkgVersion()] = true
	var own []*namedInterface
	for i := range p.interfaces {
		if p.interfaces[i].pkgVersion() == of.pkgVersion() {
			own = append(own, &p.interfaces[i])
		}
	}
	for _, i := range own {
		for _, e := range i.items {
			if from, ok := p.owners[e.Referenced]; ok {
				p.packageOf(from.of, done)
			}
		}
	}
	p.line(0, "")
	p.line(0, "package %s {", of.pkgVersion())
	for _, i := range own {
		p.line(1, "interface %s {", escaped(i.name))
		(&scope{printer: p, of: i, names: map[component.Type]string{}}).items(2, i.items)
		p.line(1, "}")
	}
	p.line(0, "}")
}
