package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one small change of one file.
type mutant struct {
	file       string // relative to the repository
	name       string // unique: file, place in it, change
	start, end int    // the bytes of the file that are replaced
	with       string

	subject  string // the constant, or the function with the comparison
	constant bool
}

// apply returns the text of the file with the change.
func (m mutant) apply(text []byte) []byte {
	return slices.Concat(text[:m.start], []byte(m.with), text[m.end:])
}

// folder is the package of the mutant, relative to the repository.
func (m mutant) folder() string { return filepath.ToSlash(filepath.Dir(m.file)) }

// rank is the mutant's place in a sample of that seed. It depends on nothing but its name.
func (m mutant) rank(seed uint64) uint64 {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), m.name...))
	return binary.BigEndian.Uint64(sum[:])
}

// find lists the mutants of a repository, in the order of files and places.
func find(root string) ([]mutant, error) {
	limits, err := limitsFiles(root)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, file := range limits {
		found, err := mutantsOf(root, file, constants)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	for _, file := range compared {
		found, err := mutantsOf(root, file, comparisons)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// limitsFiles lists each limits.go below root, sorted by path.
func limitsFiles(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".git") || d.Name() == "node_modules" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		if d.Name() == "limits.go" {
			relative, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			files = append(files, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for limits.go: %w", err)
	}
	return files, nil
}

// source is one parsed file.
type source struct {
	path string
	text []byte
	fset *token.FileSet
	tree *ast.File
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// code is an expression as it stands in the file, on one line.
func (s *source) code(e ast.Expr) string {
	return strings.Join(strings.Fields(string(s.text[s.offset(e.Pos()):s.offset(e.End())])), " ")
}

func mutantsOf(root, file string, of func(*source) []mutant) ([]mutant, error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, fmt.Errorf("reading a file to change: %w", err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing a file to change: %w", err)
	}
	mutants := of(&source{file, text, fset, tree})
	distinguish(mutants)
	return mutants, nil
}

// distinguish numbers mutants of the same name: the same comparison may occur
// twice in a function.
func distinguish(mutants []mutant) {
	seen := map[string]int{}
	for i := range mutants {
		m := &mutants[i]
		seen[m.name]++
		if n := seen[m.name]; n > 1 {
			m.name = fmt.Sprintf("%s (%d)", m.name, n)
		}
	}
}

// constants doubles and halves each integer constant of a file. A constant that
// only repeats another one by name is left out: the other one is changed.
func constants(s *source) []mutant {
	var mutants []mutant
	for _, decl := range s.tree.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			values := spec.(*ast.ValueSpec)
			for i, value := range values.Values {
				if !numeric(value) {
					continue
				}
				for _, change := range []struct{ what, operation string }{{"doubled", "*2"}, {"halved", "/2"}} {
					mutants = append(mutants, mutant{
						file: s.path, name: s.path + ":" + values.Names[i].Name + ": " + change.what,
						start: s.offset(value.Pos()), end: s.offset(value.End()), with: "(" + s.code(value) + ")" + change.operation,
						subject: values.Names[i].Name, constant: true,
					})
				}
			}
		}
	}
	return mutants
}

// numeric reports whether an expression has an integer literal and no other.
func numeric(e ast.Expr) bool {
	integer, other := false, false
	ast.Inspect(e, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok {
			integer = integer || literal.Kind == token.INT
			other = other || literal.Kind != token.INT
		}
		return true
	})
	return integer && !other
}

// flips are the comparisons and their replacements.
var flips = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR,
}

// comparisons flips each comparison in the functions of a file.
func comparisons(s *source) []mutant {
	var mutants []mutant
	for _, decl := range s.tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			comparison, ok := n.(*ast.BinaryExpr)
			if !ok {
				return true
			}
			if to, ok := flips[comparison.Op]; ok {
				at := s.offset(comparison.OpPos)
				mutants = append(mutants, mutant{
					file: s.path, name: fmt.Sprintf("%s:%s: %s becomes %s in %s", s.path, f.Name.Name, comparison.Op, to, s.code(comparison)),
					start: at, end: at + len(comparison.Op.String()), with: to.String(),
					subject: f.Name.Name,
				})
			}
			return true
		})
	}
	return mutants
}
