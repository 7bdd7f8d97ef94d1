package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// testdata/error_texts.golden has the texts of errors and notes in the command and in the packages whose errors it prints
// as they are; docs/errors.md has those of the control API.
func TestEveryErrorTextOfTheCommandLineStandsInOneFile(t *testing.T) {
	var lines []string
	for _, root := range []string{".", "../../internal/project", "../../internal/quantity", "../../internal/candid/reference", "../../api/control/remote", "../../internal/clone", "../../internal/snapshotdir"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for _, text := range errorTexts(t, path) {
				lines = append(lines, strings.TrimPrefix(filepath.ToSlash(path), "../../")+": "+text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(lines) < 250 {
		t.Errorf("%d texts are found", len(lines))
	}
	golden.Compare(t, "testdata/error_texts.golden", strings.Join(lines, "\n")+"\n")
}

// errorTexts returns the texts of a file's errors and notes, in its order. Parts that are not literals are ….
func errorTexts(t *testing.T, path string) (texts []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !isCall || len(call.Args) == 0 {
			return true
		}
		called, isMethod := call.Fun.(*ast.SelectorExpr)
		if !isMethod || !slices.Contains([]string{"Errorf", "New", "note"}, called.Sel.Name) {
			return true
		}
		if text := literal(call.Args[0]); strings.Trim(text, "…") != "" {
			texts = append(texts, text)
		}
		return true
	})
	return texts
}

// literal returns the value of a text, with … for what is not a literal.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return "…"
}
