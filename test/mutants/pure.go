package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// pure reports whether an expression can be computed twice: without calls of functions.
func pure(info *types.Info, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return pure(info, x.X)
	case *ast.SelectorExpr:
		return pure(info, x.X)
	case *ast.StarExpr:
		return pure(info, x.X)
	case *ast.IndexExpr:
		return pure(info, x.X) && pure(info, x.Index)
	case *ast.SliceExpr:
		for _, part := range []ast.Expr{x.X, x.Low, x.High, x.Max} {
			if part != nil && !pure(info, part) {
				return false
			}
		}
		return true
	case *ast.UnaryExpr:
		return x.Op != token.ARROW && x.Op != token.AND && pure(info, x.X)
	case *ast.BinaryExpr:
		return pure(info, x.X) && pure(info, x.Y)
	case *ast.CallExpr:
		if !harmless(info, x) {
			return false
		}
		for _, arg := range x.Args {
			if !pure(info, arg) {
				return false
			}
		}
		return true
	}
	return false
}

// harmless reports whether a call is a conversion, or computes a number without a side effect.
func harmless(info *types.Info, call *ast.CallExpr) bool {
	tv := info.Types[call.Fun]
	if tv.IsType() {
		_, basic := tv.Type.Underlying().(*types.Basic)
		return basic
	}
	if id, ok := call.Fun.(*ast.Ident); ok && tv.IsBuiltin() {
		switch id.Name {
		case "len", "cap", "min", "max":
			return true
		}
	}
	return false
}

// widen returns the largest expression around x that can be computed twice, with x changed in
// one of them: the tests that come near a limit differ from those that use it. The stack has the nodes
// around x, the innermost last.
func widen(info *types.Info, x ast.Expr, stack []ast.Node) ast.Expr {
	for i := len(stack) - 1; i >= 0; i-- {
		around, ok := stack[i].(ast.Expr)
		if !ok || !widens(info, around, x) || !simple(info, around) {
			return x
		}
		x = around
	}
	return x
}

// simple reports whether the values of an expression can be compared.
func simple(info *types.Info, x ast.Expr) bool {
	if tv := info.Types[x]; tv.Type != nil {
		_, ok := tv.Type.Underlying().(*types.Basic)
		return ok
	}
	return false
}

// widens reports whether an expression can be computed twice, as x in it can.
func widens(info *types.Info, around, x ast.Expr) bool {
	switch around := around.(type) {
	case *ast.ParenExpr:
		return true
	case *ast.SelectorExpr:
		return around.Sel == x
	case *ast.UnaryExpr:
		return around.Op != token.ARROW && around.Op != token.AND
	case *ast.CallExpr:
		return around.Fun != x && harmless(info, around) && pure(info, around)
	case *ast.BinaryExpr:
		switch around.Op {
		case token.LAND, token.LOR:
			return false // the right side may fail where the left one changes
		case token.QUO, token.REM, token.SHL, token.SHR:
			if info.Types[around].Value == nil {
				return around.X == x && pure(info, around.Y) // the mutant may divide by 0
			}
		}
		return pure(info, around)
	}
	return false
}
