package architecture

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// A range over a map runs in another order every time. In the core such a loop
// must not let the order out, and a comment on it or on the line above says why
// it does not, with the word "order".
func TestMapsInTheCoreAreRangedOverOnlyWithACommentOnOrder(t *testing.T) {
	top := root(t)
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
		Dir:  top,
	}, "./candid/...", "./timers/...", "./intercanister/...", "./canister/...", "./replica/...", "./component/...")
	if err != nil {
		t.Fatalf("loading the core with types: %v", err)
	}
	ranges := 0
	for _, pkg := range loaded {
		for _, e := range pkg.Errors {
			t.Errorf("%s: %v", pkg.PkgPath, e)
		}
		for _, file := range pkg.Syntax {
			path := pkg.Fset.Position(file.Pos()).Filename
			rel, err := filepath.Rel(top, path)
			if err != nil {
				t.Fatal(err)
			}
			s := &source{path: filepath.ToSlash(rel), file: file, fset: pkg.Fset}
			if !deterministic(s) {
				continue
			}
			excused := excuses(s)
			ast.Inspect(file, func(n ast.Node) bool {
				r, ok := n.(*ast.RangeStmt)
				if !ok {
					return true
				}
				ranges++
				if _, isMap := pkg.TypesInfo.TypeOf(r.X).Underlying().(*types.Map); isMap {
					if at := s.line(r.Pos()); !excused[at] && !excused[at-1] {
						t.Errorf("%s:%d ranges over a map: its order differs from run to run; range over sorted keys or an ordered container, or say in a comment why the order cannot be seen", s.path, at)
					}
				}
				return true
			})
		}
	}
	if ranges == 0 {
		t.Fatal("no loop was looked at: the rule would hold for nothing")
	}
}

// excuses are the lines with a comment that speaks of order.
func excuses(s *source) map[int]bool {
	lines := map[int]bool{}
	for _, group := range s.file.Comments {
		if strings.Contains(group.Text(), "order") {
			for at := s.line(group.Pos()); at <= s.line(group.End()); at++ {
				lines[at] = true
			}
		}
	}
	return lines
}
