package architecture

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// proof is a golden script or a test in Go: where it stands, its name, and what it says.
type proof struct {
	file, test string         // test is empty for a script
	words      map[string]int // in its texts
	literals   map[string]int // its texts as a whole, of tests only
}

func (p proof) script() bool { return p.test == "" }

// String is a link from the page to the file.
func (p proof) String() string {
	name := p.test
	if p.script() {
		name = path.Base(p.file)
	}
	return fmt.Sprintf("[`%s`](../../%s)", name, p.file)
}

var wordPattern = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

func wordsOf(texts ...string) map[string]int {
	words := make(map[string]int)
	for _, text := range texts {
		for _, word := range wordPattern.FindAllString(text, -1) {
			words[word]++
		}
	}
	return words
}

// proofs are all golden scripts and tests of the repository, in the order of their files.
func proofs(t *testing.T) []proof {
	t.Helper()
	all := scripts(t)
	for _, s := range sources(t) {
		if s.test() {
			all = append(all, testsOf(t, s)...)
		}
	}
	if len(all) < 100 {
		t.Fatalf("only %d tests and scripts found: the search is broken", len(all))
	}
	slices.SortStableFunc(all, func(a, b proof) int { return strings.Compare(a.file, b.file) })
	return all
}

func scripts(t *testing.T) (all []proof) {
	t.Helper()
	top := root(t)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "bin" && filepath.Dir(path) == filepath.Clean(top)) {
			return filepath.SkipDir
		}
		file, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		if d.IsDir() || !strings.Contains(file, "/testdata/") || filepath.Ext(file) != ".txt" {
			return nil
		}
		text, err := os.ReadFile(path)
		all = append(all, proof{file: file, words: wordsOf(uncommented(string(text)))})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// uncommented is a script without its comments, which only tell what it shows.
func uncommented(script string) string {
	var lines []string
	for line := range strings.Lines(script) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// testsOf are the tests of a file, each with its own strings and those of what it uses of
// the file: other functions, variables, constants.
func testsOf(t *testing.T, s *source) (all []proof) {
	t.Helper()
	declared := make(map[string]ast.Node)
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			declared[d.Name.Name] = d
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, name := range v.Names {
						declared[name.Name] = v
					}
				}
			}
		}
	}
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
			continue
		}
		one := proof{file: s.path, test: f.Name.Name, literals: make(map[string]int)}
		for _, quoted := range collect(f, declared, map[ast.Node]bool{}) {
			text, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("%s: %s: %v", s.path, quoted, err)
			}
			one.literals[text]++
		}
		one.words = make(map[string]int)
		for text, times := range one.literals {
			for word, n := range wordsOf(text) {
				one.words[word] += n * times
			}
		}
		all = append(all, one)
	}
	return all
}

// collect gathers the strings of a declaration and of what it names, as they are written.
func collect(n ast.Node, declared map[string]ast.Node, seen map[ast.Node]bool) (texts []string) {
	if seen[n] {
		return nil
	}
	seen[n] = true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				texts = append(texts, n.Value)
			}
		case *ast.Ident:
			if used := declared[n.Name]; used != nil {
				texts = append(texts, collect(used, declared, seen)...)
			}
		}
		return true
	})
	return texts
}

// selected is a line on which a file names something of package intercanister, or 0.
func selected(s *source, name string) (line int) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if x, ok := n.(*ast.SelectorExpr); ok && x.Sel.Name == name {
			if of, ok := x.X.(*ast.Ident); ok && of.Name == "intercanister" {
				line = s.line(x.Pos())
			}
		}
		return line == 0
	})
	return line
}

// search says which proofs count: those with a word, or with a whole text.
type search struct {
	word, literal string
	under         []string // folders
	but           string   // a file that does not count
	scripts       bool     // only scripts count
}

func (s *search) in(one *proof) int {
	within := slices.ContainsFunc(s.under, func(folder string) bool { return strings.HasPrefix(one.file, folder) })
	if !within || one.file == s.but || s.scripts && !one.script() {
		return 0
	}
	if s.literal != "" {
		return one.literals[s.literal]
	}
	return one.words[s.word]
}

// find gives the proofs that count, scripts before tests, and first those that say it most.
func (p *page) find(s search) (found []string) {
	var hits []*proof
	for i := range p.proofs {
		if s.in(&p.proofs[i]) > 0 {
			hits = append(hits, &p.proofs[i])
		}
	}
	slices.SortStableFunc(hits, func(a, b *proof) int {
		if a.script() != b.script() {
			if a.script() {
				return -1
			}
			return 1
		}
		return cmp.Compare(s.in(b), s.in(a))
	})
	for _, one := range hits {
		found = append(found, one.String())
	}
	return found
}
