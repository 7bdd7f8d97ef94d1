package architecture

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

const (
	platformsPage = "docs/internals/platforms.md"

	// systemCallsBegin and systemCallsEnd enclose the table of the page that the test generates.
	systemCallsBegin = "<!-- system calls -->\n"
	systemCallsEnd   = "<!-- end -->\n"
)

var (
	// systemPackages call the operating system directly.
	systemPackages = []string{"syscall", "golang.org/x/sys/unix", "golang.org/x/sys/windows"}

	// systemTypes are types of those packages: an expression T(x) with one of them is a conversion, not a call.
	systemTypes = []string{"Errno", "Signal", "Handle"}

	// supportedSystems are the operating systems for which there are packages.
	supportedSystems = []string{"linux", "darwin", "windows"}
)

// systemCall is a system call of a package of the product.
type systemCall struct{ dir, name string }

// TestThePageOfPlatformsListsEachSystemCall compares the page with the calls in the code of each operating system.
func TestThePageOfPlatformsListsEachSystemCall(t *testing.T) {
	calls := map[systemCall]map[string]bool{}
	for _, s := range sources(t) {
		if s.test() || strings.HasPrefix(s.path, "test/") || strings.HasPrefix(s.path, "examples/") {
			continue
		}
		for _, name := range systemCallsIn(s) {
			call := systemCall{s.dir(), name}
			if calls[call] == nil {
				calls[call] = map[string]bool{}
			}
			for _, system := range supportedSystems {
				if builtFor(t, s, system) {
					calls[call][system] = true
				}
			}
		}
	}
	if len(calls) < 20 {
		t.Errorf("only %d system calls were found", len(calls))
	}
	name := filepath.Join(root(t), platformsPage)
	before, rest, found := strings.Cut(golden.Read(t, name), systemCallsBegin)
	_, after, closed := strings.Cut(rest, systemCallsEnd)
	if !found || !closed {
		t.Fatalf("%s has no table between %q and %q", platformsPage, systemCallsBegin, systemCallsEnd)
	}
	golden.Compare(t, name, before+systemCallsBegin+tableOfSystemCalls(calls)+systemCallsEnd+after)
}

// systemCallsIn returns the names of the system calls in a file.
func systemCallsIn(s *source) (names []string) {
	imported := map[string]bool{}
	for _, i := range s.file.Imports {
		if file := strings.Trim(i.Path.Value, `"`); slices.Contains(systemPackages, file) {
			imported[path.Base(file)] = true
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		called, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of, ok := called.X.(*ast.Ident)
		if !ok || !imported[of.Name] || slices.Contains(systemTypes, called.Sel.Name) {
			return true
		}
		name := called.Sel.Name
		if number, ok := rawCallNumber(call); ok {
			name = number
		}
		names = append(names, strings.ToLower(strings.TrimSuffix(name, "Ptr")))
		return true
	})
	return names
}

// rawCallNumber returns the name of a system call that is made by its number.
func rawCallNumber(call *ast.CallExpr) (string, bool) {
	if len(call.Args) == 0 {
		return "", false
	}
	number, ok := call.Args[0].(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	return strings.CutPrefix(number.Sel.Name, "SYS_")
}

// builtFor reports whether a file is part of the program for an operating system.
func builtFor(t *testing.T, s *source, system string) bool {
	t.Helper()
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = system, "amd64", false
	built, err := c.MatchFile(filepath.Join(root(t), s.dir()), path.Base(s.path))
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// tableOfSystemCalls returns a row for each system call of each package, with the systems that have it.
func tableOfSystemCalls(calls map[systemCall]map[string]bool) string {
	var out bytes.Buffer
	fmt.Fprintln(&out, "| package | call | Linux | macOS | Windows |\n|---|---|---|---|---|")
	sorted := slices.SortedFunc(maps.Keys(calls), func(a, b systemCall) int {
		return strings.Compare(a.dir+" "+a.name, b.dir+" "+b.name)
	})
	for _, call := range sorted {
		fmt.Fprintf(&out, "| `%s` | `%s` |", call.dir, call.name)
		for _, system := range supportedSystems {
			if calls[call][system] {
				fmt.Fprint(&out, " yes |")
			} else {
				fmt.Fprint(&out, " |")
			}
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}
