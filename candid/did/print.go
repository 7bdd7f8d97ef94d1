package did

import (
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// String returns the file in canonical layout, with imported definitions in place and without comments. Parsing it
// gives an equal file.
func (f *File) String() string {
	p := printer{}
	for _, d := range f.defs {
		p.text("type ", d.name, " = ")
		p.typ(d.expr)
		p.text(";\n")
	}
	if f.main == nil {
		return string(p.out)
	}
	p.text("service ")
	if f.main.name != "" {
		p.text(f.main.name, " ")
	}
	p.text(": ")
	if f.main.hasInit {
		p.args(f.main.init)
		p.text(" -> ")
	}
	if len(f.bases) > 0 {
		p.methods(f.allMethods())
	} else if f.main.expr.Op == "" {
		p.text(f.main.expr.Name)
	} else {
		p.methods(f.main.expr.Methods)
	}
	p.text("\n")
	return string(p.out)
}

// allMethods returns the methods of the service and of the services it imports, as written.
func (f *File) allMethods() []syntax.Method {
	var all []syntax.Method
	for _, s := range append([]*mainService{f.main}, f.bases...) {
		expr := s.expr
		for expr.Op == "" {
			expr = f.defined(expr.Name)
		}
		all = append(all, expr.Methods...)
	}
	return all
}

func (f *File) defined(name string) *syntax.Type {
	for _, d := range f.defs {
		if d.name == name {
			return d.expr
		}
	}
	panic("did: " + name + " was resolved and is not defined")
}

// lineWidth is the preferred maximum length of a line.
const lineWidth = 80

// printer prints type expressions, on one line if they fit. With a limit, it stops and sets over once out is longer.
type printer struct {
	out    []byte
	indent int
	limit  int
	over   bool
}

func (p *printer) text(parts ...string) {
	for _, s := range parts {
		if p.limit > 0 && len(p.out)+len(s) > p.limit {
			p.over = true
			return
		}
		p.out = append(p.out, s...)
	}
}

func (p *printer) typ(e *syntax.Type) {
	if p.over {
		return
	}
	switch e.Op {
	case "":
		p.text(e.Name)
	case "opt", "vec":
		p.text(e.Op, " ")
		p.typ(e.Elem)
	case "record", "variant":
		p.text(e.Op, " ")
		p.group("{", "}", ";", len(e.Fields), func(q *printer, i int) { q.field(e.Fields[i]) })
	case "func":
		p.text("func ")
		p.function(e.Func)
	case "service":
		p.text("service ")
		p.methods(e.Methods)
	default:
		p.text(e.Op)
	}
}

func (p *printer) field(f syntax.Field) {
	switch f.Form {
	case syntax.ByName:
		p.text(syntax.Name(f.Name))
	case syntax.ByNumber:
		p.text(strconv.FormatUint(uint64(f.ID), 10))
	case syntax.ByPosition:
		p.typ(f.Type)
		return
	}
	if f.Type != nil {
		p.text(" : ")
		p.typ(f.Type)
	}
}

func (p *printer) function(f *syntax.Func) {
	p.args(f.Args)
	p.text(" -> ")
	p.args(f.Results)
	for _, mode := range f.Modes {
		p.text(" ", mode)
	}
}

func (p *printer) args(args []syntax.Arg) {
	p.group("(", ")", ",", len(args), func(q *printer, i int) {
		if args[i].Name != "" {
			q.text(syntax.Name(args[i].Name), " : ")
		}
		q.typ(args[i].Type)
	})
}

func (p *printer) methods(methods []syntax.Method) {
	if len(methods) == 0 {
		p.text("{}")
		return
	}
	p.lines("{", "}", ";", len(methods), func(q *printer, i int) {
		q.text(syntax.Name(methods[i].Name), " : ")
		if m := methods[i].Type; m.Op == "" {
			q.text(m.Name)
		} else {
			q.function(m.Func)
		}
	})
}

// group prints n elements on one line, or one per line if they do not fit.
func (p *printer) group(opening, closing, separator string, n int, element func(q *printer, i int)) {
	flat := func(q *printer) {
		pad := ""
		if opening == "{" && n > 0 {
			pad = " "
		}
		q.text(opening, pad)
		for i := 0; i < n && !q.over; i++ {
			if i > 0 {
				q.text(separator, " ")
			}
			element(q, i)
		}
		q.text(pad, closing)
	}
	if p.limit > 0 || n == 0 {
		flat(p)
		return
	}
	if left := lineWidth - (len(p.out) - p.lineStart()); left > 0 {
		q := printer{limit: left}
		if flat(&q); !q.over {
			p.out = append(p.out, q.out...)
			return
		}
	}
	p.lines(opening, closing, separator, n, element)
}

func (p *printer) lineStart() int {
	start := len(p.out)
	for start > 0 && p.out[start-1] != '\n' {
		start--
	}
	return start
}

func (p *printer) lines(opening, closing, separator string, n int, element func(q *printer, i int)) {
	p.text(opening)
	p.indent += 2
	for i := 0; i < n && !p.over; i++ {
		p.newline()
		element(p, i)
		p.text(separator)
	}
	p.indent -= 2
	p.newline()
	p.text(closing)
}

func (p *printer) newline() { p.text("\n", strings.Repeat(" ", min(p.indent, lineWidth))) }
