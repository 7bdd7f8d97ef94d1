package architecture

import (
	"slices"
	"strings"
	"testing"
)

// outside are folders of programs that are not released.
var outside = []string{"cmd/dist/", "test/", "examples/"}

// Packages that others bring may import templates, as long as the linker can drop them: make size says so.
func TestTheProductUsesNoTemplates(t *testing.T) {
	looked := 0
	for _, s := range sources(t) {
		if s.test() || slices.ContainsFunc(outside, func(folder string) bool { return strings.HasPrefix(s.path, folder) }) {
			continue
		}
		for _, imp := range s.file.Imports {
			looked++
			if path := strings.Trim(imp.Path.Value, `"`); path == "text/template" || path == "html/template" {
				t.Errorf("%s:%d imports %s, which calls methods by their names: for that the linker keeps all exported methods of all types, and the binary grows by 7 MB. Use gomponents for HTML (internal/markup), and strings.Builder for text", s.path, s.line(imp.Pos()), path)
			}
		}
	}
	if looked < 1000 {
		t.Errorf("only %d imports were read", looked)
	}
}
