package architecture

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const sharingPage = "docs/internals/sharing.md"

// sharingRow is a row of a table of the page: package, type, field (empty for a whole type), file and test.
var sharingRow = regexp.MustCompile("(?m)^\\| `(\\w+)\\.(\\w+)(?:\\.(\\w+))?` \\| `([^`]+)` \\|.*\\| `(Test\\w+)` \\|$")

// sharingNames are names of fields that count or mark what forks share.
var sharingNames = []string{"generation", "mark", "packed", "published", "refs", "shared", "users"}

// notShared are fields with such a name that have nothing to do with forks.
var notShared = map[string]string{
	"state.Ingress.generation":         "the generation of a part of History",
	"cow.page.generation":              "the generation of a part of Pages",
	"cow.Mark.shared":                  "the mark itself",
	"timers.slot.generation":           "tells a handle from that of an earlier deadline in the same slot",
	"timers.key.generation":            "tells the key of a deadline from that of an earlier one in the same slot",
	"replica.Network.generation":       "counts changes of canisters, for queries",
	"replica.PreparedQuery.generation": "the count of Network that the query saw",
	"management.method.users":          "whether users may call the method",
}

// memories are the packages that keep memories in files, which are exempt from the rules of the core.
var memories = []string{"canister/internal/wasm", "canister/internal/stable"}

// structField is a field of a struct type.
type structField struct{ path, owner, name string }

// fieldsOfCore are the fields of the structs of the core, with the package and the name of their type.
func fieldsOfCore(t *testing.T) (all []structField) {
	for _, s := range sources(t) {
		if !inCore(s) && (s.test() || !slices.Contains(memories, s.dir())) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if body, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range body.Fields.List {
					for _, name := range field.Names {
						all = append(all, structField{s.path, s.file.Name.Name + "." + spec.Name.Name, name.Name})
					}
				}
			}
			return true
		})
	}
	return all
}

// TestThePageOnSharingNamesWhatForksShare compares the page with the code in both directions.
func TestThePageOnSharingNamesWhatForksShare(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root(t), sharingPage))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && s.test() {
				tests[f.Name.Name] = true
			}
		}
	}
	fields := fieldsOfCore(t)
	listed := map[string]bool{}
	for _, row := range sharingRow.FindAllStringSubmatch(string(page), -1) {
		owner, field, file, test := row[1]+"."+row[2], row[3], row[4], row[5]
		listed[owner+"."+field] = true
		if !slices.ContainsFunc(fields, func(f structField) bool {
			return f.path == file && f.owner == owner && (field == "" || f.name == field)
		}) {
			t.Errorf("%s: %s has no field %q of %s", sharingPage, file, field, owner)
		}
		if !tests[test] {
			t.Errorf("%s names %s, which is not a test", sharingPage, test)
		}
	}
	for _, f := range fields {
		name := f.owner + "." + f.name
		if slices.Contains(sharingNames, f.name) && !listed[name] && notShared[name] == "" {
			t.Errorf("%s: %s is not in %s: name the way in which forks share, or say in notShared what the field is for", f.path, name, sharingPage)
		}
	}
	for name := range notShared {
		if owner, field := name[:strings.LastIndex(name, ".")], name[strings.LastIndex(name, ".")+1:]; !slices.ContainsFunc(fields, func(f structField) bool { return f.owner == owner && f.name == field }) {
			t.Errorf("notShared has %s, which does not exist", name)
		}
	}
	if len(listed) < 20 {
		t.Errorf("%s has only %d rows that could be read", sharingPage, len(listed))
	}
}
