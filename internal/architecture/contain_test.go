package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// containing are the packages that run code of canisters, decode stored or foreign bytes, or read pages.
var containing = []string{
	".", "api/control", "api/gateway", "api/ic", "api/pocketic", "canister", "canister/internal/wasm", "daemon", "instance", "internal/journal", "daemon/internal/metrics", "explore",
	"internal/explore/campaign", "internal/explore/harness", "internal/explore/property", "internal/explore/workqueue", "replica", "replica/introspect", "replica/driver", "internal/trace",
}

// uncontained are the functions that start a goroutine in which a panic ends the process, with the reason why nothing of
// an instance can panic in it.
var uncontained = map[string]string{
	"api/control/calls_stream.go alone":          "it waits for a function that is guarded",
	"api/control/explorer.go connectClient":      "it sends questions to the client",
	"api/control/explorer_outbox.go newOutbox":   "it sends what others have made",
	"api/control/server.go Close":                "it waits for handlers, which are guarded",
	"api/control/server.go until":                "it waits for contexts",
	"daemon/compiler.go CompileWorker":           "a process of its own, which reads its standard input",
	"daemon/control.go serveControl":             "handlers of RPCs are guarded",
	"daemon/inspect.go serveInspector":           "handlers of RPCs are guarded",
	"daemon/daemon.go hangUp":                    "handlers of RPCs are guarded",
	"daemon/daemon.go serve":                     "net/http recovers in handlers",
	"daemon/daemon.go Start":                     "it returns memory to the system",
	"instance/pacer.go quiet":                    "it waits for a tick, which is contained",
	"instance/registry.go NewRegistry":           "it rings alarms, each of which starts a tick of its own",
	"internal/journal/disk.go cut":               "it closes a file",
	"internal/journal/journal.go Open":           "it hands records to operations of the store, which are caught",
	"internal/journal/store.go guarded":          "a panic of the store is damage of its file (caught)",
	"daemon/internal/metrics/metrics.go readAll": "it asks the owner of each network",
	"daemon/pocketic.go Listen":                  "net/http recovers in handlers",
	"daemon/profiles.go serveProfiles":           "net/http recovers in handlers",
	"daemon/protocols.go begin":                  "it compares the first bytes of a connection",
	"internal/explore/workqueue/worker.go Work":  "it says that the worker is there",
	"replica/driver/delivered.go Delivered":      "a request to the owner stops the node if it panics",
	"replica/driver/wait.go strike":              "a request to the owner stops the node if it panics",
	"canister/internal/wasm/compile.go start":    "a panic of the compiler is the error of the compilation",
	"canister/internal/wasm/engine.go open":      "tidying runs nothing of a canister, and a damaged receipt is an error of its parser",
}

// starts returns the functions that a statement or call runs on another goroutine; nil if it starts none.
func starts(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call
	case *ast.CallExpr:
		if called, ok := n.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Go" && len(n.Args) == 1 {
			if of, ok := called.X.(*ast.Ident); ok && of.Name == "i" {
				return nil // Instance.Go, which is contained
			}
			return n.Args[0]
		}
	}
	return nil
}

// mentions reports whether code calls package contain, or one of some functions that do.
func mentions(code ast.Node, helpers map[string]bool) (found bool) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			of, ok := n.X.(*ast.Ident)
			found = found || ok && of.Name == "contain" || helpers[n.Sel.Name]
		case *ast.Ident:
			found = found || helpers[n.Name]
		}
		return !found
	})
	return found
}

// containers returns the functions of a package that call package contain themselves. A name that another function has
// as well is not among them.
func containers(all []*source, dir string) map[string]bool {
	helpers := map[string]bool{}
	for _, s := range all {
		if s.dir() != dir || s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				before, known := helpers[f.Name.Name]
				helpers[f.Name.Name] = (before || !known) && mentions(f.Body, nil)
			}
		}
	}
	return helpers
}

// bodies returns the functions of a package by their name; nil for a name that several have.
func bodies(all []*source, dir string) map[string]*ast.FuncDecl {
	named := map[string]*ast.FuncDecl{}
	for _, s := range all {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.dir() == dir && !s.test() {
				if _, known := named[f.Name.Name]; known {
					f = nil // which one is run cannot be seen
				}
				named[d.(*ast.FuncDecl).Name.Name] = f
			}
		}
	}
	return named
}

// TestGoroutinesOfInstancesAreContained finds goroutines that start in a package with work for instances, and neither
// call package contain nor a function that does.
func TestGoroutinesOfInstancesAreContained(t *testing.T) {
	all, looked, used := sources(t), 0, map[string]bool{}
	for _, dir := range containing {
		helpers, named := containers(all, dir), bodies(all, dir)
		for _, s := range all {
			if s.dir() != dir || s.test() || s.generated() {
				continue
			}
			for _, d := range s.file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Body == nil {
					continue
				}
				ast.Inspect(f.Body, func(n ast.Node) bool {
					run := starts(n)
					if run == nil {
						return true
					}
					looked++
					place := s.path + " " + f.Name.Name
					contained := mentions(run, helpers) || mentionsWithin(run, named, helpers)
					if reason := uncontained[place]; !contained && reason != "" {
						used[place] = true
					} else if !contained {
						t.Errorf("%s:%d: %s starts a goroutine in which a panic ends the process: begin it with package contain (contain.Do, Instance.Go), or list %q with the reason", s.path, s.line(n.Pos()), f.Name.Name, place)
					}
					return true
				})
			}
		}
	}
	for place := range uncontained {
		if !used[place] {
			t.Errorf("%q is listed and starts no goroutine that is not contained: remove it", place)
		}
	}
	if looked < 20 {
		t.Errorf("only %d goroutines were found: the rule would hold for nothing", looked)
	}
}

// mentionsWithin reports whether a goroutine runs a named function that calls one that is contained.
func mentionsWithin(run ast.Expr, named map[string]*ast.FuncDecl, helpers map[string]bool) (found bool) {
	ast.Inspect(run, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && named[id.Name] != nil && named[id.Name].Body != nil {
			found = found || mentions(named[id.Name].Body, helpers)
		}
		return !found
	})
	return found
}

// TestAGoroutineThatIsNotContainedIsFound holds the rule itself.
func TestAGoroutineThatIsNotContainedIsFound(t *testing.T) {
	for text, contained := range map[string]bool{
		"go func() { replay() }()":                            false,
		"go replay()":                                         false,
		"w.Go(func() { replay() })":                           false,
		"go func() { contain.Do(replay, nil) }()":             true,
		"w.Go(func() { defer contain.Into(&err); replay() })": true,
		"w.Go(func() { safely(replay) })":                     true,
	} {
		s, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+text+"\n}", 0)
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		ast.Inspect(s, func(n ast.Node) bool {
			if run := starts(n); run != nil {
				seen = true
				if got := mentions(run, map[string]bool{"safely": true}); got != contained {
					t.Errorf("%s is contained: %t, want %t", strings.TrimSpace(text), got, contained)
				}
			}
			return true
		})
		if !seen {
			t.Errorf("%s starts no goroutine", text)
		}
	}
}
