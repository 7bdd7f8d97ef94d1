package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/canisterd/canisterd/"

// source is one Go file of the repository.
type source struct {
	path string // from the repository's root, with slashes
	text []byte
	file *ast.File
	fset *token.FileSet
}

func (s *source) test() bool      { return strings.HasSuffix(s.path, "_test.go") }
func (s *source) generated() bool { return ast.IsGenerated(s.file) }
func (s *source) dir() string     { return filepath.ToSlash(filepath.Dir(s.path)) }
func (s *source) line(p token.Pos) int {
	return s.fset.Position(p).Line
}

// root is the folder of the repository.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(filepath.Dir(dir))
}

// sources returns the Go files of the repository, which are read once. Nobody changes them.
func sources(t testing.TB) []*source {
	t.Helper()
	all, err := readSources(root(t))
	if err != nil {
		t.Fatalf("reading the repository: %v", err)
	}
	return all
}

var (
	readOnce sync.Once
	read     []*source
	readErr  error
)

// readSources reads the repository at its first call.
func readSources(top string) ([]*source, error) {
	readOnce.Do(func() {
		fset := token.NewFileSet()
		readErr = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != top && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == "testdata"):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go"):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(top, path)
			if err != nil {
				return err
			}
			read = append(read, &source{filepath.ToSlash(rel), text, file, fset})
			return nil
		})
		if readErr == nil && len(read) < 20 {
			readErr = fmt.Errorf("only %d Go files found under %s: the rules would hold for nothing", len(read), top)
		}
	})
	return read, readErr
}
