package did

import (
	"fmt"
	"path"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// builder collects the definitions of a file and its imports, then resolves
// them.
type builder struct {
	load Loader
	file *File
	seen map[string]*imported
}

func newBuilder() *builder {
	return &builder{load: noImports, file: &File{types: make(map[string]*candid.Type)}, seen: make(map[string]*imported)}
}

// imported is a file read by an import; main is nil while it is being read, and if it declares no service.
type imported struct {
	main  *mainService
	taken bool // by "import service"
}

// source reads one text and its imports. It returns the service that the text declares, and does not store it.
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

// imported reads an import. A file imported twice is read once.
func (b *builder) imported(src *source) error {
	p := src.parser
	takeService, err := p.Accept("service")
	if err != nil {
		return err
	}
	if p.Tok.Kind != syntax.Text {
		return p.Unexpected("the path of a file in quotes")
	}
	pos, file := p.Tok.Pos, relative(src.name, p.Tok.Text)
	if err := p.Advance(); err != nil {
		return err
	}
	read, seen := b.seen[file]
	if !seen {
		if read, err = b.read(src, pos, file); err != nil {
			return err
		}
	}
	if !takeService || read.taken {
		return nil
	}
	switch {
	case read.main == nil:
		return p.Fail(pos, "the imported file %q declares no service", file)
	case read.main.hasInit:
		return p.Fail(pos, "the service of the imported file %q is a constructor, which has no methods to take in", file)
	}
	read.taken = true
	b.file.bases = append(b.file.bases, read.main)
	return nil
}

// read loads an imported file and adds its definitions.
func (b *builder) read(src *source, pos int, file string) (*imported, error) {
	if len(b.seen) >= MaxImports {
		return nil, src.parser.Fail(pos, "more than %d files are imported", MaxImports)
	}
	read := &imported{}
	b.seen[file] = read
	text, err := b.load(file)
	if err != nil {
		return nil, src.parser.Fail(pos, "cannot import %q: %v", file, err)
	}
	read.main, err = b.source(file, text)
	return read, err
}

// relative returns the path of an import relative to the main file: imports are relative to the importing file.
// Absolute paths and URLs are unchanged.
func relative(importer, imported string) string {
	if path.IsAbs(imported) || strings.Contains(imported, ":") {
		return imported
	}
	return path.Join(path.Dir(importer), imported)
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
		main.hasInit, main.initIn = true, src
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
