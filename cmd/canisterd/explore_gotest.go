package main

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// goTest builds a Go test that explores the same operations in its own network.
type goTest struct {
	path      string // of the file
	canisters []string
	before    strings.Builder // calls
	options   strings.Builder
	imports   map[string]bool
	missed    string // which findings the test does not reproduce, "" if none
}

// emittedFaults are the names in package explore of faults that are not named there as in the API.
var emittedFaults = map[string]string{"upgrade": "UpgradeInCall"}

// writeGoTest writes the Go test of an exploration. The test deploys the project to a new network. missed says which
// findings such a network does not reproduce, "" if it reproduces all.
func (c *cli) writeGoTest(f *exploreFlags, in *controlv1.ExploreRequest, r *controlv1.ExploreReport, missed string) error {
	g := &goTest{path: f.goTest, missed: missed, imports: map[string]bool{"testing": true, modulePath: true, modulePath + "/explore": true}}
	if err := g.write(c, f, in, r); err != nil {
		return fmt.Errorf("--go-test: %w", err)
	}
	return nil
}

func (g *goTest) write(c *cli, f *exploreFlags, in *controlv1.ExploreRequest, r *controlv1.ExploreReport) error {
	if err := g.operations(c, in); err != nil {
		return err
	}
	if err := g.outside(c, f, in); err != nil {
		return err
	}
	g.properties(c, in, r)
	g.budget(in, r)
	folder, err := g.fromTest(projectFolder(c))
	if err != nil {
		return err
	}
	return os.WriteFile(g.path, []byte(g.file(folder, r)), 0o600)
}

// modulePath is the module that the test imports.
const modulePath = "github.com/canisterd/canisterd"

// option appends an option of explore.Run.
func (g *goTest) option(form string, args ...any) {
	fmt.Fprintf(&g.options, "\t\t"+form+",\n", args...)
}

// canister returns the Go expression for a canister, and declares its variable.
func (g *goTest) canister(c *cli, id string) (string, error) {
	name := c.nameOf(id)
	if name == id {
		return "", fmt.Errorf("canister %s has no name: deploy it from a directory with a %s (canisterd deploy)", id, project.File)
	}
	if !slices.Contains(g.canisters, name) {
		g.canisters = append(g.canisters, name)
	}
	return variableOf(name), nil
}

// variableOf returns the Go variable for a canister.
func variableOf(name string) string {
	name = strings.NewReplacer("-", "_").Replace(name)
	if token.IsKeyword(name) || slices.Contains([]string{"t", "ic", "all", "err", "os", "time", "explore", "canisterd", "principal", "testing"}, name) {
		name += "Canister"
	}
	return name
}

// operations adds the operations, and the calls before them.
func (g *goTest) operations(c *cli, in *controlv1.ExploreRequest) error {
	for _, o := range in.GetBefore() {
		call, err := g.call(c, o.GetCall())
		if err != nil {
			return err
		}
		receiver, rest, _ := strings.Cut(call, ", ")
		fmt.Fprintf(&g.before, "\tif err := %s.Call(t.Context(), %s); err != nil {\n\t\tt.Fatal(err)\n\t}\n", receiver, rest)
	}
	for _, o := range in.GetOperations() {
		option, err := g.operation(c, o)
		if err != nil {
			return err
		}
		if o.GetRetried() {
			option = fmt.Sprintf("explore.Retried(%s)", option)
		}
		g.option("%s", option)
	}
	return g.drawn(c, in)
}

// call returns the arguments of explore.Op for a call: the canister, the method, and its arguments.
func (g *goTest) call(c *cli, call *controlv1.Call) (string, error) {
	to, err := g.receiver(c, call.GetCanisterId(), call.GetSender())
	if err != nil {
		return "", err
	}
	text := to + ", " + strconv.Quote(call.GetMethod())
	if argument := call.GetArgument().GetText(); argument != "" {
		text += ", canisterd.Text(" + g.argument(c, argument) + ")"
	}
	return text, nil
}

// receiver returns the Go expression for a canister as its sender calls it.
func (g *goTest) receiver(c *cli, id, sender string) (string, error) {
	to, err := g.canister(c, id)
	if err != nil || sender == "" {
		return to, err
	}
	caller, err := g.caller(c, sender)
	return to + ".As(" + caller + ")", err
}

// caller returns the Go expression for the principal that makes a call.
func (g *goTest) caller(c *cli, sender string) (string, error) {
	if c.known().isCanister(sender) {
		name, err := g.canister(c, sender)
		return name + ".ID()", err
	}
	g.imports[modulePath+"/candid/principal"] = true
	return fmt.Sprintf("principal.MustParse(%q)", sender), nil
}

// argument returns Candid text as a Go expression. It replaces ids of canisters, which differ in another network. gofmt
// puts no spaces around operators among the arguments of a call.
func (g *goTest) argument(c *cli, text string) string {
	expression := strconv.Quote(text)
	for _, name := range sortedKeys(c.known().ids) {
		id := c.known().ids[name]
		if !strings.Contains(text, id) {
			continue
		}
		if name, err := g.canister(c, id); err == nil {
			expression = strings.ReplaceAll(expression, id, `"+`+name+`.ID().String()+"`)
		}
	}
	return expression
}

// line returns a line of a property. In the network of the test canisters have their names, and identities have none.
func (g *goTest) line(c *cli, text string) string {
	known := c.known()
	text = reference.Write(text, func(id principal.Principal) string {
		if !known.isCanister(id.String()) {
			return ""
		}
		return known.names[id.String()]
	})
	return strconv.Quote(reference.Replace(text, known.ownIdentities()))
}

// properties adds the properties that runs are checked for.
func (g *goTest) properties(c *cli, in *controlv1.ExploreRequest, r *controlv1.ExploreReport) {
	p := in.GetProperties()
	for _, lines := range []struct {
		option string
		lines  []string
	}{{"Invariant", p.GetInvariants()}, {"Sometimes", p.GetSometimes()}, {"Maximize", p.GetMaximize()}, {"Observe", p.GetObserve()}} {
		for _, line := range lines.lines {
			g.option("explore.%s(%s)", lines.option, g.line(c, line))
		}
	}
	if p.GetOnlyStated() {
		g.option("explore.OnlyStated()")
	}
	if len(r.GetFindings()) > 0 && !slices.ContainsFunc(r.GetFindings(), violation) {
		g.option("explore.FailOnSuspicion()")
	}
}

// violation reports whether a finding is more than a suspicion.
func violation(f *controlv1.ExploreFinding) bool { return !f.GetSuspicion() }

// outside adds what untrusted canisters, controllers and servers may do.
func (g *goTest) outside(c *cli, f *exploreFlags, in *controlv1.ExploreRequest) error {
	var untrusted, answers []string
	for _, name := range in.GetUntrusted() {
		to, err := g.named(c, name)
		if err != nil {
			return err
		}
		untrusted = append(untrusted, to)
	}
	if len(untrusted) > 0 {
		g.option("explore.Untrusted(%s)", strings.Join(untrusted, ", "))
	}
	for _, o := range in.GetOutcalls() {
		answers = append(answers, fmt.Sprintf("explore.OutcallAnswer{Status: %d, Body: []byte(%q)}", o.GetStatus(), o.GetBody()))
	}
	if len(answers) > 0 {
		g.option("explore.Outcalls(%s)", strings.Join(answers, ", "))
	}
	for _, given := range f.outside.upgrades {
		name, file, _ := strings.Cut(given, "=")
		to, err := g.named(c, name)
		if err != nil {
			return err
		}
		path, err := g.fromTest(file)
		if err != nil {
			return err
		}
		g.imports["os"] = true
		fmt.Fprintf(&g.before, "\t%sNext, err := os.ReadFile(%q)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n", to, path)
		g.option("explore.Upgrade(%s, %sNext, nil)", to, to)
	}
	return nil
}

// named returns the Go expression for a canister that is given by its name or its id.
func (g *goTest) named(c *cli, name string) (string, error) {
	id, err := c.canisterOf(name)
	if err != nil {
		return "", err
	}
	return g.canister(c, id)
}

// budget adds the faults, runs, time limit and seed that differ from the defaults.
func (g *goTest) budget(in *controlv1.ExploreRequest, r *controlv1.ExploreReport) {
	if in.GetFaults() != 1 || len(in.GetFaultKinds()) > 0 {
		kinds := ""
		for _, kind := range in.GetFaultKinds() {
			kinds += ", explore." + faultOf(kind)
		}
		g.option("explore.Faults(%d%s)", in.GetFaults(), kinds)
	}
	if in.GetWaits() != defaultWaits {
		g.option("explore.Waits(%d)", in.GetWaits())
	}
	runs := cmp.Or(in.GetRuns(), defaultRuns)
	if runs != defaultRuns {
		g.option("explore.Budget(%d)", runs)
	}
	if limit := in.GetTime().AsDuration(); limit > 0 && (limit != defaultTime || !r.GetExhausted() && r.GetRuns() < uint64(runs)) {
		g.imports["time"] = true
		g.option("explore.Within(%d*time.Second)", int(math.Ceil(limit.Seconds())))
	}
	if in.GetStop() != 1 {
		g.option("explore.KeepGoing()")
	}
	if in.GetSeed() != 1 {
		g.option("explore.Seed(%d)", in.GetSeed())
	}
}

// faultOf returns the name of a kind of fault in package explore.
func faultOf(kind string) string {
	if name := emittedFaults[kind]; name != "" {
		return name
	}
	name := ""
	for _, word := range strings.Split(kind, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// projectFolder returns the folder of the deployed project.
func projectFolder(c *cli) string {
	_, folder := deployed.Nearest(c.folder)
	return folder
}

// fromTest returns a path relative to the folder of the test, in which go test runs it.
func (g *goTest) fromTest(path string) (string, error) {
	from, err := filepath.Abs(filepath.Dir(g.path))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(from, to)
	return filepath.ToSlash(relative), err
}

// file returns the source text of the test, as gofmt formats it. Package go/format would add 0.5 MB to the binary.
func (g *goTest) file(folder string, r *controlv1.ExploreReport) string {
	var all strings.Builder
	fmt.Fprintf(&all, "package %s\n\nimport (\n", packageOf(filepath.Dir(g.path)))
	standard, others := "", ""
	for _, path := range sortedKeys(g.imports) {
		if strings.Contains(path, ".") {
			others += fmt.Sprintf("\t%q\n", path)
		} else {
			standard += fmt.Sprintf("\t%q\n", path)
		}
	}
	all.WriteString(standard + "\n" + others + ")\n\n")
	all.WriteString("// TestExplore runs operations in every order and with every fault (written by canisterd explore).\n")
	for _, f := range r.GetFindings() {
		fmt.Fprintf(&all, "// Found: %s.\n", strings.TrimRight(strings.ReplaceAll(f.GetText(), "\n", " "), "."))
	}
	if g.missed != "" {
		fmt.Fprintf(&all, "//\n// This test does not show the bug: %s.\n", strings.ReplaceAll(g.missed, "\n", " "))
	}
	all.WriteString("func TestExplore(t *testing.T) {\n\tic := canisterd.New(t)\n")
	fmt.Fprintf(&all, "\tall := ic.DeployProject(%q)\n", folder)
	for _, name := range g.canisters {
		fmt.Fprintf(&all, "\t%s := all[%q]\n", variableOf(name), name)
	}
	all.WriteString(g.before.String())
	fmt.Fprintf(&all, "\texplore.Run(t, ic.Network,\n%s\t)\n}\n", g.options.String())
	return all.String()
}

// packageOf returns the package of tests in a folder: the one of its Go files, or else one named after the folder.
func packageOf(folder string) string {
	files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, path := range files {
		if name := packageClause(path); name != "" {
			return strings.TrimSuffix(name, "_test") + "_test"
		}
	}
	abs, err := filepath.Abs(folder)
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(filepath.Base(abs)))
	if err != nil || !token.IsIdentifier(name) {
		name = "explored"
	}
	return name + "_test"
}

// packageClause returns the name in the package clause of a Go file, "" if it has none.
func packageClause(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(path, -1, len(text)), text, nil, 0)
	_, keyword, _ := s.Scan()
	_, kind, name := s.Scan()
	if keyword != token.PACKAGE || kind != token.IDENT {
		return ""
	}
	return name
}

// checkGoTest rejects a file name that go test would ignore.
func checkGoTest(path string) error {
	if path != "" && !strings.HasSuffix(path, "_test.go") {
		return fmt.Errorf("invalid --go-test %q: expected a file name that ends in _test.go", path)
	}
	return nil
}
