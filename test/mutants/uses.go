package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// target is what a mutant changes, as the tests can see it.
type target struct {
	subject string          // the constant, or the function with the comparison
	names   map[string]bool // that a test may use to see the change
}

// object is a constant or a variable of a package: its path and name.
type object struct{ pkg, name string }

// uses are what the constants and variables of the packages are part of the value of, in code
// without tests.
type uses struct {
	module  string
	defines map[object][]object
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
	u := &uses{defines: map[object][]object{}}
	for _, pkg := range loaded {
		for _, err := range pkg.Errors {
			return nil, fmt.Errorf("loading the code with types: %w", err)
		}
		u.module = pkg.Module.Path
		for _, file := range pkg.Syntax {
			for _, decl := range file.Decls {
				if decl, ok := decl.(*ast.GenDecl); ok {
					(&declarationUses{u, pkg}).read(decl)
				}
			}
		}
	}
	return u, nil
}

// target follows a mutant's constant through the constants and variables that it defines.
func (u *uses) target(m mutant) target {
	t := target{subject: m.subject, names: map[string]bool{}}
	if !m.constant {
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
		next = append(next, u.defines[o]...)
	}
	return t
}

// declarationUses reads the uses in one declaration of a package.
type declarationUses struct {
	*uses
	pkg *packages.Package
}

func (d *declarationUses) read(decl *ast.GenDecl) {
	for i, spec := range decl.Specs {
		if spec, ok := spec.(*ast.ValueSpec); ok {
			d.value(decl, i, spec)
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
	var made []object
	for _, name := range names {
		made = append(made, object{d.pkg.PkgPath, name.Name})
	}
	d.each(spec, func(o object) { d.defines[o] = append(d.defines[o], made...) })
}

// each calls f with each constant and variable of a package of the module that is used in n.
func (d *declarationUses) each(n ast.Node, f func(object)) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch o := d.pkg.TypesInfo.Uses[id].(type) {
		case *types.Const, *types.Var:
			if p := o.Pkg(); p != nil && strings.HasPrefix(p.Path(), d.pkg.Module.Path) && p.Scope().Lookup(o.Name()) == o {
				f(object{p.Path(), o.Name()})
			}
		}
		return true
	})
}
