package canister_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wast"
)

// TestProgramsOfTheWASISuiteThatNeedNoFilesPass runs the programs of WebAssembly/wasi-testsuite for preview 1. Those
// that need files or arguments are listed with what they miss.
func TestProgramsOfTheWASISuiteThatNeedNoFilesPass(t *testing.T) {
	var list strings.Builder
	passed := 0
	for _, path := range wast.Data(t, "wasi-testsuite/*/*.wasm") {
		name := filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), ".wasm")
		verdict := suiteVerdict(t, name, path)
		fmt.Fprintf(&list, "%s: %s\n", name, verdict)
		if verdict == "passes" {
			passed++
		}
	}
	fmt.Fprintf(&list, "\n%d pass\n", passed)
	golden.Compare(t, "testdata/wasi-testsuite.txt", list.String())
}

// suiteProgram is what a program of the suite is run with, and what it must do.
type suiteProgram struct {
	Env      map[string]string `json:"env"`
	Stdout   string            `json:"stdout"`
	ExitCode int               `json:"exit_code"`
}

// suiteVerdict runs a program, unless it misses something.
func suiteVerdict(t *testing.T, name, path string) (verdict string) {
	module, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var program suiteProgram
	text, err := os.ReadFile(strings.TrimSuffix(path, ".wasm") + ".json")
	if err == nil {
		err = json.Unmarshal(text, &program)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	runnable, missing := withRun(module)
	switch {
	case len(missing) > 0:
		return "misses " + strings.Join(missing, ", ")
	case strings.Contains(name, "/args_"):
		return "misses arguments: a canister has none, nor a name of its program"
	}
	verdict = "passes"
	t.Run(name, func(t *testing.T) {
		place := canistertest.NewPlace(t)
		c := place.Canister(place.Module(runnable), nil)
		for _, key := range slices.Sorted(maps.Keys(program.Env)) {
			c.Settings.SetEnvironment(append(c.Settings.Environment, canister.Variable{Name: key, Value: program.Env[key]}))
		}
		m := &canister.Message{Context: canister.Update, Method: "run", Caller: canistertest.Controller}
		m.Sleep = func(until, _ uint64) uint64 { return until }
		out := c.Execute(&place.Subnet, m)
		code, said := 0, ""
		if out.Failure != nil {
			code = -1
			_, number, _ := strings.Cut(out.Failure.Text, "exited with code ")
			_, _ = fmt.Sscan(number, &code)
		} else if c.Logs.Len() > 0 {
			said = string(c.Logs.At(0).Content)
		}
		if code != program.ExitCode || program.Stdout != "" && said != program.Stdout {
			verdict = "fails"
			t.Errorf("exit code %d, %q, %v", code, said, out.Failure)
		}
	})
	return verdict
}

// withRun exports _start as the method run. Missing are the functions that the module imports and the feature does not
// have.
func withRun(module []byte) (runnable []byte, missing []string) {
	const imports, exports = 2, 7
	have := make(map[string]bool)
	for _, f := range canister.WASI() {
		have[f.Name] = true
	}
	runnable = append(runnable, module[:8]...)
	for rest := module[8:]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		content := rest[1+n : 1+n+int(size)]
		rest = rest[1+n+int(size):]
		count, n := binary.Uvarint(content)
		items := content[n:]
		switch id {
		case imports:
			for range count {
				_, items = cutName(items)
				var name string
				name, items = cutName(items)
				_, n := binary.Uvarint(items[1:])
				items = items[1+n:]
				if !have[name] {
					missing = append(missing, name)
				}
			}
		case exports:
			content = append(binary.AppendUvarint(nil, count+1), items...)
			for range count {
				var name string
				name, items = cutName(items)
				index, n := binary.Uvarint(items[1:])
				items = items[1+n:]
				if name == "_start" {
					content = binary.AppendUvarint(append(content, "\x13canister_update run\x00"...), index)
				}
			}
		}
		runnable = append(binary.AppendUvarint(append(runnable, id), uint64(len(content))), content...)
	}
	slices.Sort(missing)
	return runnable, missing
}

// cutName reads a name.
func cutName(items []byte) (name string, rest []byte) {
	size, n := binary.Uvarint(items)
	return string(items[n : n+int(size)]), items[n+int(size):]
}
