package replica_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
)

const ours = "github.com/canisterd/canisterd/"

// stateTypes are where all state is: a network, and what hides behind an interface.
var stateTypes = []reflect.Type{
	reflect.TypeFor[replica.Network](), reflect.TypeFor[canister.Creation](), reflect.TypeFor[canister.Deployment](), reflect.TypeFor[canister.SnapshotLoad](),
	reflect.TypeFor[canister.ControllersChange](), reflect.TypeFor[canister.Renaming](),
}

// fieldsOf lists the fields of all types of this repository that values of some types can reach, except those that are
// taken as a whole.
func fieldsOf(roots []reflect.Type, whole func(name string) bool) (fields []string) {
	seen := make(map[reflect.Type]bool)
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			walk(t.Elem())
		case reflect.Map:
			walk(t.Key())
			walk(t.Elem())
		case reflect.Struct:
			name := nameOfType(t)
			if !strings.HasPrefix(t.PkgPath(), ours) || whole(name) {
				return
			}
			for i := range t.NumField() {
				fields = append(fields, name+"."+t.Field(i).Name)
				walk(t.Field(i).Type)
			}
		}
	}
	for _, root := range roots {
		walk(root)
	}
	slices.Sort(fields)
	return fields
}

// nameOfType is the name with its package, without the arguments of a generic type.
func nameOfType(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:] + "." + name
}

// TestEveryFieldOfTheStateHasItsTreatment is an invariant: a new field needs an entry for files of networks.
func TestEveryFieldOfTheStateHasItsTreatment(t *testing.T) {
	raw, err := os.ReadFile("testdata/fields.list")
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]bool)
	whole := make(map[string]bool)
	for line := range strings.Lines(string(raw)) {
		name, treatment, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if treatment = strings.TrimSpace(treatment); strings.Count(name, ".") == 1 {
			whole[name] = true
		}
		word, _, _ := strings.Cut(treatment, ":")
		if !slices.Contains([]string{"written", "follows", "empty", "forgotten", "given", "scratch"}, word) {
			t.Errorf("%s is %q in a file: no such treatment", name, word)
		}
		listed[name] = true
	}
	used := make(map[string]bool)
	fields := fieldsOf(stateTypes, func(name string) bool {
		used[name] = true
		return whole[name]
	})
	for _, name := range slices.Compact(fields) {
		used[name] = true
		if !listed[name] {
			t.Errorf("%s is not in testdata/fields.list: say what becomes of it when a network is exported and imported, and see to it", name)
		}
	}
	for name := range listed {
		if !used[name] {
			t.Errorf("%s is in testdata/fields.list, and nothing reaches it", name)
		}
	}
	if len(fields) < 300 {
		t.Errorf("only %d fields found: the rule would hold for little", len(fields))
	}
}
