package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// errNotSimple says that the value of a constant cannot be followed.
var errNotSimple = errors.New("a constant that is made of it is not simple")

// defined is a constant of the module and what it is defined as.
type defined struct {
	pkg   *packages.Package
	of    *types.Const
	value ast.Expr
}

// evaluator computes what constants become where another one changes.
type evaluator struct {
	constants map[string]defined
	usedBy    map[string][]string // the constants that are made of a constant
}

func newEvaluator(loaded []*packages.Package) *evaluator {
	e := &evaluator{map[string]defined{}, map[string][]string{}}
	for _, pkg := range loaded {
		for _, file := range pkg.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if decl, ok := n.(*ast.GenDecl); ok && decl.Tok == token.CONST {
					e.read(pkg, decl)
				}
				return true
			})
		}
	}
	return e
}

// read notes the constants of a declaration. One without an expression repeats the last.
func (e *evaluator) read(pkg *packages.Package, decl *ast.GenDecl) {
	var values []ast.Expr
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) > 0 {
			values = spec.Values
		}
		for i, name := range spec.Names {
			c, ok := pkg.TypesInfo.Defs[name].(*types.Const)
			if !ok || i >= len(values) {
				continue
			}
			key := constantName(pkg, c)
			if _, known := e.constants[key]; known {
				continue
			}
			e.constants[key] = defined{pkg, c, values[i]}
			ast.Inspect(values[i], func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if used, ok := pkg.TypesInfo.Uses[id].(*types.Const); ok {
						name := constantName(pkg, used)
						e.usedBy[name] = append(e.usedBy[name], key)
					}
				}
				return true
			})
		}
	}
}

// changed returns what follows each constant that changes with the named one.
func (e *evaluator) changed(name, operation string) (map[string]string, error) {
	d, ok := e.constants[name]
	if !ok {
		return nil, fmt.Errorf("%s is not in the packages", name)
	}
	if usesIota(d.value) {
		return nil, errNotSimple
	}
	op := token.MUL
	if operation == "/2" {
		op = token.QUO_ASSIGN
	}
	values := map[string]constant.Value{name: constant.BinaryOp(constant.ToInt(d.of.Val()), op, constant.MakeInt64(2))}
	result := map[string]string{name: operation}
	next := append([]string(nil), e.usedBy[name]...)
	affected := map[string]bool{}
	for len(next) > 0 {
		if !affected[next[0]] {
			affected[next[0]] = true
			next = append(next, e.usedBy[next[0]]...)
		}
		next = next[1:]
	}
	for key := range affected {
		v, err := e.constant(key, values, affected)
		if err != nil {
			return nil, err
		}
		before := constant.ToInt(e.constants[key].of.Val())
		switch {
		case constant.Compare(before, token.EQL, v):
		case before.Kind() == constant.Int && v.Kind() == constant.Int:
			delta := constant.BinaryOp(v, token.SUB, before)
			result[key] = "+(" + delta.ExactString() + ")"
		default:
			return nil, errNotSimple
		}
	}
	return result, nil
}

func usesIota(value ast.Expr) bool {
	found := false
	ast.Inspect(value, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == "iota"
		return true
	})
	return found
}

// constant returns the value of a constant where some have other values.
func (e *evaluator) constant(name string, values map[string]constant.Value, affected map[string]bool) (constant.Value, error) {
	if v, ok := values[name]; ok {
		return v, nil
	}
	d := e.constants[name]
	if usesIota(d.value) {
		return nil, errNotSimple
	}
	v, err := e.expression(d.pkg, d.value, values, affected)
	if err != nil {
		return nil, err
	}
	if basic, ok := d.of.Type().Underlying().(*types.Basic); ok && basic.Info()&types.IsInteger != 0 {
		v = constant.ToInt(v)
	}
	if v.Kind() != constant.Int && v.Kind() != constant.Bool {
		return nil, errNotSimple
	}
	values[name] = v
	return v, nil
}

func (e *evaluator) expression(pkg *packages.Package, x ast.Expr, values map[string]constant.Value, affected map[string]bool) (constant.Value, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.expression(pkg, x.X, values, affected)
	case *ast.SelectorExpr:
		return e.expression(pkg, x.Sel, values, affected)
	case *ast.Ident:
		if c, ok := pkg.TypesInfo.Uses[x].(*types.Const); ok {
			name := constantName(pkg, c)
			if _, changed := values[name]; changed || affected[name] {
				return e.constant(name, values, affected)
			}
			return constant.ToInt(c.Val()), nil
		}
	case *ast.BasicLit:
		if v := pkg.TypesInfo.Types[x].Value; v != nil && v.Kind() == constant.Int {
			return v, nil
		}
	case *ast.CallExpr: // a conversion
		if tv := pkg.TypesInfo.Types[x.Fun]; tv.IsType() {
			if basic, ok := tv.Type.Underlying().(*types.Basic); ok && basic.Info()&types.IsInteger != 0 {
				return e.expression(pkg, x.Args[0], values, affected)
			}
		}
	case *ast.BinaryExpr:
		return e.binary(pkg, x, values, affected)
	}
	return nil, errNotSimple
}

func (e *evaluator) binary(pkg *packages.Package, x *ast.BinaryExpr, values map[string]constant.Value, affected map[string]bool) (constant.Value, error) {
	a, err := e.expression(pkg, x.X, values, affected)
	if err != nil {
		return nil, err
	}
	b, err := e.expression(pkg, x.Y, values, affected)
	if err != nil {
		return nil, err
	}
	if a.Kind() != constant.Int || b.Kind() != constant.Int {
		return nil, errNotSimple
	}
	switch x.Op {
	case token.SHL, token.SHR:
		count, exact := constant.Uint64Val(b)
		if !exact || count > 512 {
			return nil, errNotSimple
		}
		return constant.Shift(a, x.Op, uint(count)), nil
	case token.QUO, token.REM:
		if constant.Sign(b) == 0 {
			return nil, errNotSimple
		}
		if x.Op == token.QUO {
			return constant.BinaryOp(a, token.QUO_ASSIGN, b), nil
		}
		return constant.BinaryOp(a, x.Op, b), nil
	case token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR:
		return constant.BinaryOp(a, x.Op, b), nil
	}
	return nil, errNotSimple
}
