//go:build components

package component

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest/wast"
)

// wasmTools is the program of wasm-tools, which makes binaries of the suite's text.
var wasmTools = os.Getenv("CANISTERD_WASM_TOOLS")

// suiteFolders are the folders of the suite that the package passes or works on.
var suiteFolders = []string{"binary", "validation"}

// suiteCommand is a command of a script, as wasm-tools json-from-wast writes it.
type suiteCommand struct {
	Type       string `json:"type"`
	Line       int    `json:"line"`
	Filename   string `json:"filename"`
	ModuleType string `json:"module_type"`
	Text       string `json:"text"`
}

// score counts commands of a folder.
type score struct {
	files, components, accepted, assertions, passed, worded int
}

// The table has how many components of the reference tests are accepted and how many of their assertions pass. It may only
// get better.
func TestTheReferenceTestsPassAsTheTableSays(t *testing.T) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FOLDER\tFILES\tCOMPONENTS\tASSERTIONS\tIN THE SAME WORDS")
	for _, folder := range suiteFolders {
		var s score
		for _, script := range wast.Data(t, "component-testsuite/test/"+folder+"/*.wast") {
			s.files++
			t.Run(folder+"/"+filepath.Base(script), func(t *testing.T) { s.run(t, script) })
		}
		fmt.Fprintf(w, "%s\t%d\t%d of %d\t%d of %d\t%d\n", folder, s.files, s.accepted, s.components, s.passed, s.assertions, s.worded)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", table.String())
	golden.Compare(t, "testdata/suite.txt", table.String())
}

// binaries converts a script and gives its commands with the folder of their files.
func binaries(t *testing.T, script string) ([]suiteCommand, string) {
	if wasmTools == "" {
		t.Fatal("CANISTERD_WASM_TOOLS does not name the program wasm-tools: run make test-components")
	}
	folder := t.TempDir()
	output := filepath.Join(folder, "script.json")
	command := exec.Command(wasmTools, "json-from-wast", script, "--wasm-dir", folder, "--output", output)
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

func (s *score) run(t *testing.T, script string) {
	commands, folder := binaries(t, script)
	for _, c := range commands {
		path := filepath.Join(folder, c.Filename)
		switch c.Type {
		case "module", "module_definition":
			s.components++
			if err := Validate(t.Context(), contents(t, path)); err != nil {
				t.Errorf("line %d: %v", c.Line, err)
				continue
			}
			s.accepted++
		case "assert_invalid", "assert_malformed":
			s.assertions++
			err := refusal(t, c, path)
			if err == nil {
				t.Errorf("line %d: accepted, expected %q", c.Line, c.Text)
				continue
			}
			s.passed++
			if strings.Contains(err.Error(), c.Text) {
				s.worded++
			} else {
				t.Logf("line %d: %v; expected %q", c.Line, err, c.Text)
			}
		default:
			t.Errorf("line %d: unknown command %s", c.Line, c.Type)
		}
	}
}

// refusal says why a component is refused. wasm-tools reads the text format.
func refusal(t *testing.T, c suiteCommand, path string) error {
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
