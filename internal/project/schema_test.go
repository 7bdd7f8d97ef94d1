package project

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
)

// keysMark stands before and after a table of keys in a page.
var keysMark = regexp.MustCompile(`(?s)<!-- keys of (\w+) -->\n.*?<!-- end -->\n`)

// TestThePageOfTheProjectFileHasItsKeys compares the tables of docs/project.md with the types that canisterd.yaml is
// read into.
func TestThePageOfTheProjectFileHasItsKeys(t *testing.T) {
	const path = "../../docs/project.md"
	text := golden.Read(t, path)
	tables := 0
	made := keysMark.ReplaceAllStringFunc(text, func(found string) string {
		tables++
		part := keysMark.FindStringSubmatch(found)[1]
		return "<!-- keys of " + part + " -->\n" + keysPage(specs[part]) + "<!-- end -->\n"
	})
	if tables != len(specs) {
		t.Errorf("%s has %d tables of keys, want %d", path, tables, len(specs))
	}
	golden.Compare(t, path, made)
}

func TestEveryKeyOfTheProjectFileSaysWhatItIs(t *testing.T) {
	for name, part := range specs {
		for f := range fieldsOf(part) {
			if doc := f.Tag.Get("doc"); !strings.HasSuffix(doc, ".") {
				t.Errorf("%s.%s: its doc is %q", name, f.Name, doc)
			}
		}
	}
	schema := Schema()
	canister := schema.Properties["canisters"].Others.(*SchemaPart)
	if len(canister.Properties) != len(keysOf(reflect.TypeFor[Canister]())) || canister.Others != false || canister.Properties["settings"].Properties["log_visibility"] == nil {
		t.Errorf("the schema of a canister is %+v", canister)
	}
}

// keysPage is the part of the Reference page that lists keys.
func keysPage(t reflect.Type) string {
	var text strings.Builder
	text.WriteString("| key | what it says | example |\n|---|---|---|\n")
	for f := range fieldsOf(t) {
		example := f.Tag.Get("example")
		if example != "" {
			example = "`" + example + "`"
		}
		fmt.Fprintf(&text, "| `%s` | %s | %s |\n", f.Tag.Get("yaml"), f.Tag.Get("doc"), example)
	}
	return text.String()
}
