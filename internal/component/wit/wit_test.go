package wit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/component"
	"github.com/canisterd/canisterd/internal/golden"
)

// programs are the components of component/testdata whose text is in testdata.
var programs = []string{"valid/orders", "valid/desk", "valid/counter", "valid/waiting", "valid/shapes", "wasi/clerk", "wasi/timers", "wasi/tally"}

// text gives the text of a component.
func text(t testing.TB, program string) string {
	t.Helper()
	binary, err := os.ReadFile("../../../component/testdata/" + program + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	imports, exports, err := component.Describe(binary)
	if err != nil {
		t.Fatal(err)
	}
	return Print(imports, exports)
}

func TestImportsAndExportsOfComponentsAreWrittenAsWIT(t *testing.T) {
	for _, program := range programs {
		golden.Compare(t, "testdata/"+strings.ReplaceAll(filepath.ToSlash(program), "/", "-")+".wit", text(t, program))
	}
}
