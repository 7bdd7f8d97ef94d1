package inspect

import (
	"encoding/json"
	"testing"

	"github.com/canisterd/canisterd/candid/did"
)

func TestFormsKnowTheTypesOfMethodsAlsoRecursiveOnes(t *testing.T) {
	const text = `type list = opt record { head : nat; tail : list };
service : (opt principal) -> {
  put : (list, note : text) -> (variant { ok : nat; full });
  get : (blob, record { nat8; nat16 }) -> (vec list) query;
}`
	file, err := did.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	a := describe(text, file)
	got, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]methodForm{}
	for _, m := range a.Methods {
		byName[m.Name] = m
	}
	put, get := byName["put"], byName["get"]
	if !get.Query || put.Query || get.Composite || len(put.Args) != 2 || put.Args[1].Name != "note" || !a.Known || len(a.Init) != 1 {
		t.Fatalf("the methods are\n%s", got)
	}
	kind := func(at int) string { return a.Types[at].Kind }
	list := a.Types[put.Args[0].Type]
	if list.Kind != "opt" || list.Elem == nil {
		t.Fatalf("a list is\n%s", got)
	}
	node := a.Types[*list.Elem]
	if node.Kind != "record" || len(node.Fields) != 2 || node.Fields[0].Key != "head" || kind(node.Fields[0].Type) != "nat" {
		t.Fatalf("a node of a list is %v in\n%s", node, got)
	}
	if tail := a.Types[node.Fields[1].Type]; tail.Kind != "opt" || tail.Elem == nil || *tail.Elem != *list.Elem {
		t.Errorf("the tail of a list is %v in\n%s", tail, got)
	}
	if kind(get.Args[0].Type) != "blob" {
		t.Errorf("a blob is a %s", kind(get.Args[0].Type))
	}
	if tuple := a.Types[get.Args[1].Type]; tuple.Fields[0].Key != "_0_" || kind(tuple.Fields[1].Type) != "nat16" {
		t.Errorf("a tuple is %v", tuple)
	}
	if answer := a.Types[put.Results[0].Type]; answer.Kind != "variant" || len(answer.Fields) != 2 {
		t.Errorf("a variant is %v", answer)
	}
}
