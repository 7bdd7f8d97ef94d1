package architecture

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"time"
)

// constants are the constants and initialized variables of all packages, by folder and name. They are read without
// types: the values of durations are all that is asked for.
type constants map[string]map[string]constant

// constant is an expression, and the file in which its names are looked up.
type constant struct {
	value ast.Expr
	in    *source
}

func newConstants(all []*source) constants {
	c := constants{}
	for _, s := range all {
		names := c[s.dir()]
		if names == nil {
			names = map[string]constant{}
			c[s.dir()] = names
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
				for i, name := range v.Names {
					names[name.Name] = constant{v.Values[i], s}
				}
			}
			return true
		})
	}
	return c
}

// clockScope is one file, in which names of durations and of functions are looked up.
type clockScope struct {
	all     constants
	source  *source
	imports map[string]string // paths, by the name in this file
}

func (c constants) scopeOf(s *source) clockScope {
	scope := clockScope{c, s, map[string]string{}}
	for _, imp := range s.file.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		name := path[strings.LastIndex(path, "/")+1:]
		if imp.Name != nil {
			name = imp.Name.Name
		}
		scope.imports[name] = path
	}
	return scope
}

// called returns the function of a package that a call names, as path.Name; empty for other calls.
func (s clockScope) called(call *ast.CallExpr) string {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if pkg, ok := f.X.(*ast.Ident); ok && s.imports[pkg.Name] != "" {
		return s.imports[pkg.Name] + "." + f.Sel.Name
	}
	return ""
}

// durationAt is the position of the duration in the arguments of functions that make a timer or a deadline.
var durationAt = map[string]int{
	"time.After": 0, "time.NewTimer": 0, "time.NewTicker": 0, "time.Tick": 0, "time.AfterFunc": 0,
	"context.WithTimeout": 1, "context.WithTimeoutCause": 1, "net.DialTimeout": 2,
}

// deadline returns how far away the deadline is that a call makes, if it makes one and its duration is a constant.
func (s clockScope) deadline(name string, call *ast.CallExpr) (time.Duration, bool) {
	if at, ok := durationAt[name]; ok && at < len(call.Args) {
		return s.duration(call.Args[at])
	}
	// time.Now().Add(duration)
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Add" || len(call.Args) != 1 {
		return 0, false
	}
	if now, ok := f.X.(*ast.CallExpr); ok && s.called(now) == "time.Now" {
		return s.duration(call.Args[0])
	}
	return 0, false
}

// durationUnits are the units of package time.
var durationUnits = map[string]time.Duration{
	"Nanosecond": time.Nanosecond, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
	"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
}

// duration returns the value of an expression of units of time, if it is constant.
func (s clockScope) duration(e ast.Expr) (time.Duration, bool) {
	value, ok := s.number(e, 0)
	return time.Duration(value), ok && s.hasUnit(e, 0)
}

// constantDepth is the number of names that are followed from one to the next.
const constantDepth = 8

// number returns the value of an expression of literals, units of time and names of constants.
func (s clockScope) number(e ast.Expr, depth int) (float64, bool) {
	if depth > constantDepth {
		return 0, false
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		n, err := strconv.ParseFloat(strings.ReplaceAll(e.Value, "_", ""), 64)
		return n, err == nil
	case *ast.ParenExpr:
		return s.number(e.X, depth)
	case *ast.UnaryExpr:
		n, ok := s.number(e.X, depth)
		return -n, ok && e.Op == token.SUB
	case *ast.BinaryExpr:
		x, known := s.number(e.X, depth)
		y, ok := s.number(e.Y, depth)
		return calculate(e.Op, x, y), known && ok
	case *ast.Ident, *ast.SelectorExpr:
		if unit, ok := s.unit(e); ok {
			return float64(unit), true
		}
		if in, value, ok := s.named(e); ok {
			return in.number(value, depth+1)
		}
	}
	return 0, false
}

func calculate(op token.Token, x, y float64) float64 {
	switch op {
	case token.MUL:
		return x * y
	case token.QUO:
		return x / y
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	}
	return 0
}

// hasUnit reports whether an expression has a unit of time in it, or names one that does.
func (s clockScope) hasUnit(e ast.Expr, depth int) (has bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || has || depth > constantDepth {
			return false
		}
		if _, ok := s.unit(x); ok {
			has = true
			return false
		}
		if in, value, ok := s.named(x); ok {
			has = in.hasUnit(value, depth+1)
			return false
		}
		return true
	})
	return has
}

// unit returns the unit of package time that an expression names.
func (s clockScope) unit(e ast.Expr) (time.Duration, bool) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return 0, false
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok || s.imports[pkg.Name] != "time" {
		return 0, false
	}
	unit, ok := durationUnits[sel.Sel.Name]
	return unit, ok
}

// named returns the expression that a name of this package, or of another one of this module, stands for.
func (s clockScope) named(e ast.Expr) (clockScope, ast.Expr, bool) {
	dir, name := "", ""
	switch e := e.(type) {
	case *ast.Ident:
		dir, name = s.source.dir(), e.Name
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			if path, ok := strings.CutPrefix(s.imports[pkg.Name], module); ok {
				dir, name = path, e.Sel.Name
			}
		}
	}
	found, ok := s.all[dir][name]
	if !ok || found.value == nil {
		return clockScope{}, nil, false
	}
	return s.all.scopeOf(found.in), found.value, true
}
