package management

import (
	"os"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
)

func TestTheInterfaceIsTheSpecifications(t *testing.T) {
	text, err := os.ReadFile("testdata/ic.did")
	if err != nil {
		t.Fatal(err)
	}
	file, err := did.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range table() {
		declared, ok := file.Method(m.name)
		if !ok {
			t.Errorf("%s is not in the interface", m.name)
			continue
		}
		same(t, m.name+" argument", declared.Args, m.argument)
		same(t, m.name+" result", declared.Results, m.result)
		if queryOnly := declared.Annotation == candid.Query; queryOnly != m.onlyQueriedByUsers() {
			t.Errorf("%s: query %v", m.name, queryOnly)
		}
	}
	if len(file.Methods()) != len(table()) {
		t.Errorf("%d methods are declared, %d are there", len(file.Methods()), len(table()))
	}
}

func same(t *testing.T, where string, declared []did.Arg, s shape) {
	t.Helper()
	if s == nil {
		if len(declared) != 0 {
			t.Errorf("%s: none, want %d", where, len(declared))
		}
		return
	}
	got, err := s()
	if err != nil || len(declared) != 1 {
		t.Errorf("%s: %v", where, err)
		return
	}
	if at := differ(got, declared[0].Type); at != "" {
		t.Errorf("%s%s: the Go type %s is not the interface's %s", where, at, got, declared[0].Type)
	}
}

// differ is where two types that are not recursive differ, empty where nowhere.
func differ(a, b *candid.Type) string {
	if a.Kind() != b.Kind() {
		return " "
	}
	switch a.Kind() {
	case candid.KindOpt, candid.KindVec:
		return differ(a.Elem(), b.Elem())
	case candid.KindRecord, candid.KindVariant:
		x, y := a.Fields(), b.Fields()
		if len(x) != len(y) {
			return " (number of fields)"
		}
		for i := range x {
			if x[i].ID != y[i].ID {
				return "." + x[i].Label.String()
			}
			if at := differ(x[i].Type, y[i].Type); at != "" {
				return "." + x[i].Label.String() + at
			}
		}
	}
	return ""
}

func TestTheInterfaceCanBeReadAsAFile(t *testing.T) {
	file, err := did.Parse(Interface())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/ic.did")
	if err != nil {
		t.Fatal(err)
	}
	specified, err := did.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := candid.CheckSubtype(file.Service(), specified.Service()); err != nil {
		t.Error(err)
	}
	if err := candid.CheckSubtype(specified.Service(), file.Service()); err != nil {
		t.Error(err)
	}
}
