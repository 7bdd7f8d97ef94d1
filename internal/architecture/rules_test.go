package architecture

import (
	"bytes"
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// core are the folders that must be deterministic, with the parts of them that
// are exempt and why.
var core = []string{"candid", "timers", "intercanister", "canister", "replica", "internal"}

var exempt = map[string]string{
	"internal/coverage/coverdir":   "it reads and writes the directory of what ran",
	"replica/driver":               "owns the goroutine, the worker pool and the inbox of an instance",
	"canister/internal/wasm":       "maps memory, caches compiled code, and is told by wazero what time it costs",
	"canister/internal/checkpoint": "is the checkpoint file: it opens, maps and punches it",
	"canister/internal/stable":     "writes stable memories to the checkpoint file",
	"replica/replicatest":          "support for tests; reads and rewrites scripts",
	"internal/golden":              "support for tests; reads and writes golden files",
	"internal/regular":             "opens files for packages of the edge",
	"internal/explore/campaign":    "runs jobs of an exploration on goroutines",
	"internal/explore/corpus":      "reads and writes the files of a corpus",
	"internal/explore/workqueue":   "moves jobs between processes",
	"internal/modulecache":         "makes a folder, and looks at its owner",
	"internal/inprocess":           "runs instances at the time of this computer",
	"internal/journal":             "writes the files of a state directory",
	"internal/knownmodules":        "keeps the modules that the user added in a file",
	"internal/clone":               "moves snapshots between networks, and keeps them in files",
	"internal/project":             "reads the files of a project",
	"internal/snapshotdir":         "reads and writes directories with snapshots",
	"internal/quantity":            "uses the durations of package time",
	"internal/systemcanisters":     "reads published modules from a folder",
	"internal/mcp":                 "reads the files of a project, and keeps schedules in it",
	"internal/control/report":      "keeps schedules in files",
	"internal/eventually":          "support for tests; waits for other goroutines",
}

func inCore(s *source) bool {
	if s.test() {
		return false
	}
	for dir := range exempt {
		if s.dir() == dir || strings.HasPrefix(s.dir(), dir+"/") {
			return false
		}
	}
	return slices.ContainsFunc(core, func(dir string) bool { return strings.HasPrefix(s.path, dir+"/") })
}

// deterministic says whether a file is of the core, or of package component, which is not but is deterministic, too.
func deterministic(s *source) bool {
	return inCore(s) || !s.test() && strings.HasPrefix(s.path, "component/")
}

// banned are imports that deterministic packages must not have, with what to use instead.
var banned = map[string]string{
	"time":         "time is an input: take nanoseconds from the message or the subnet",
	"math/rand":    "chance is an input: draw from the instance's seed",
	"math/rand/v2": "chance is an input: draw from the instance's seed",
	"crypto/rand":  "chance is an input: derive keys from the instance's seed",
	"os":           "the core does no I/O: hand the bytes in, return an effect",
	"net":          "the core does no I/O: return an effect and let daemon perform it",
	"net/http":     "the core does no I/O: return an effect and let daemon perform it",
	"log":          "return an event; daemon logs it",
	"log/slog":     "return an event; daemon logs it",
	"reflect":      "no reflection in the core: write the code, or generate it",
}

// granted are imports of the list above that one package may have after all.
var granted = map[string]string{
	"internal/explore/argument math/rand/v2": "arguments are drawn from a generator that was seeded for their case",
	"internal/explore/search math/rand/v2":   "strategies draw from generators that were seeded for their run",
	"canister/internal/wasi math/rand/v2":    "random bytes of WASI come from a generator that is seeded for each message",

	"component/explore math/rand/v2": "a strategy draws from a generator that was seeded for its run",
	"component/wasi math/rand/v2":    "random numbers come from a generator with the seed of the options",
	"component/wasi time":            "the start and the steps of the virtual clock are times of the options",

	"candid reflect": "Marshal and Unmarshal map Go structs; layouts are computed once per type and cached",
}

func TestTheCoreImportsNothingThatBringsTimeChanceOrTheOutsideIn(t *testing.T) {
	for _, s := range sources(t) {
		if !deterministic(s) {
			continue
		}
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			if instead, bad := banned[path]; bad && granted[s.dir()+" "+path] == "" {
				t.Errorf("%s:%d imports %s: %s", s.path, s.line(imp.Pos()), path, instead)
			}
		}
	}
}

// protocols are what front ends speak, and what to use below them.
var protocols = map[string]string{
	"net/http":               "return a refusal.Kind: api/ic makes statuses of it",
	"google.golang.org/grpc": "return a refusal.Kind: api/control makes codes and reasons of it",
}

// ownProtocols are the packages below the front ends that connect processes of canisterd, with the reason.
var ownProtocols = map[string]string{
	"internal/explore/workqueue": "workers of explorations are processes of the same version; no client speaks their protocol",
}

func TestNothingBelowTheFrontEndsSpeaksTheirProtocols(t *testing.T) {
	below := append(slices.Clone(core), "internal/refusal", "api/internal/wire")
	for _, s := range sources(t) {
		if s.test() || s.generated() || ownProtocols[s.dir()] != "" || !slices.ContainsFunc(below, func(dir string) bool { return strings.HasPrefix(s.path, dir+"/") }) {
			continue
		}
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			for protocol, instead := range protocols {
				if path == protocol || strings.HasPrefix(path, protocol+"/") {
					t.Errorf("%s:%d imports %s: %s", s.path, s.line(imp.Pos()), path, instead)
				}
			}
		}
	}
}

func TestTheCoreStartsNoGoroutine(t *testing.T) {
	for _, s := range sources(t) {
		if !deterministic(s) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s:%d starts a goroutine: the core is one state machine stepped by its owner; hand the work to the Runner", s.path, s.line(g.Pos()))
			}
			return true
		})
	}
}

func TestNoPackageRunsCodeAtInit(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || s.generated() {
			continue
		}
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s:%d has an init function: build the value where it is used, or in a constructor", s.path, s.line(f.Pos()))
			}
		}
	}
}

func TestFilesAndFunctionsStayShort(t *testing.T) {
	const fileLines, functionLines = 500, 80
	for _, s := range sources(t) {
		if s.generated() {
			continue
		}
		if n := bytes.Count(s.text, []byte("\n")); n > fileLines {
			t.Errorf("%s has %d lines, more than %d: split it by reason, not by size", s.path, n, fileLines)
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil || s.test() {
				continue
			}
			if n := s.line(f.End()) - s.line(f.Pos()); n > functionLines && !dispatch(f) {
				t.Errorf("%s:%d: %s has %d lines, more than %d: give its parts names", s.path, s.line(f.Pos()), f.Name.Name, n, functionLines)
			}
		}
	}
}

// dispatch reports whether a function is one switch and little else: a table in
// code, which is read by looking up a case.
func dispatch(f *ast.FuncDecl) bool {
	for _, stmt := range f.Body.List {
		switch stmt.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			return len(f.Body.List) <= 5
		}
	}
	return false
}

func TestPackagesSayWhatTheyOwn(t *testing.T) {
	documented := map[string]bool{}
	seen := map[string]string{}
	for _, s := range sources(t) {
		if s.test() || s.generated() {
			continue
		}
		if _, known := seen[s.dir()]; !known {
			seen[s.dir()] = s.file.Name.Name
		}
		if s.file.Doc != nil {
			documented[s.dir()] = true
		}
	}
	vague := regexp.MustCompile(`^(utils?|common|types|core|helpers?|misc|shared|base)$`)
	for dir, name := range seen {
		if !documented[dir] {
			t.Errorf("package %s has no package comment: write its doc.go, what it owns, what it must not know, who may import it", dir)
		}
		if vague.MatchString(name) || vague.MatchString(filepath.Base(dir)) {
			t.Errorf("package %s has a name that says nothing: name it after the specification's noun", dir)
		}
	}
}

func TestNamesOfTestsAreSentences(t *testing.T) {
	words := regexp.MustCompile(`[A-Z0-9][^A-Z]*`)
	for _, s := range sources(t) {
		if !s.test() {
			continue
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") || f.Name.Name == "TestMain" {
				continue
			}
			if n := len(words.FindAllString(strings.TrimPrefix(f.Name.Name, "Test"), -1)); n < 3 {
				t.Errorf("%s:%d: %s is no sentence: say what holds, as in TestATrapRollsBackTheHeap", s.path, s.line(f.Pos()), f.Name.Name)
			}
		}
	}
}

// unfinished are words that announce work somebody meant to do later.
var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

func TestNothingIsLeftForLater(t *testing.T) {
	for _, s := range sources(t) {
		if s.path == "internal/architecture/rules_test.go" || s.generated() {
			continue
		}
		for i, line := range bytes.Split(s.text, []byte("\n")) {
			if unfinished.Match(line) {
				t.Errorf("%s:%d: %s: finish it, or say in RATIONALE.md why not", s.path, i+1, bytes.TrimSpace(line))
			}
		}
	}
}

// slow are calls of the engine that cost more than they look, by what was
// measured; only the code that hides the engine may know them.
var slow = map[string]string{
	"WithFunc":               "uses reflection at every call, 30 times slower: WithGoModuleFunction",
	"WithCloseOnContextDone": "costs 8 to 30 times on tight loops: metering ends a guest",
	"ExportedFunction":       "allocates 11 KB at every call: packages wasm and component keep the function",
}

func TestTheEngineIsUsedInTheWaysThatWereMeasured(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || strings.HasPrefix(s.path, "canister/internal/wasm/") || s.path == "component/core_function.go" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if reason, bad := slow[sel.Sel.Name]; bad {
					t.Errorf("%s:%d calls %s, which %s", s.path, s.line(sel.Pos()), sel.Sel.Name, reason)
				}
			}
			return true
		})
	}
}

func TestEveryDirectDependencyHasItsReason(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	rationale, err := os.ReadFile(filepath.Join(root(t), "RATIONALE.md"))
	if err != nil {
		t.Fatal(err)
	}
	direct := regexp.MustCompile(`(?m)^(?:require )?\s*([a-z0-9.-]+\.[a-z]+/\S+) v\S+$`).FindAllSubmatch(mod, -1)
	if len(direct) == 0 {
		t.Fatal("go.mod has no direct dependency that this test can read")
	}
	for _, match := range direct {
		if !bytes.Contains(rationale, match[1]) {
			t.Errorf("%s is a direct dependency without a line in RATIONALE.md: say why it is better than none, or than our own", match[1])
		}
	}
}

func TestNothingNamesTheMachineItWasWrittenOn(t *testing.T) {
	place := regexp.MustCompile(`(/work/(main|shared)|/root/|/home/[a-z]+/)`)
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == ".git" || name == "node_modules" || name == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		if name == "rules_test.go" || !slices.Contains([]string{".go", ".md", ".yml", ".json", ".mjs", ".txt", ""}, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		if m := place.Find(text); m != nil {
			t.Errorf("%s names a place on one machine, %s: make it relative", path, m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
