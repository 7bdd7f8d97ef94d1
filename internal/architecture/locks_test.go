package architecture

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// saysWhat is the comment of a mutex: what it guards, or for how long it is held.
	saysWhat = regexp.MustCompile(`\b(guards|held)\b`)

	// lockName is the name of a mutex in the page on locks: package, type, field.
	lockName = regexp.MustCompile("`(\\w+\\.\\w+\\.\\w+)`")
)

// mutexes are the fields of structs that are mutexes, by package, type and field, with their comments.
func mutexes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, s := range sources(t) {
		if s.test() || s.generated() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			body, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range body.Fields.List {
				kind, ok := field.Type.(*ast.SelectorExpr)
				if !ok || !strings.HasSuffix(kind.Sel.Name, "Mutex") {
					continue
				}
				for _, name := range field.Names {
					all[s.file.Name.Name+"."+spec.Name.Name+"."+name.Name] = field.Doc.Text() + field.Comment.Text()
				}
			}
			return true
		})
	}
	return all
}

func TestEachMutexSaysWhatItGuards(t *testing.T) {
	all := mutexes(t)
	for name, comment := range all {
		if !saysWhat.MatchString(comment) {
			t.Errorf("%s has the comment %q: say what it guards, or what happens while it is held", name, comment)
		}
	}
	if len(all) < 40 {
		t.Errorf("only %d mutexes were found", len(all))
	}
}

func TestTheOrderOfLocksNamesMutexes(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(t), locksPage))
	if err != nil {
		t.Fatal(err)
	}
	all := mutexes(t)
	named := lockName.FindAllStringSubmatch(string(page), -1)
	for _, name := range named {
		if _, ok := all[name[1]]; !ok {
			t.Errorf("%s names %s, which is not a mutex", locksPage, name[1])
		}
	}
	if len(named) < 10 {
		t.Errorf("%s names only %d mutexes", locksPage, len(named))
	}
}
