//go:build components

package component

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest/wast"
)

// wasmTools is the program of wasm-tools, which makes binaries of the suite's text.
var wasmTools = os.Getenv("CANISTERD_WASM_TOOLS")

// olderWasmTools is the one for async/cancellable.wast: later versions follow WebAssembly/component-model#716, which removes
// the option cancellable.
var olderWasmTools = os.Getenv("CANISTERD_OLDER_WASM_TOOLS")

// wasmtime is another host, which runs the same scripts.
var wasmtime = os.Getenv("CANISTERD_WASMTIME")

// wasmtimeOptions switch on what wasmtime does not support by default.
const wasmtimeOptions = "component-model-async,component-model-more-async-builtins,component-model-async-stackful," +
	"component-model-threading,component-model-error-context,component-model-map,component-model-fixed-length-lists," +
	"component-model-implements,multi-memory"

// suiteFolders are the folders of the suite that the package passes or works on.
var suiteFolders = []struct {
	row, folder string
	options     []InstanceOption
}{
	{"binary", "binary", nil},
	{"validation", "validation", nil},
	{"values", "values", nil},
	{"linking", "linking", nil},
	{"resources", "resources", nil},
	{"async", "async", nil},
	{"async, by test rules", "async", []InstanceOption{WithTestRules()}},
}

// suiteCommand is a command of a script, as wasm-tools json-from-wast writes it.
type suiteCommand struct {
	Type       string `json:"type"`
	Line       int    `json:"line"`
	Name       string `json:"name"`
	Filename   string `json:"filename"`
	Module     string `json:"module"`
	ModuleType string `json:"module_type"`
	Text       string `json:"text"`
	Action     struct {
		Type  string       `json:"type"`
		Field string       `json:"field"`
		Args  []suiteValue `json:"args"`
	} `json:"action"`
	Expected []suiteValue `json:"expected"`
}

// score counts commands of a folder.
type score struct {
	options                                                        []InstanceOption
	whole, files, components, accepted, assertions, passed, worded int
	failed                                                         []string // lines of scripts
	theirs                                                         int      // files that wasmtime passes
	theirFailed                                                    []string // and the others
}

// String gives the columns of the table.
func (s *score) String() string {
	theirs := "-"
	if s.options == nil {
		theirs = fmt.Sprintf("%d of %d", s.theirs, s.files)
	}
	return fmt.Sprintf("%d of %d\t%d of %d\t%d of %d\t%d\t%s",
		s.whole, s.files, s.accepted, s.components, s.passed, s.assertions, s.worded, theirs)
}

// The table has how many components of the reference tests are accepted and how many of their assertions pass, the lines
// of the others, and the files that wasmtime passes in the same run. It may only get better.
func TestTheReferenceTestsPassAsTheTableSays(t *testing.T) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	var failed, theirFailed []string
	fmt.Fprintln(w, "FOLDER\tFILES\tCOMPONENTS\tASSERTIONS\tIN THE SAME WORDS\tFILES IN WASMTIME")
	for _, folder := range suiteFolders {
		s := score{options: folder.options}
		for _, script := range wast.Data(t, "component-testsuite/test/"+folder.folder+"/*.wast") {
			s.files++
			before := len(s.failed)
			t.Run(folder.row+"/"+filepath.Base(script), func(t *testing.T) { s.run(t, script) })
			if len(s.failed) == before {
				s.whole++
			}
			if folder.options == nil {
				s.runInWasmtime(t, script)
			}
		}
		fmt.Fprintf(w, "%s\t%s\n", folder.row, &s)
		for _, line := range s.failed {
			failed = append(failed, folder.row+": "+line)
		}
		theirFailed = append(theirFailed, s.theirFailed...)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if len(failed) > 0 {
		fmt.Fprintf(&table, "\nThese fail:\n\n%s\n", strings.Join(failed, "\n"))
	}
	fmt.Fprintf(&table, "\n%s does not pass:\n\n%s\n", wasmtimeVersion(t), strings.Join(theirFailed, "\n"))
	t.Logf("\n%s", table.String())
	golden.Compare(t, "testdata/suite.txt", table.String())
}

// runInWasmtime runs a script in wasmtime, which ends at the first command that fails.
func (s *score) runInWasmtime(t *testing.T, script string) {
	out, err := exec.CommandContext(t.Context(), wasmtime, "wast", "-W", wasmtimeOptions, script).CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatalf("CANISTERD_WASMTIME does not name the program wasmtime: run make test-components (%v)", err)
	}
	if err == nil {
		s.theirs++
		return
	}
	s.theirFailed = append(s.theirFailed, scriptName(script))
	t.Logf("wasmtime does not pass %s:\n%s", script, out)
}

// wasmtimeVersion gives the name of wasmtime with its version.
func wasmtimeVersion(t *testing.T) string {
	out, err := exec.CommandContext(t.Context(), wasmtime, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	version, _, _ := strings.Cut(string(out), " (")
	return version
}

// scriptName gives the name of a script in the suite.
func scriptName(script string) string {
	return filepath.Base(filepath.Dir(script)) + "/" + filepath.Base(script)
}

// binaries converts a script and gives its commands with the folder of their files.
func binaries(t *testing.T, script string) ([]suiteCommand, string) {
	if wasmTools == "" || olderWasmTools == "" {
		t.Fatal("CANISTERD_WASM_TOOLS or CANISTERD_OLDER_WASM_TOOLS does not name the program wasm-tools: run make test-components")
	}
	program := wasmTools
	if filepath.Base(script) == "cancellable.wast" {
		program = olderWasmTools
	}
	folder := t.TempDir()
	output := filepath.Join(folder, "script.json")
	command := exec.Command(program, "json-from-wast", script, "--wasm-dir", folder, "--output", output)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("wasm-tools json-from-wast %s: %v\n%s", script, err, out)
	}
	data, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	var converted struct{ Commands []suiteCommand }
	if err := json.Unmarshal(data, &converted); err != nil {
		t.Fatal(err)
	}
	return converted.Commands, folder
}

// scriptRun is a script while it runs.
type scriptRun struct {
	*testing.T
	*score
	folder  string
	defined map[string][]byte // components by name
	last    []byte            // the component that was defined last
	current *Instance
}

func (s *score) run(t *testing.T, script string) {
	commands, folder := binaries(t, script)
	r := &scriptRun{T: t, score: s, folder: folder, defined: map[string][]byte{}}
	for _, c := range commands {
		if err := r.command(c); err != nil {
			place := fmt.Sprintf("%s:%d", scriptName(script), c.Line)
			s.failed = append(s.failed, place)
			t.Logf("%s: %s: %v", place, c.Type, err)
		}
	}
}

func (r *scriptRun) command(c suiteCommand) error {
	path := filepath.Join(r.folder, c.Filename)
	switch c.Type {
	case "module", "module_definition":
		r.components++
		r.last = contents(r.T, path)
		r.defined[c.Name] = r.last
		err := Validate(r.Context(), r.last)
		if err == nil && c.Type == "module" {
			err = r.instantiate(r.last)
		}
		if err == nil {
			r.accepted++
		}
		return err
	case "module_instance":
		return r.instantiate(r.defined[c.Module])
	case "action":
		_, err := r.invoke(c)
		return err
	case "assert_uninstantiable":
		err := r.instantiate(contents(r.T, path))
		if trap := new(Trap); !errors.As(err, &trap) {
			r.assertions++
			return fmt.Errorf("%v, expected the trap %q", err, c.Text)
		}
		return r.assert(c, err)
	case "assert_invalid", "assert_malformed":
		return r.assert(c, whyRefused(r.T, c, path))
	case "assert_trap":
		_, err := r.invoke(c)
		if trap := new(Trap); !errors.As(err, &trap) {
			r.assertions++
			return fmt.Errorf("%v, expected the trap %q", err, c.Text)
		}
		return r.assert(c, err)
	case "assert_return":
		r.assertions++
		if _, err := r.invoke(c); err != nil {
			return err
		}
		r.passed++
		r.worded++
		return nil
	}
	return errors.New("unknown command")
}

func (r *scriptRun) instantiate(binary []byte) error {
	c, err := Compile(r.Context(), binary)
	if err != nil {
		return err
	}
	r.Cleanup(func() { _ = c.Close(context.Background()) })
	r.current, err = c.Instantiate(r.Context(), nil, r.options...)
	return err
}

// assert counts an assertion that something fails.
func (r *scriptRun) assert(c suiteCommand, err error) error {
	r.assertions++
	if err == nil {
		return fmt.Errorf("no fault, expected %q", c.Text)
	}
	r.passed++
	if strings.Contains(err.Error(), c.Text) {
		r.worded++
	} else {
		r.Logf("line %d: %v; expected %q", c.Line, err, c.Text)
	}
	return nil
}

// invoke calls a function of the current instance and compares its result.
func (r *scriptRun) invoke(c suiteCommand) (any, error) {
	f, err := r.current.function(c.Action.Field)
	if err != nil {
		return nil, err
	}
	args, err := valuesOf(c.Action.Args, f.typ.params)
	if err != nil {
		return nil, err
	}
	result, err := r.current.Call(r.Context(), c.Action.Field, args...)
	if err != nil || c.Type != "assert_return" {
		return nil, err
	}
	var want any
	if f.typ.result != nil {
		values, err := valuesOf(c.Expected, []field{{typ: f.typ.result}})
		if err != nil {
			return nil, err
		}
		want = values[0]
	}
	if !reflect.DeepEqual(result, want) {
		return nil, fmt.Errorf("%v, expected %v", result, want)
	}
	return result, nil
}

// whyRefused says why a component is refused. wasm-tools reads the text format.
func whyRefused(t *testing.T, c suiteCommand, path string) error {
	if c.ModuleType == "text" {
		out, err := exec.Command(wasmTools, "parse", path, "--output", os.DevNull).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	return Validate(t.Context(), contents(t, path))
}

func contents(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
