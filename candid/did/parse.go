package did

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// builder collects the definitions of a file and its imports, then resolves
// them.
type builder struct {
	load Loader
	file *File
	seen map[string]bool
}

// source reads one text and what it imports; the service it declares is
// returned, not kept.
func (b *builder) source(name, text string) (*mainService, error) {
	p, err := syntax.NewParser(text, candid.MaxTextBytes)
	if err != nil {
		return nil, b.named(name, err)
	}
	src := &source{name: name, parser: p}
	if err := b.definitions(src); err != nil {
		return nil, b.named(name, err)
	}
	if !p.Is("service") {
		if p.Tok.Kind != syntax.EOF {
			return nil, b.named(name, p.Unexpected("“type”, “import” or “service”"))
		}
		return nil, nil
	}
	main, err := service(src)
	return main, b.named(name, err)
}

func (b *builder) named(name string, err error) error {
	if err == nil || name == "" {
		return err
	}
	return fmt.Errorf("in the imported file %q: %w", name, err)
}

func (b *builder) definitions(src *source) error {
	p := src.parser
	for p.Is("type") || p.Is("import") {
		keyword := p.Tok.Text
		if err := p.Advance(); err != nil {
			return err
		}
		read := b.definition
		if keyword == "import" {
			read = b.imported
		}
		if err := read(src); err != nil {
			return err
		}
		if p.Tok.Kind == syntax.EOF || p.Is("service") {
			return nil
		}
		if err := p.Expect(";"); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) definition(src *source) error {
	p := src.parser
	d := definition{pos: p.Tok.Pos, in: src}
	if p.Tok.Kind != syntax.Ident {
		return p.Unexpected("the name of a type")
	}
	if syntax.Primitive(p.Tok.Text) {
		return p.Fail(p.Tok.Pos, "“%s” is the name of a primitive type and cannot be defined", p.Tok.Text)
	}
	var err error
	if d.name, err = p.Name(); err != nil {
		return err
	}
	if err := p.Expect("="); err != nil {
		return err
	}
	if d.expr, err = p.Type(); err != nil {
		return err
	}
	if len(b.file.defs) >= MaxDefinitions {
		return p.Fail(d.pos, "more than %d types are defined", MaxDefinitions)
	}
	b.file.defs = append(b.file.defs, d)
	return nil
}

// imported reads an import. A file imported twice counts once.
func (b *builder) imported(src *source) error {
	p := src.parser
	takeService, err := p.Accept("service")
	if err != nil {
		return err
	}
	pos, path := p.Tok.Pos, p.Tok.Text
	if p.Tok.Kind != syntax.Text {
		return p.Unexpected("the path of a file in quotes")
	}
	if err := p.Advance(); err != nil {
		return err
	}
	if b.seen[path] {
		if takeService {
			return p.Fail(pos, "the file %q is imported twice: import its service in the first place", path)
		}
		return nil
	}
	if len(b.seen) >= MaxImports {
		return p.Fail(pos, "more than %d files are imported", MaxImports)
	}
	b.seen[path] = true
	text, err := b.load(path)
	if err != nil {
		return p.Fail(pos, "cannot import %q: %v", path, err)
	}
	main, err := b.source(path, text)
	if err != nil {
		return err
	}
	if !takeService {
		return nil
	}
	if main == nil {
		return p.Fail(pos, "the imported file %q declares no service", path)
	}
	b.file.bases = append(b.file.bases, main)
	return nil
}

// service reads the service declaration, up to the end of the text.
func service(src *source) (*mainService, error) {
	p := src.parser
	if err := p.Advance(); err != nil {
		return nil, err
	}
	main := &mainService{in: src}
	var err error
	if p.Tok.Kind == syntax.Ident {
		if main.name, err = p.Name(); err != nil {
			return nil, err
		}
	}
	if err := p.Expect(":"); err != nil {
		return nil, err
	}
	if p.Is("(") {
		main.hasInit = true
		if main.init, err = p.Args(); err != nil {
			return nil, err
		}
		if err := p.Expect("->"); err != nil {
			return nil, err
		}
	}
	main.expr = &syntax.Type{Op: "service", Pos: p.Tok.Pos}
	if p.Is("{") {
		main.expr.Methods, err = p.Methods()
	} else {
		main.expr.Op = ""
		main.expr.Name, err = p.Name()
	}
	if err != nil {
		return nil, err
	}
	if _, err := p.Accept(";"); err != nil {
		return nil, err
	}
	if p.Tok.Kind != syntax.EOF {
		return nil, p.Unexpected("the end")
	}
	return main, nil
}
