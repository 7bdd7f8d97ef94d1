package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// processes are the functions that start another process. Where it does not inherit
// the environment, no mutant is active there.
var processes = map[string]bool{"Command": true, "CommandContext": true, "Executable": true, "StartProcess": true}

// mentions are the identifiers in the test files of a package.
type mentions struct {
	declarations []declaration
	files        map[string]map[string]bool // by test: the identifiers in its file
}

// declaration is a top-level declaration of a test file.
type declaration struct {
	names []string
	test  bool // or an example or a fuzz target
	uses  map[string]bool
}

// readMentions reads the test files of a folder.
func readMentions(folder string) (mentions, error) {
	m := mentions{files: map[string]map[string]bool{}}
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return m, fmt.Errorf("looking for tests: %w", err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return m, fmt.Errorf("parsing tests: %w", err)
		}
		m.add(file)
	}
	return m, nil
}

func (m *mentions) add(file *ast.File) {
	all := identifiers(file)
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d := declaration{names: []string{decl.Name.Name}, uses: identifiers(decl)}
			if decl.Recv == nil && isTest(decl.Name.Name) {
				d.test = true
				m.files[decl.Name.Name] = all
			}
			m.declarations = append(m.declarations, d)
		case *ast.GenDecl:
			d := declaration{uses: identifiers(decl)}
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					d.names = append(d.names, n.Name.Name)
				case *ast.ValueSpec:
					for _, name := range n.Names {
						d.names = append(d.names, name.Name)
					}
				}
				return true
			})
			m.declarations = append(m.declarations, d)
		}
	}
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

func identifiers(n ast.Node) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found[id.Name] = true
		}
		return true
	})
	return found
}

// fileNames reports whether the file of a test has the identifier.
func (m mentions) fileNames(test, name string) bool { return m.files[test][name] }

// through returns the tests that use one of the names, themselves or through what the test
// files declare. Names are compared without their packages, so there may be too many.
func (m mentions) through(names map[string]bool) map[string]bool {
	tests, reached := map[string]bool{}, map[string]bool{}
	for name := range names {
		reached[name] = true
	}
	done := make([]bool, len(m.declarations))
	for grown := len(names) > 0; grown; {
		grown = false
		for i, d := range m.declarations {
			if done[i] || !intersect(d.uses, reached) {
				continue
			}
			done[i], grown = true, true
			for _, name := range d.names {
				if d.test {
					tests[name] = true
				} else {
					reached[name] = true
				}
			}
		}
	}
	return tests
}

func intersect(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for name := range a {
		if b[name] {
			return true
		}
	}
	return false
}
