package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// shortestDeadline is the shortest deadline that a test may have. It ends a hang, on any busy computer.
const shortestDeadline = time.Minute

// forTests matches the folders of support packages, which have tests' code in files of other names.
var forTests = regexp.MustCompile(`(^|/)([a-z]+test|golden)(/|$)`)

// sleeperMark marks a line outside of a bubble whose function runs in bubbles only.
const sleeperMark = "// in a bubble"

func TestNoTestDependsOnTheWallClock(t *testing.T) {
	all := sources(t)
	c := newConstants(all)
	looked := 0
	for _, s := range all {
		if s.test() || forTests.MatchString(s.dir()) {
			looked++
			for _, fault := range clockFaults(s, c) {
				t.Errorf("%s:%d %s", s.path, fault.line, fault.text)
			}
		}
	}
	if looked < 300 {
		t.Fatalf("only %d files with tests were looked at: the rule would hold for nothing", looked)
	}
}

// clockFault is a line that makes a test depend on the wall clock.
type clockFault struct {
	line int
	text string
}

const (
	sleepText    = "sleeps: wait with internal/eventually, for a signal, or in a bubble of testing/synctest"
	measuresText = "measures time in a test: count steps, bytes or instructions; what measures time is a benchmark"
	deadlineText = "has a deadline or timer of %s: what ends a hang is at least %s (eventually.Limit); an expired deadline is 0 or less; time itself passes in a bubble of testing/synctest"
)

// clockFaults returns the lines of a file that depend on the wall clock, outside of bubbles.
func clockFaults(s *source, c constants) (faults []clockFault) {
	marked, bounded := markedLines(s), boundedLines(s)
	scope := c.scopeOf(s)
	report := func(n ast.Node, text string) {
		if at := s.line(n.Pos()); !marked[at] {
			faults = append(faults, clockFault{at, text})
		}
	}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch name := scope.called(n); {
			case name == "testing/synctest.Test":
				return false
			case name == "time.Sleep":
				report(n, sleepText)
			case name == "time.Since" && !measures(s, n) && !bounded[s.line(n.Pos())]:
				report(n, measuresText)
			default:
				if d, ok := scope.deadline(name, n); ok && d > 0 && d < shortestDeadline {
					report(n, fmt.Sprintf(deadlineText, d, shortestDeadline))
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Timeout" || key.Name == "WaitDelay") {
				if d, ok := scope.duration(n.Value); ok && d > 0 && d < shortestDeadline {
					report(n, fmt.Sprintf(deadlineText, d, shortestDeadline))
				}
			}
		}
		return true
	}
	ast.Inspect(s.file, visit)
	return faults
}

// markedLines are the lines that say that they run in a bubble.
func markedLines(s *source) map[int]bool {
	lines := map[int]bool{}
	for _, group := range s.file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, sleeperMark) {
				lines[s.line(comment.Pos())] = true
			}
		}
	}
	return lines
}

// boundedLines are the lines that compare with the limit of waits, which no busy computer reaches.
func boundedLines(s *source) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Limit" {
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "eventually" {
				lines[s.line(n.Pos())] = true
			}
		}
		return true
	})
	return lines
}

// measures reports whether a place may measure time: it is in a file or a function of benchmarks.
func measures(s *source, n ast.Node) bool {
	if name := path.Base(s.path); strings.Contains(name, "bench") || strings.Contains(name, "ratio") {
		return true
	}
	for _, decl := range s.file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || n.Pos() < f.Pos() || n.Pos() > f.End() {
			continue
		}
		return strings.HasPrefix(f.Name.Name, "Benchmark") || slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
			star, ok := p.Type.(*ast.StarExpr)
			if !ok {
				return false
			}
			named, ok := star.X.(*ast.SelectorExpr)
			return ok && named.Sel.Name == "B"
		})
	}
	return false
}

// TestADeadlineOrASleepThatIsPlantedIsFound holds the rule above against files that break it.
func TestADeadlineOrASleepThatIsPlantedIsFound(t *testing.T) {
	const head = "package p\nimport (\"context\"; \"net/http\"; \"testing\"; \"testing/synctest\"; \"time\")\nconst brief = 2*time.Second\nfunc TestX(t *testing.T) {\n"
	for _, c := range []struct{ code, finds string }{
		{`time.Sleep(time.Hour)`, "sleeps"},
		{`ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)`, "timer of 2s"},
		{`ctx, stop := context.WithTimeout(t.Context(), brief)`, "timer of 2s"},
		{`ctx, stop := context.WithDeadline(t.Context(), time.Now().Add(brief/2))`, "timer of 1s"},
		{`select { case <-time.After(300*time.Millisecond): }`, "timer of 300ms"},
		{`_ = http.Client{Timeout: 10*time.Second}`, "timer of 10s"},
		{`if time.Since(begun) > time.Hour { }`, "measures time"},
		{`ctx, stop := context.WithTimeout(t.Context(), time.Minute)`, ""},
		{`ctx, stop := context.WithTimeout(t.Context(), -time.Second)`, ""},
		{`synctest.Test(t, func(t *testing.T) { time.Sleep(time.Second) })`, ""},
		{`time.Sleep(f.takes) // in a bubble`, ""},
		{`if time.Since(roundOf(n)) > eventually.Limit { }`, ""},
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "planted_test.go", head+c.code+"\n}", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		planted := &source{path: "p/planted_test.go", file: file, fset: fset}
		faults := clockFaults(planted, newConstants([]*source{planted}))
		switch {
		case c.finds == "" && len(faults) > 0:
			t.Errorf("%s: found %q in code that keeps the rule", c.code, faults[0].text)
		case c.finds != "" && (len(faults) != 1 || faults[0].line != 5 || !strings.Contains(faults[0].text, c.finds)):
			t.Errorf("%s: found %v, want one fault with %q in line 5", c.code, faults, c.finds)
		}
	}
}
