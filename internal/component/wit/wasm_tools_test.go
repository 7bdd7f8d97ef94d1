//go:build components

package wit

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Lines without text are not compared: wasm-tools writes more or fewer of them between packages. It refuses valid/shapes, which
// WIT cannot express.
func TestWasmToolsWritesTheSameWIT(t *testing.T) {
	tools := os.Getenv("CANISTERD_WASM_TOOLS")
	for _, program := range programs {
		if program == "valid/shapes" {
			continue
		}
		theirs, err := exec.CommandContext(t.Context(), tools, "component", "wit", "../../../component/testdata/"+program+".wasm").Output() //nolint:gosec // the tool that the Makefile installed
		if err != nil {
			t.Fatal(err)
		}
		if ours := text(t, program); lines(ours) != lines(string(theirs)) {
			t.Errorf("%s:\n%s\nwasm-tools:\n%s", program, ours, theirs)
		}
	}
}

func lines(text string) string {
	for strings.Contains(text, "\n\n") {
		text = strings.ReplaceAll(text, "\n\n", "\n")
	}
	return text
}
