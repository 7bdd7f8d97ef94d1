package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// probeName is the name of the package probe in changed files, which no other has.
const probeName = "mutantprobe"

const probePath = "github.com/canisterd/canisterd/test/mutants/probe"

// span is a part of a file, in bytes.
type span struct{ from, to int }

// edit replaces a part of a file.
type edit struct {
	span
	with string
}

// site is an expression that a mutant changes.
type site struct {
	span
	id       int
	function string // of the package probe, with its type
	edits    []edit // what the mutant changes in it
	operands []span // of a comparison that cannot be computed twice; nil for others
	opposite bool   // the mutant turns it into its opposite
}

// rewrittenFile is a file and the places in it that mutants change.
type rewrittenFile struct {
	pkg   *packages.Package
	tree  *ast.File
	text  []byte
	sites []*site
}

func newRewrittenFile(pkg *packages.Package, path string, tree *ast.File) (*rewrittenFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a file to change: %w", err)
	}
	return &rewrittenFile{pkg: pkg, tree: tree, text: text}, nil
}

func (f *rewrittenFile) offset(p token.Pos) int { return f.pkg.Fset.PositionFor(p, false).Offset }

func (f *rewrittenFile) span(n ast.Node) span { return span{f.offset(n.Pos()), f.offset(n.End())} }

// find finds the uses of changed constants outside of declarations of constants, and the comparisons with
// an operator at one of the offsets.
func (f *rewrittenFile) find(changes map[string][]change, compared map[int]int) {
	var stack []ast.Node
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if decl, ok := n.(*ast.GenDecl); ok && (decl.Tok == token.CONST || decl.Tok == token.IMPORT) {
			return false
		}
		switch n := n.(type) {
		case *ast.Ident:
			if c, ok := f.pkg.TypesInfo.Uses[n].(*types.Const); ok {
				for _, change := range changes[constantName(f.pkg, c)] {
					f.use(n, stack, change)
				}
			}
		case *ast.BinaryExpr:
			if id, ok := compared[f.offset(n.OpPos)]; ok {
				f.compare(n, id)
			}
		}
		stack = append(stack, n)
		return true
	})
}

// use adds a use of a constant.
func (f *rewrittenFile) use(id *ast.Ident, stack []ast.Node, c change) {
	info := f.pkg.TypesInfo
	var named ast.Expr = id
	if len(stack) > 0 {
		if selector, ok := stack[len(stack)-1].(*ast.SelectorExpr); ok && selector.Sel == id {
			named, stack = selector, stack[:len(stack)-1]
		}
	}
	x := widen(info, named, stack)
	part := f.span(named)
	changed := edit{part, "(" + string(f.text[part.from:part.to]) + c.with + ")"}
	around := f.span(x)
	for _, s := range f.sites {
		if s.span == around && s.id == c.id {
			s.edits = append(s.edits, changed)
			return
		}
	}
	function := "Pick"
	if tv := info.Types[x]; tv.Value != nil && !hasType(info, id, tv.Type) {
		function += "[" + f.typeName(tv.Type) + "]"
	}
	f.sites = append(f.sites, &site{span: around, id: c.id, function: function, edits: []edit{changed}})
}

// hasType reports whether a constant makes an expression be of a type with a name, so that
// the compiler knows it.
func hasType(info *types.Info, id *ast.Ident, of types.Type) bool {
	basic, untyped := info.Uses[id].Type().(*types.Basic)
	_, named := of.(*types.Named)
	return named && !(untyped && basic.Info()&types.IsUntyped != 0)
}

// typeName is the name of a type in the file.
func (f *rewrittenFile) typeName(t types.Type) string {
	return types.TypeString(types.Default(t), func(p *types.Package) string {
		if p == f.pkg.Types {
			return ""
		}
		for _, spec := range f.tree.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == p.Path() && spec.Name != nil {
				return spec.Name.Name
			}
		}
		return p.Name()
	})
}

// functions are those of the package probe that compare.
var functions = map[token.Token]string{
	token.LSS: "Less", token.LEQ: "LessOrEqual", token.GTR: "Greater", token.GEQ: "GreaterOrEqual",
}

// compare adds a comparison.
func (f *rewrittenFile) compare(x *ast.BinaryExpr, id int) {
	s := &site{span: f.span(x), id: id, function: functions[x.Op]}
	switch at := f.offset(x.OpPos); {
	case s.function == "":
		s.function, s.opposite = "Not", true
	case pure(f.pkg.TypesInfo, x):
		s.function = "Pick"
		s.edits = []edit{{span{at, at + len(x.Op.String())}, flips[x.Op].String()}}
	default:
		s.operands = []span{f.span(x.X), f.span(x.Y)}
	}
	f.sites = append(f.sites, s)
}

// render returns the text of the file with calls, on the same lines; nil where there is nothing to
// change. Some mutants are left out.
func (f *rewrittenFile) render(out map[int]string) []byte {
	sites := slices.DeleteFunc(slices.Clone(f.sites), func(s *site) bool {
		_, left := out[s.id]
		return left
	})
	if len(sites) == 0 {
		return nil
	}
	// The outer ones first. In the same place a comparison that is computed in parts is the innermost.
	slices.SortStableFunc(sites, func(a, b *site) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to), cmp.Compare(len(a.operands), len(b.operands)))
	})
	name := f.offset(f.tree.Name.End())
	var b bytes.Buffer
	b.Write(f.text[:name])
	fmt.Fprintf(&b, "; import %s %q", probeName, probePath)
	f.part(&b, span{name, len(f.text)}, sites)
	return b.Bytes()
}

// part writes a part of the file with the sites in it.
func (f *rewrittenFile) part(b *bytes.Buffer, p span, sites []*site) {
	at := p.from
	for i, s := range sites {
		if s.from < at || s.to > p.to {
			continue // in one that is written, or not in this part
		}
		b.Write(f.text[at:s.from])
		f.call(b, s, sites[i+1:])
		at = s.to
	}
	b.Write(f.text[at:p.to])
}

// call writes the call for a site.
func (f *rewrittenFile) call(b *bytes.Buffer, s *site, inner []*site) {
	fmt.Fprintf(b, "%s.%s(%d, ", probeName, s.function, s.id)
	defer b.WriteString(")")
	if s.operands != nil {
		f.part(b, s.operands[0], inner)
		b.WriteString(", ")
		f.part(b, s.operands[1], inner)
		return
	}
	f.part(b, s.span, inner)
	if s.opposite {
		return
	}
	b.WriteString(", ")
	edits := map[span]edit{}
	for _, own := range append([]*site{s}, inner...) {
		if own.id != s.id || own.from < s.from || own.to > s.to {
			continue
		}
		for _, e := range own.edits { // all uses of the constant change, in smaller sites, too
			edits[e.span] = e
		}
	}
	at := s.from
	var mutated strings.Builder
	for _, part := range slices.SortedFunc(maps.Keys(edits), func(a, b span) int { return cmp.Compare(a.from, b.from) }) {
		mutated.Write(f.text[at:part.from])
		mutated.WriteString(edits[part].with)
		at = part.to
	}
	mutated.Write(f.text[at:s.to])
	if text := mutated.String(); strings.Contains(text, "//") {
		b.WriteString(text)
	} else {
		b.WriteString(strings.Join(strings.Fields(text), " "))
	}
}
