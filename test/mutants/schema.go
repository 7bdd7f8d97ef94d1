package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// schema is the repository with all mutants in it at once: each place that a mutant changes
// is a call of the package probe.
type schema struct {
	root    string
	numbers map[string]int    // from 1, by name of a mutant that is in it
	files   map[string][]byte // that are changed, by path
}

// newSchema puts the mutants into the code. Those that make no program in that form (a
// constant that is the length of an array) are left out.
func newSchema(root string, mutants []mutant) (*schema, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("finding the repository: %w", err)
	}
	loaded, err := load(root)
	if err != nil {
		return nil, err
	}
	s, _, err := weave(root, loaded, mutants)
	return s, err
}

// weave puts mutants into packages. It says why some are left out, by number.
func weave(root string, loaded []*packages.Package, mutants []mutant) (*schema, map[int]string, error) {
	out := map[int]string{}
	r := newRewriter(root, loaded, mutants, out)
	for _, pkg := range loaded {
		for i, file := range pkg.Syntax {
			if err := r.file(pkg, pkg.CompiledGoFiles[i], file); err != nil {
				return nil, nil, err
			}
		}
	}
	for {
		files := r.render()
		before := len(out)
		for _, pkg := range loaded {
			if err := check(pkg, loaded, files, out); err != nil {
				return nil, nil, err
			}
		}
		if len(out) == before {
			return r.schema(files), out, nil
		}
	}
}

// load reads the packages of the module and their tests.
func load(root string) ([]*packages.Package, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports | packages.NeedModule | packages.NeedForTest | packages.NeedTypesSizes,
		Dir: root, Tests: true,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("loading the code with types: %w", err)
	}
	for _, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			return nil, fmt.Errorf("loading the code with types: %w", pkg.Errors[0])
		}
	}
	// A package that is compiled with its tests has all files of the one without.
	slices.SortStableFunc(loaded, func(a, b *packages.Package) int { return len(b.ForTest) - len(a.ForTest) })
	return slices.DeleteFunc(loaded, func(p *packages.Package) bool { return strings.HasSuffix(p.ID, ".test") }), nil
}

// call is a call of the package probe with the number of a mutant.
var call = regexp.MustCompile(probeName + `\.\w+(?:\[[^\]]*\])?\((\d+),`)

// check checks a package with changed files. What it exports is what it was, so the packages that
// import it need not be read again.
func check(pkg *packages.Package, loaded []*packages.Package, files map[string][]byte, out map[int]string) error {
	fset := token.NewFileSet()
	var trees []*ast.File
	changed := false
	for _, path := range pkg.CompiledGoFiles {
		var text any
		if with, ok := files[path]; ok {
			text, changed = with, true
		}
		tree, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parsing a changed file: %w", err)
		}
		trees = append(trees, tree)
	}
	if !changed {
		return nil
	}
	var failed error
	config := types.Config{
		Importer: imports(pkg, loaded),
		Sizes:    pkg.TypesSizes,
		Error: func(err error) {
			if wrong := new(types.Error); errors.As(err, wrong) && !wrong.Soft {
				failed = cmp.Or(failed, leaveOut(out, files, fset.Position(wrong.Pos), err))
			}
		},
	}
	_, _ = config.Check(pkg.PkgPath, fset, trees, nil) // Error gets the errors
	return failed
}

// importer returns packages that are read.
type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if p, ok := i[path]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not among the imports", path)
}

func imports(pkg *packages.Package, loaded []*packages.Package) importer {
	all := importer{"unsafe": types.Unsafe}
	for _, p := range loaded {
		if p.PkgPath == probePath {
			all[probePath] = p.Types
		}
	}
	for _, p := range pkg.Types.Imports() {
		all[p.Path()] = p
	}
	return all
}

// leaveOut leaves out the mutants in the line of an error, or in the nearest line above.
func leaveOut(out map[int]string, files map[string][]byte, at token.Position, wrong error) error {
	lines := strings.Split(string(files[at.Filename]), "\n")
	for i := min(at.Line, len(lines)) - 1; i >= 0; i-- {
		calls := call.FindAllStringSubmatch(lines[i], -1)
		for _, c := range calls {
			id, _ := strconv.Atoi(c[1])
			out[id] = wrong.Error()
		}
		if len(calls) > 0 {
			return nil
		}
	}
	if len(out) > 0 {
		return nil // it may follow from another one
	}
	return fmt.Errorf("with all mutants, the code has an error: %w", wrong)
}

// rewriter finds the places that mutants change.
type rewriter struct {
	root      string
	mutants   []mutant
	out       map[int]string
	changes   map[string][]change // of constants, by their names
	compared  map[string]map[int]int
	values    *evaluator
	rewritten map[string]*rewrittenFile
}

// change is a mutant's replacement for a constant that it changes, or that depends on a changed one.
type change struct {
	id   int
	with string // what follows the constant
}

func newRewriter(root string, loaded []*packages.Package, mutants []mutant, out map[int]string) *rewriter {
	r := &rewriter{
		root: root, mutants: mutants, out: out, changes: map[string][]change{}, compared: map[string]map[int]int{},
		values: newEvaluator(loaded), rewritten: map[string]*rewrittenFile{},
	}
	module := ""
	for _, pkg := range loaded {
		module = pkg.Module.Path
	}
	for i, m := range mutants {
		if !m.constant {
			path := filepath.Join(root, m.file)
			if r.compared[path] == nil {
				r.compared[path] = map[int]int{}
			}
			r.compared[path][m.start] = i + 1
			continue
		}
		pkg := module
		if m.folder() != "." {
			pkg += "/" + m.folder()
		}
		changed, err := r.values.changed(pkg+"."+m.subject, m.operation())
		if err != nil {
			out[i+1] = err.Error()
			continue
		}
		for name, with := range changed {
			r.changes[name] = append(r.changes[name], change{i + 1, with})
		}
	}
	return r
}

// operation is what a mutant appends to its constant.
func (m mutant) operation() string { return m.with[strings.LastIndexByte(m.with, ')')+1:] }

// file finds the places in a file.
func (r *rewriter) file(pkg *packages.Package, path string, tree *ast.File) error {
	if r.rewritten[path] != nil || !strings.HasPrefix(path, r.root) {
		return nil
	}
	f, err := newRewrittenFile(pkg, path, tree)
	if err != nil {
		return err
	}
	r.rewritten[path] = f
	f.find(r.changes, r.compared[path])
	return nil
}

// render returns the files in which a mutant is.
func (r *rewriter) render() map[string][]byte {
	files := map[string][]byte{}
	for path, f := range r.rewritten {
		if text := f.render(r.out); text != nil {
			files[path] = text
		}
	}
	return files
}

func (r *rewriter) schema(files map[string][]byte) *schema {
	s := &schema{root: r.root, numbers: map[string]int{}, files: files}
	for i, m := range r.mutants {
		if _, left := r.out[i+1]; !left {
			s.numbers[m.name] = i + 1
		}
	}
	return s
}

// constantName names a constant: package constants by package and name, others by place.
func constantName(pkg *packages.Package, c *types.Const) string {
	if c.Pkg() == nil {
		return ""
	}
	if c.Parent() == c.Pkg().Scope() {
		return c.Pkg().Path() + "." + c.Name()
	}
	return pkg.Fset.Position(c.Pos()).String()
}
