package daemon_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

// distinguished are the literals of a file by which code tells values apart: in comparisons,
// cases, lists and keys of maps, constants, and searches of packages slices and strings. A
// literal that is handed on, as by a client that calls a method, is none of them.
func distinguished(file *ast.File) (all []*ast.BasicLit) {
	add := func(expressions ...ast.Expr) {
		for _, x := range expressions {
			if literal, ok := x.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				all = append(all, literal)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				add(n.X, n.Y)
			}
		case *ast.CaseClause:
			add(n.List...)
		case *ast.ValueSpec:
			add(n.Values...)
		case *ast.IndexExpr:
			add(n.Index)
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok {
				if pkg, ok := f.X.(*ast.Ident); ok && (pkg.Name == "slices" || pkg.Name == "strings") {
					add(n.Args...)
				}
			}
		case *ast.CompositeLit:
			add(elements(n)...)
		}
		return true
	})
	return all
}

// elements are the elements of a literal of a list and the keys of one of a map.
func elements(list *ast.CompositeLit) []ast.Expr {
	switch list.Type.(type) {
	case *ast.ArrayType:
		return list.Elts
	case *ast.MapType:
		var keys []ast.Expr
		for _, e := range list.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				keys = append(keys, pair.Key)
			}
		}
		return keys
	}
	return nil
}

// methodsIn are the methods of the management canister that a file tells apart, with their
// places.
func methodsIn(file *ast.File) map[token.Pos]string {
	found := make(map[token.Pos]string)
	for _, literal := range distinguished(file) {
		if name, err := strconv.Unquote(literal.Value); err == nil && replica.FindManagementMethod(name).Name != "" {
			found[literal.Pos()] = name
		}
	}
	return found
}

func TestOnlyTheTableOfMethodsTellsMethodsApart(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || s.generated() || strings.HasPrefix(s.dir(), "replica/internal/management") {
			continue
		}
		for at, name := range methodsIn(s.file) {
			t.Errorf("%s:%d tells method %s apart by its name: make what is special about it a column of the type method "+
				"(replica/internal/management/methods.go) and ask for that (replica.FindManagementMethod, state.Management)", s.path, s.line(at), name)
		}
	}
}

func TestEveryWayToTellMethodsApartIsFound(t *testing.T) {
	for code, want := range map[string]int{
		`if m == "install_code" {}`:                               1,
		`if "install_code" != m {}`:                               1,
		`switch m { case "start_canister", "stop_canister": }`:    2,
		`const name = "install_code"`:                             1,
		`_ = map[string]bool{"create_canister": true, "x": true}`: 1,
		`_ = free["create_canister"]`:                             1,
		`_ = []string{"raw_rand", "y"}`:                           1,
		`_ = slices.Contains(all, "raw_rand")`:                    1,
		`_ = strings.HasPrefix(m, "raw_rand")`:                    1,
		`_ = order{method: "install_code"}`:                       0,
		`call(ctx, "install_code")`:                               0,
		`if m == "greet" {}`:                                      0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+code+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := methodsIn(file); len(got) != want {
			t.Errorf("%s: %v, want %d", code, got, want)
		}
	}
}
