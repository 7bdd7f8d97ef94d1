package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

// distinguished are the expressions of a file by which code tells values apart: in comparisons,
// cases, lists and keys of maps, and searches of packages slices and strings. A literal that is
// handed on, as by a client that calls a method, is none of them.
func distinguished(file *ast.File) (all []ast.Expr) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				all = append(all, n.X, n.Y)
			}
		case *ast.CaseClause:
			all = append(all, n.List...)
		case *ast.IndexExpr:
			all = append(all, n.Index)
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok {
				if pkg, ok := f.X.(*ast.Ident); ok && (pkg.Name == "slices" || pkg.Name == "strings") {
					all = append(all, n.Args...)
				}
			}
		case *ast.CompositeLit:
			all = append(all, elements(n)...)
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

// methodOf is the method of the management canister that an expression names, "" for none.
// named are the methods that constants of the package stand for.
func methodOf(x ast.Expr, named map[string]string) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if name, err := strconv.Unquote(x.Value); err == nil {
			return replica.FindManagementMethod(name).Name
		}
	case *ast.Ident:
		return named[x.Name]
	}
	return ""
}

// methodsIn are the methods that the files of a package tell apart, with their places.
func methodsIn(files ...*ast.File) map[token.Pos]string {
	named := make(map[string]string)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
				for i, value := range spec.Values {
					if method := methodOf(value, nil); method != "" {
						named[spec.Names[i].Name] = method
					}
				}
			}
			return true
		})
	}
	found := make(map[token.Pos]string)
	for _, file := range files {
		for _, x := range distinguished(file) {
			if method := methodOf(x, named); method != "" {
				found[x.Pos()] = method
			}
		}
	}
	return found
}

func TestOnlyTheTableOfMethodsTellsMethodsApart(t *testing.T) {
	packages := make(map[string][]*ast.File)
	var fset *token.FileSet
	for _, s := range sources(t) {
		if fset = s.fset; !s.test() && !s.generated() && s.dir() != "replica/internal/management" {
			packages[s.dir()] = append(packages[s.dir()], s.file)
		}
	}
	for _, files := range packages {
		for at, name := range methodsIn(files...) {
			t.Errorf("%s tells method %s apart by its name: make what is special about it a column of the type method "+
				"(replica/internal/management/methods.go) and ask for that (replica.FindManagementMethod, state.Management)", fset.Position(at), name)
		}
	}
}

func TestEveryWayToTellMethodsApartIsFound(t *testing.T) {
	for code, want := range map[string]int{
		`if m == "install_code" {}`:                               1,
		`if "install_code" != m {}`:                               1,
		`switch m { case "start_canister", "stop_canister": }`:    2,
		"const name = `install_code`; if m == name {}":            1,
		`const name = "install_code"; call(name)`:                 0,
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
