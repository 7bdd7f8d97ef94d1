package observe

import (
	"context"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/internal/candid/generated"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Canister is a canister with its methods.
type Canister struct {
	Name, ID string
	Methods  []Method
}

// Method is a method of a canister that its author wrote.
type Method struct {
	Name      string
	Query     bool
	Plain     bool   // takes no arguments
	Signature string // "" if the canister has no interface
}

// Describe returns a canister with its methods: those of its interface, or without one those that its module exports.
func Describe(ctx context.Context, d *remote.Daemon, instance, name, id string) (Canister, error) {
	one := Canister{Name: name, ID: id}
	if got, err := d.Canisters.GetInterface(ctx, &controlv1.GetInterfaceRequest{Instance: instance, CanisterId: id}); err == nil {
		if file, err := did.Parse(got.GetCandid()); err == nil {
			for _, m := range file.Methods() {
				if !generated.Method(m.Name) {
					one.Methods = append(one.Methods, Method{
						Name: m.Name, Query: m.Annotation&(candid.Query|candid.CompositeQuery) != 0, Plain: len(m.Args) == 0,
						Signature: did.FormatTypes(m.Args) + " -> " + did.FormatTypes(m.Results),
					})
				}
			}
			return one, nil
		}
	}
	got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: instance, CanisterId: id})
	if err != nil {
		return one, err
	}
	for _, m := range got.GetCanister().GetMethods() {
		if !generated.Method(m.GetName()) {
			one.Methods = append(one.Methods, Method{Name: m.GetName(), Query: m.GetKind() != "update"})
		}
	}
	return one, nil
}

// State has the results of queries without arguments, in the order of the queries.
type State struct {
	Queries []string          // CANISTER METHOD
	Results map[string]string // in Candid text, or why there is none
}

// Read makes the queries without arguments of canisters. Ask makes one, and returns its result as text.
func Read(all []Canister, ask func(*controlv1.Call) string) State {
	seen := State{Results: map[string]string{}}
	for _, c := range all {
		for _, m := range c.Methods {
			if m.Query && m.Plain && len(seen.Queries) < maxObserved {
				query := c.Name + " " + m.Name
				seen.Queries = append(seen.Queries, query)
				seen.Results[query] = ask(&controlv1.Call{CanisterId: c.ID, Method: m.Name, ReplyForm: controlv1.Form_FORM_TEXT})
			}
		}
	}
	return seen
}
