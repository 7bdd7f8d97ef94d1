package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// target is what a mutant changes, as the tests can see it.
type target struct {
	subject  string          // the constant, or the function with the comparison
	places   []place         // that run differently
	names    map[string]bool // that a test may use to see the change
	anywhere bool            // the change is in a type or a signature: any test may see it
}

// object is a constant or a variable of a package: its path and name.
type object struct{ pkg, name string }

// use is one use of an object in the code, without tests.
type use struct {
	place    place    // in a function; the zero place for none
	defines  []object // what it is part of the value of
	anywhere bool
}

// uses are the uses of the constants and variables of the packages, in code
// without tests.
type uses struct {
	root, module string
	of           map[object][]use
}

// readUses reads the module in root with types.
func readUses(root string) (*uses, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports | packages.NeedModule,
		Dir: root,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("loading the code with types: %w", err)
	}
	u := &uses{root: root, of: map[object][]use{}}
	for _, pkg := range loaded {
		for _, err := range pkg.Errors {
			return nil, fmt.Errorf("loading the code with types: %w", err)
		}
		u.module = pkg.Module.Path
		for _, file := range pkg.Syntax {
			for _, decl := range file.Decls {
				(&declarationUses{u, pkg}).read(decl)
			}
		}
	}
	return u, nil
}

// target follows a mutant's constant to each place that uses it, through the
// constants and variables that it defines.
func (u *uses) target(m mutant) target {
	t := target{subject: m.subject, names: map[string]bool{}}
	if !m.constant {
		t.places = []place{m.place}
		return t
	}
	seen := map[object]bool{}
	next := []object{{u.module + "/" + m.folder(), m.subject}}
	for len(next) > 0 {
		o := next[0]
		next = next[1:]
		if seen[o] {
			continue
		}
		seen[o] = true
		t.names[o.name] = true
		for _, use := range u.of[o] {
			t.anywhere = t.anywhere || use.anywhere
			next = append(next, use.defines...)
			if use.place.file != "" {
				t.places = append(t.places, use.place)
			}
		}
	}
	return t
}

// declarationUses reads the uses in one declaration of a package.
type declarationUses struct {
	*uses
	pkg *packages.Package
}

func (d *declarationUses) read(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		d.note(decl.Type, use{anywhere: true})
		if decl.Recv != nil {
			d.note(decl.Recv, use{anywhere: true})
		}
		if decl.Body != nil {
			d.noteBody(decl.Body, decl)
		}
	case *ast.GenDecl:
		for i, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				d.note(spec, use{anywhere: true})
			case *ast.ValueSpec:
				d.value(decl, i, spec)
			}
		}
	}
}

// value notes what the constants or variables of a declaration are made of.
func (d *declarationUses) value(decl *ast.GenDecl, i int, spec *ast.ValueSpec) {
	names := spec.Names
	for _, next := range decl.Specs[i+1:] { // which repeat the expression where they have none
		if repeats := next.(*ast.ValueSpec); decl.Tok == token.CONST && len(repeats.Values) == 0 {
			names = append(names[:len(names):len(names)], repeats.Names...)
		} else {
			break
		}
	}
	var u use
	for _, name := range names {
		u.defines = append(u.defines, object{d.pkg.PkgPath, name.Name})
		u.anywhere = u.anywhere || name.Name == "_"
	}
	d.note(spec, u)
	ast.Inspect(spec, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			d.noteBody(f.Body, f)
		}
		return true
	})
}

// note notes the use for each object that the node names.
func (d *declarationUses) note(n ast.Node, u use) {
	d.each(n, func(o object, _ *ast.Ident) { d.of[o] = append(d.of[o], u) })
}

// noteBody notes where in a function each object is used.
func (d *declarationUses) noteBody(body, function ast.Node) {
	d.each(body, func(o object, id *ast.Ident) {
		file, err := filepath.Rel(d.root, d.pkg.Fset.Position(id.Pos()).Filename)
		if err != nil {
			d.of[o] = append(d.of[o], use{anywhere: true})
			return
		}
		p := place{filepath.ToSlash(file), d.point(id.Pos()), d.point(function.Pos()), d.point(function.End())}
		d.of[o] = append(d.of[o], use{place: p})
	})
}

func (d *declarationUses) point(p token.Pos) point {
	at := d.pkg.Fset.Position(p)
	return point{at.Line, at.Column}
}

// each calls f with each constant and variable of a package of the module that is used in n.
func (d *declarationUses) each(n ast.Node, f func(object, *ast.Ident)) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch o := d.pkg.TypesInfo.Uses[id].(type) {
		case *types.Const, *types.Var:
			if p := o.Pkg(); p != nil && strings.HasPrefix(p.Path(), d.pkg.Module.Path) && p.Scope().Lookup(o.Name()) == o {
				f(object{p.Path(), o.Name()}, id)
			}
		}
		return true
	})
}
