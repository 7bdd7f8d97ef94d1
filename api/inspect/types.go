package inspect

import (
	"encoding/json"
	"fmt"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// interfaceAnswer is the interface of a canister for forms. Types refer to each other by their position in Types: they
// may be recursive.
type interfaceAnswer struct {
	Candid  string       `json:"candid"`  // the text
	Init    []argument   `json:"init"`    // of an installation
	Known   bool         `json:"known"`   // init is known; without, it is empty
	Methods []methodForm `json:"methods"` // by name
	Types   []typeForm   `json:"types"`
}

// methodForm is a method of a service.
type methodForm struct {
	Name      string     `json:"name"`
	Query     bool       `json:"query"`
	Composite bool       `json:"composite"`
	Args      []argument `json:"args"`
	Results   []argument `json:"results"`
	Signature string     `json:"signature"` // in text form: (nat) -> (nat) query
}

// argument is an argument or a result of a method.
type argument struct {
	Name string `json:"name"` // documentation; may be empty
	Type int    `json:"type"`
}

// typeForm is a type: the fields that its kind has are set.
type typeForm struct {
	Kind   string  `json:"kind"`             // as in Candid: nat, record, …; blob for vec nat8
	Name   string  `json:"name,omitempty"`   // of a defined type
	Elem   *int    `json:"elem,omitempty"`   // of opt and vec
	Fields []field `json:"fields,omitempty"` // of record and variant
}

// field is a field of a record, or a case of a variant.
type field struct {
	Key  string `json:"key"` // as in JSON: a name, or an id such as _7_
	Type int    `json:"type"`
}

// serveTypes answers with the interface of the canister in the query.
func (h *Handler) serveTypes(w http.ResponseWriter, r *http.Request) {
	memory := h.config.Memory.NewReservation()
	defer memory.Release()
	query := r.URL.Query()
	in := &controlv1.GetInterfaceRequest{Instance: query.Get("instance"), CanisterId: query.Get("canister")}
	out, err := controlv1.NewCanistersClient(h.config.Control).GetInterface(r.Context(), in, grpc.MaxCallRecvMsgSize(maxAnswer))
	if err == nil {
		err = memory.Grow(int64(proto.Size(out)))
	}
	var file *did.File
	if err == nil {
		if file, err = did.Parse(out.GetCandid()); err != nil {
			err = status.Errorf(codes.FailedPrecondition, "the interface of the canister cannot be read: %v", err)
		}
	}
	if err != nil {
		sendFailure(w, err)
		return
	}
	body, err := json.Marshal(describe(out.GetCandid(), file))
	if err != nil {
		err = fmt.Errorf("writing the types as JSON: %w", err)
	} else {
		err = memory.Grow(int64(len(body)))
	}
	if err != nil {
		sendFailure(w, err)
		return
	}
	writeJSON(w, http.StatusOK, body)
}

// describe lists the methods and types of an interface.
func describe(text string, file *did.File) *interfaceAnswer {
	t := typeTable{places: map[*candid.Type]int{}, types: []typeForm{}}
	a := &interfaceAnswer{Candid: text, Methods: []methodForm{}, Init: []argument{}}
	init, known := file.Init()
	a.Known = known
	if known {
		a.Init = t.arguments(init)
	}
	for _, m := range file.Methods() {
		a.Methods = append(a.Methods, methodForm{
			Name: m.Name, Query: m.Annotation&(candid.Query|candid.CompositeQuery) != 0, Composite: m.Annotation&candid.CompositeQuery != 0,
			Args: t.arguments(m.Args), Results: t.arguments(m.Results), Signature: did.FormatTypes(m.Args) + " -> " + did.FormatTypes(m.Results),
		})
	}
	a.Types = t.types
	return a
}

// typeTable gives types their positions.
type typeTable struct {
	places map[*candid.Type]int
	types  []typeForm
}

// arguments describes arguments, and adds their types.
func (t *typeTable) arguments(args []did.Arg) []argument {
	all := []argument{}
	for _, a := range args {
		all = append(all, argument{a.Name, t.place(a.Type)})
	}
	return all
}

// place returns the position of a type, which it adds with all types in it. It uses no recursion: types may be as deep
// as a text of megabytes makes them.
func (t *typeTable) place(of *candid.Type) int {
	place, pending := t.reserve(of, nil)
	for len(pending) > 0 {
		next := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		form := typeForm{Kind: next.Kind().String(), Name: next.Name()}
		switch {
		case next.IsBlob():
			form.Kind = "blob"
		case next.Elem() != nil:
			var elem int
			elem, pending = t.reserve(next.Elem(), pending)
			form.Elem = &elem
		}
		for _, f := range next.Fields() {
			var at int
			at, pending = t.reserve(f.Type, pending)
			form.Fields = append(form.Fields, field{keyOf(f.Label), at})
		}
		t.types[t.places[next]] = form
	}
	return place
}

// reserve returns the position of a type. A new one is also added to those that have to be described.
func (t *typeTable) reserve(of *candid.Type, pending []*candid.Type) (place int, more []*candid.Type) {
	place, known := t.places[of]
	if known {
		return place, pending
	}
	place = len(t.types)
	t.places[of] = place
	t.types = append(t.types, typeForm{})
	return place, append(pending, of)
}

// keyOf returns the key of a field in JSON.
func keyOf(l candid.Label) string {
	if l.Name != "" {
		return l.Name
	}
	return fmt.Sprintf("_%d_", l.ID)
}
