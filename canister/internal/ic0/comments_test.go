package ic0

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A row of the table of functions has a comment that begins with the function and its parameters.
func TestEveryFunctionHasAComment(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	commented := make(map[string]bool)
	for _, file := range files {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		above := make(map[int]string) // comments by the line after them
		for _, group := range parsed.Comments {
			above[set.Position(group.End()).Line+1] = group.Text()
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			row, ok := n.(*ast.CompositeLit)
			if !ok || len(row.Elts) == 0 {
				return true
			}
			field, ok := row.Elts[0].(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if key, ok := field.Key.(*ast.Ident); !ok || key.Name != "name" {
				return true
			}
			name, err := strconv.Unquote(field.Value.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			commented[name] = strings.HasPrefix(above[set.Position(row.Pos()).Line], name+"(")
			return true
		})
	}
	for _, f := range functions() {
		if !commented[f.name] {
			t.Errorf("ic0.%s has no comment %q in its row: say parameters, result, units and traps", f.name, f.name+"(…) …")
		}
	}
}
