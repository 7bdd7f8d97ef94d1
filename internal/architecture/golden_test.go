package architecture

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"
)

// TestGoldenFilesHaveOneHarness finds what a second harness needs: a flag of its own that writes files, or a loop over
// the scripts of testdata.
func TestGoldenFilesHaveOneHarness(t *testing.T) {
	for _, s := range sources(t) {
		if s.dir() == "internal/golden" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name := flagOf(call); name == "rewrite" || name == "update" || name == "golden" {
				t.Errorf("%s:%d has a flag %s: internal/golden has the flag -rewrite for all tests", s.path, s.line(call.Pos()), name)
			}
			if s.test() && loopsOverScripts(call) && !readsScripts[s.path] {
				t.Errorf("%s:%d reads the scripts of testdata: use Scripts or Transcripts of internal/golden", s.path, s.line(call.Pos()))
			}
			return true
		})
	}
}

// readsScripts are the tests that read scripts which others play.
var readsScripts = map[string]bool{
	"api/control/reasons_test.go":   true, // every reason has a script
	"api/control/grpc_page_test.go": true, // examples of the page come from scripts
}

// flagOf is the name of the flag that a call defines; empty for other calls.
func flagOf(call *ast.CallExpr) string {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 3 {
		return ""
	}
	if on, ok := f.X.(*ast.Ident); !ok || on.Name != "flag" {
		return ""
	}
	for _, arg := range call.Args[:2] { // flag.Bool has the name first, flag.BoolVar second
		if name := textIn(arg); name != "" {
			return name
		}
	}
	return ""
}

// loopsOverScripts reports whether a call lists the scripts of a folder testdata.
func loopsOverScripts(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Glob" {
		return false
	}
	for _, arg := range call.Args {
		if pattern := textIn(arg); strings.Contains(pattern, "*.txt") || strings.Contains(pattern, "*.golden") {
			return true
		}
	}
	return false
}

// textIn is the text of a literal; empty for other expressions.
func textIn(e ast.Expr) string {
	literal, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return text
}
