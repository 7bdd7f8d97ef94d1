package architecture

import (
	"go/ast"
	"strings"
	"testing"
)

// TestEveryRatioHasALimitOrSaysWhyNot looks for calls f(b, 0, …) in benchmarks of ratios: the second argument is the
// limit.
func TestEveryRatioHasALimitOrSaysWhyNot(t *testing.T) {
	rows := 0
	for _, s := range sources(t) {
		if !s.test() {
			continue
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "BenchmarkRatio") {
				continue
			}
			rows++
			if withoutLimit(f) && !strings.Contains(strings.Join(strings.Fields(f.Doc.Text()), " "), "No limit: ") {
				t.Errorf("%s:%d: %s has no limit: give it one (test/bench/ratio), or a comment with \"No limit: \" and the reason", s.path, s.line(f.Pos()), f.Name.Name)
			}
		}
	}
	if rows == 0 {
		t.Error("there are no benchmarks of ratios")
	}
}

// withoutLimit reports whether a benchmark passes the limit 0 on.
func withoutLimit(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		b, isB := call.Args[0].(*ast.Ident)
		limit, isNumber := call.Args[1].(*ast.BasicLit)
		found = found || isB && b.Name == "b" && isNumber && limit.Value == "0"
		return true
	})
	return found
}
