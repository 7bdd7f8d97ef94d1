package rewrite_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/test/canistertest/wast"
)

// The official suite runs through the pass: its assertions about a module hold for the rewritten one, with 64-bit
// memories and tables lowered and every function metered. What the Internet Computer has no use for is listed by name
// in suite_unsupported_test.go; an entry that passes fails the test.
func TestTheOfficialSuiteHoldsForRewrittenModules(t *testing.T) {
	t.Parallel()
	scripts := wast.Suite(t)
	outcomes := make([]outcome, len(scripts))
	t.Run("scripts", func(t *testing.T) {
		for i, path := range scripts {
			startScript(t, path, nil, &outcomes[i])
		}
	})
	t.Log(summary(scripts, outcomes))
	for entry := range unsupportedCommands {
		file, _, _ := strings.Cut(entry, ":")
		if !slices.ContainsFunc(scripts, func(path string) bool { return filepath.Base(path) == file }) {
			t.Errorf("%s is listed as unsupported but there is no such script", entry)
		}
	}
}

// prepare is what stands between a script's module and the engine.
func prepare(binary []byte) ([]byte, error) {
	module, err := rewrite.Rewrite(binary, rewrite.Options{Conformance: true})
	if err != nil {
		return nil, fmt.Errorf("rewrite: %w", err)
	}
	return module.Binary, nil
}

// outcome counts a script's commands.
type outcome struct {
	passed  int // assertions that hold
	refused int // malformed texts, which the assembler refuses
	listed  int // assertions that do not hold and are listed, or stand on a listed module
}

// startScript runs a script as a parallel subtest. With an edit it runs only if
// that changes a command, and the list may name more than is needed.
func startScript(t *testing.T, path string, edit func(*wast.Command) bool, result *outcome) {
	t.Run(filepath.Base(path), func(t *testing.T) {
		t.Parallel()
		*result = runScript(t, path, edit)
	})
}

func runScript(t *testing.T, path string, edit func(*wast.Command) bool) outcome {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	commands, err := wast.Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	edited := false
	for i := range commands {
		edited = edit != nil && edit(&commands[i]) || edited
	}
	if edit != nil && !edited {
		return outcome{}
	}
	s := newStage(context.Background(), t)
	defer s.close()
	r := &scriptRun{t: t, file: filepath.Base(path), stage: s, used: map[string]bool{}}
	for _, c := range commands {
		r.command(c)
	}
	if edit == nil {
		r.checkTheList()
	}
	return r.outcome
}

// scriptRun judges what the commands of one script give.
type scriptRun struct {
	t       *testing.T
	file    string
	stage   *stage
	outcome outcome
	used    map[string]bool
}

func (r *scriptRun) command(c wast.Command) {
	entry := fmt.Sprintf("%s:%d", r.file, c.Line)
	if cut, ok := cuts[entry]; ok {
		r.cut(entry, cut, c.Module)
	}
	err := r.stage.perform(c)
	assertion := strings.HasPrefix(string(c.Kind), "assert_")
	switch {
	case err == nil && c.Kind == wast.AssertMalformed && c.Module.Form != wast.Binary:
		r.outcome.refused++
	case err == nil:
		if assertion {
			r.outcome.passed++
		}
	case isAbsent(err):
		r.outcome.listed++
	case r.isListed(entry):
		if assertion {
			r.outcome.listed++
		}
		if c.Kind == wast.Define && !strings.HasPrefix(err.Error(), "rewrite: ") {
			r.t.Errorf("%s: the module is listed, but it is not the pass that refuses it: %v", entry, err)
		}
	default:
		r.t.Errorf("%s: %s: %v", entry, c.Kind, err)
	}
}

// cut takes fields out of a module, once it is sure that it is refused as it stands.
func (r *scriptRun) cut(entry string, cut cut, m *wast.Module) {
	if _, err := encodeAndPrepare(m); err == nil {
		r.t.Errorf("%s is listed as cut (%s) but passes whole: take it off the list", entry, cut.reason)
	}
	text, err := cut.apply(m.Content)
	if err != nil {
		r.t.Fatal(err)
	}
	m.Content = text
	r.stage.cut = true
}

func (r *scriptRun) isListed(entry string) bool {
	for _, name := range []string{entry, r.file} {
		if _, ok := unsupportedCommands[name]; ok {
			r.used[name] = true
			return true
		}
	}
	return false
}

// checkTheList fails for entries of this script that nothing needed.
func (r *scriptRun) checkTheList() {
	for _, entry := range slices.Sorted(maps.Keys(unsupportedCommands)) {
		file, _, _ := strings.Cut(entry, ":")
		if file == r.file && !r.used[entry] {
			r.t.Errorf("%s is listed as unsupported (%s) but passes: take it off the list", entry, unsupportedCommands[entry])
		}
	}
}

func summary(scripts []string, outcomes []outcome) string {
	var total outcome
	byFeature := map[string]outcome{}
	for i, path := range scripts {
		name := feature(filepath.Base(path))
		byFeature[name] = byFeature[name].plus(outcomes[i])
		total = total.plus(outcomes[i])
	}
	line := "suite: " + total.String()
	for _, name := range slices.Sorted(maps.Keys(byFeature)) {
		line += "\n  " + name + ": " + byFeature[name].String()
	}
	return line
}

func (o outcome) plus(p outcome) outcome {
	return outcome{o.passed + p.passed, o.refused + p.refused, o.listed + p.listed}
}

func (o outcome) String() string {
	return fmt.Sprintf("%d assertions passed, %d malformed texts refused, %d listed as unsupported", o.passed, o.refused, o.listed)
}

// feature is the proposal a script tests, by its name.
func feature(file string) string {
	name := strings.TrimSuffix(file, ".wast")
	switch {
	case strings.Contains(name, "relaxed_"):
		return "relaxed SIMD"
	case strings.HasPrefix(name, "simd_"):
		return "SIMD"
	case strings.HasPrefix(name, "memory64"), strings.HasSuffix(name, "64") && name != "i64" && name != "f64":
		return "memory64"
	case strings.HasPrefix(name, "return_call"):
		return "tail calls"
	case slices.Contains([]string{"tag", "throw", "throw_ref", "try_table"}, name):
		return "exceptions"
	case strings.HasPrefix(name, "array"), strings.HasPrefix(name, "struct"), strings.HasPrefix(name, "type-"),
		slices.Contains([]string{"i31", "extern", "ref_cast", "ref_eq", "ref_test", "br_on_cast", "br_on_cast_fail", "binary-gc"}, name):
		return "garbage collection"
	case strings.HasPrefix(name, "br_on_"), slices.Contains([]string{"call_ref", "ref", "ref_as_non_null", "local_init"}, name):
		return "typed references"
	case strings.HasPrefix(name, "memory_"), strings.HasPrefix(name, "table_"), name == "bulk", strings.HasPrefix(name, "data"), strings.HasPrefix(name, "elem"):
		return "memories, tables, segments"
	}
	return "core"
}
