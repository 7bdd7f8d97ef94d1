package inspect

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/candid/did"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
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

// didControl gives every canister the same interface.
type didControl struct {
	grpc.ClientConnInterface
	candid string
}

func (c didControl) Invoke(_ context.Context, _ string, _, out any, _ ...grpc.CallOption) error {
	proto.Merge(out.(proto.Message), &controlv1.GetInterfaceResponse{Candid: c.candid})
	return nil
}

func TestAnInterfaceThatCannotBeReadIsABadRequest(t *testing.T) {
	for text, want := range map[string]int{
		"service : { get : () -> (nat) query }": 200, "service : {": 400, "\xff": 400, "type a = b; service : {}": 400, "": 200,
	} {
		w := httptest.NewRecorder()
		New(Config{Control: didControl{candid: text}, Token: secret}).ServeHTTP(w, request(http.MethodGet, Path+"types?canister=aaaaa-aa", ""))
		if w.Code != want || want == 400 && !strings.Contains(w.Body.String(), "the interface of the canister cannot be read") {
			t.Errorf("%q: status %d, %s", text, w.Code, w.Body)
		}
	}
}
