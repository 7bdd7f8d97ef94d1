package did

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// ParseWithInit reads a file that imports nothing, with the arguments of the service's installation in a separate text:
// the definitions they need, and a list of types, (principal, n : nat). Motoko writes them into modules in this form:
// the file as metadata candid:service, the arguments as candid:args. A file whose service is a constructor keeps its
// own arguments.
func ParseWithInit(text, args string) (*File, error) {
	b := newBuilder()
	main, err := b.source("", text)
	if err != nil {
		return nil, err
	}
	if main != nil && !main.hasInit {
		if err := b.initFrom(main, args); err != nil {
			return nil, fmt.Errorf("the arguments it is installed with: %w", err)
		}
	}
	b.file.main = main
	if err := b.resolve(); err != nil {
		return nil, err
	}
	return b.file, nil
}

// initFrom reads the arguments of the service from a separate text.
func (b *builder) initFrom(main *mainService, text string) error {
	p, err := syntax.NewParser(text, candid.MaxTextBytes)
	if err != nil {
		return err
	}
	known := len(b.file.defs)
	src := &source{parser: p}
	if err := b.definitions(src); err != nil {
		return err
	}
	if main.init, err = p.Args(); err != nil {
		return err
	}
	if p.Tok.Kind != syntax.EOF {
		return p.Unexpected("the end")
	}
	main.hasInit, main.initIn = true, src
	b.dropTwins(known)
	return nil
}

// dropTwins removes the definitions after the known ones that only repeat a definition.
func (b *builder) dropTwins(known int) {
	written := map[string]string{}
	kept := b.file.defs[:known:known]
	for i, d := range b.file.defs {
		q := printer{}
		q.typ(d.expr)
		if text := string(q.out); i < known {
			written[d.name] = text
		} else if before, twice := written[d.name]; !twice || before != text {
			kept = append(kept, d)
		}
	}
	b.file.defs = kept
}

// InitText returns the arguments of the service's installation, "(principal, n : nat)", or "" if it is not a
// constructor.
func (f *File) InitText() string {
	if !f.hasInit {
		return ""
	}
	p := printer{}
	p.args(f.main.init)
	return string(p.out)
}

// Constructor returns the text of the file, with the arguments of the service in place if they came in a separate text.
func (f *File) Constructor(text string) string {
	main := f.main
	if main == nil || main.initIn == nil || main.initIn == main.in || len(main.init) == 0 {
		return text
	}
	p := printer{}
	for _, d := range f.defs {
		if d.in == main.initIn {
			p.text("type ", d.name, " = ")
			p.typ(d.expr)
			p.text(";\n")
		}
	}
	p.text(text[:main.expr.Pos])
	p.args(main.init)
	p.text(" -> ", text[main.expr.Pos:])
	return string(p.out)
}
