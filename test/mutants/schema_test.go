package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/canisterd/canisterd/test/mutants/probe"
)

// limits are constants that are doubled and halved: 1 and 2 are MaxA, 3 and 4 MaxB, and so on.
const limits = "package p\n\nconst (\n\tMaxA = 8\n\tMaxB uint8 = 3\n\tMaxC = 5\n)\n"

// rewritten returns a file with each mutant of the constants in limits and of the comparisons in the file
// itself, without its first line, and the mutants that are left out.
func rewritten(t *testing.T, text string) (after string, out map[int]string) {
	t.Helper()
	root := t.TempDir()
	fset := token.NewFileSet()
	pkg := &packages.Package{PkgPath: "m", Module: &packages.Module{Path: "m"}, Fset: fset, TypesInfo: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}}
	for _, f := range [][2]string{{"limits.go", limits}, {"p.go", "package p\n" + text}} {
		path := filepath.Join(root, f[0])
		if err := os.WriteFile(path, []byte(f[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		tree, err := parser.ParseFile(fset, path, f[1], parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkg.CompiledGoFiles, pkg.Syntax = append(pkg.CompiledGoFiles, path), append(pkg.Syntax, tree)
	}
	var err error
	if pkg.Types, err = (&types.Config{}).Check("m", fset, pkg.Syntax, pkg.TypesInfo); err != nil {
		t.Fatal(err)
	}
	calls, err := (&types.Config{}).Check(probePath, fset, []*ast.File{parsed(t, fset)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	loaded := []*packages.Package{pkg, {PkgPath: probePath, Types: calls, Module: pkg.Module}}
	mutants, err := mutantsOf(root, "limits.go", constants)
	if err != nil {
		t.Fatal(err)
	}
	flipped, err := mutantsOf(root, "p.go", comparisons)
	if err != nil {
		t.Fatal(err)
	}
	s, out, err := weave(root, loaded, append(mutants, flipped...))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ = strings.Cut(string(s.files[filepath.Join(root, "p.go")]), "\n")
	return strings.TrimSpace(strings.ReplaceAll(after, probeName+".", "")), maps.Clone(out)
}

// parsed is what code needs of the package probe.
func parsed(t *testing.T, fset *token.FileSet) *ast.File {
	t.Helper()
	tree, err := parser.ParseFile(fset, "probe.go", `package probe
func Pick[T comparable](mutant int, original, mutated T) T { return original }
func Not(mutant int, original bool) bool { return original }
func Less[T int | uint8](mutant int, a, b T) bool { return a < b }
`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestTheLargestExpressionThatCanBeComputedTwiceIsPicked(t *testing.T) {
	for before, want := range map[string]string{
		"var v = MaxA": "var v = Pick[int](1, Pick[int](2, MaxA, (MaxA/2)), (MaxA*2))",
		"func f(n uint64) uint64 { return n + MaxA }": "func f(n uint64) uint64 { return Pick(1, Pick(2, n + MaxA, n + (MaxA/2)), n + (MaxA*2)) }",
		"var v = MaxB":                             "var v = Pick[uint8](3, Pick[uint8](4, MaxB, (MaxB/2)), (MaxB*2))",
		"func g() int\nvar v = g() + MaxA":         "func g() int\nvar v = g() + Pick[int](1, Pick[int](2, MaxA, (MaxA/2)), (MaxA*2))",
		"func f(n int) int { return n / MaxA }":    "func f(n int) int { return n / Pick[int](1, Pick[int](2, MaxA, (MaxA/2)), (MaxA*2)) }",
		"const d = MaxA*MaxA + 1\nvar v int64 = d": "const d = MaxA*MaxA + 1\nvar v int64 = Pick[int64](1, Pick[int64](2, d, (d+(-48))), (d+(192)))",
		"func f(n int) int { return (n/MaxA + 2) * MaxA }": "func f(n int) int { return " +
			"Pick(1, Pick(2, (n/Pick[int](1, Pick[int](2, MaxA, (MaxA/2)), (MaxA*2)) + 2) * MaxA, " +
			"(n/(MaxA/2) + 2) * (MaxA/2)), (n/(MaxA*2) + 2) * (MaxA*2)) }",
		"func f(p *int) bool { return p == nil }":        "func f(p *int) bool { return Not(7, p == nil) }",
		"func g() int\nfunc f() bool { return g() < 2 }": "func g() int\nfunc f() bool { return Less(7, g() , 2) }",
		"func f(n int) bool { return n < 2 }":            "func f(n int) bool { return Pick(7, n < 2, n <= 2) }",
	} {
		got, out := rewritten(t, before)
		if strings.ReplaceAll(got, " ,", ",") != strings.ReplaceAll(want, " ,", ",") {
			t.Errorf("%s\nbecomes\n%s\nwant\n%s\n(left out: %v)", before, got, want, out)
		}
	}
}

func TestAMutantThatNeedsAConstantIsLeftOutAndTheOthersStay(t *testing.T) {
	got, out := rewritten(t, "var a [MaxA]int\nvar v = MaxA\nvar w = MaxC")
	if want := "var a [MaxA]int\nvar v = MaxA\nvar w = Pick[int](5, Pick[int](6, MaxC, (MaxC/2)), (MaxC*2))"; got != want {
		t.Errorf("the code becomes\n%s\nwant\n%s", got, want)
	}
	if len(out) != 2 || out[1] == "" || out[2] == "" {
		t.Errorf("%v are left out, want 1 and 2", out)
	}
}

func TestTheVariablesAreThoseOfThePackageProbe(t *testing.T) {
	if activeVariable != probe.ActiveVariable || infectedVariable != probe.InfectedVariable {
		t.Error("the variables have other names than in the package probe")
	}
}
