package campaign

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/internal/explore/property"
	"github.com/canisterd/canisterd/internal/explore/search"
)

func TestMessagesOfCanistersThatAPropertyLooksAtTogetherDoNotCommute(t *testing.T) {
	a, b, c := principal.Canister(1), principal.Canister(2), principal.Canister(3)
	of := func(id principal.Principal) property.Side { return property.Result{Query: harness.Query{Canister: id}} }
	number := property.Constant{}
	between := func(left, right principal.Principal, when property.When) property.Property {
		return &property.Invariant{Left: of(left), Right: of(right), When: when}
	}
	for name, test := range map[string]struct {
		p      property.Property
		plan   harness.Plan
		ab, ac bool // they commute
	}{
		"two canisters after each message": {p: between(a, b, property.EachMessage), ac: true},
		"two canisters at rest":            {p: between(a, b, property.AtRest), ab: true, ac: true},
		"one canister after each message":  {p: between(a, a, property.EachMessage), ab: true, ac: true},
		"a number after each message":      {p: &property.Invariant{Left: of(a), Right: number, When: property.EachMessage}, ab: true, ac: true},
		"a sum after each message":         {p: &property.Invariant{Left: property.Arithmetic{Left: of(a), Operator: "+", Right: of(b)}, Right: number, When: property.EachMessage}, ac: true},
		"a function after each message":    {p: &property.Func{When: property.EachMessage}},
		"a function at rest":               {p: &property.Func{}, ab: true, ac: true},
		"time passes":                      {p: property.TrapAfterAwait{}, plan: harness.Plan{{At: "b", Kind: harness.PassTime}}, ac: true},
	} {
		commute := (&baseline{properties: []property.Property{test.p}}).commute(test.plan)
		if commute == nil {
			commute = search.Commute
		}
		move := func(name string, id principal.Principal) *search.Move {
			return &search.Move{Name: name, Receiver: harness.ReceiverOf(id)}
		}
		ab, ac := commute(move("a", a), move("b", b)), commute(move("a", a), move("c", c))
		if ab != test.ab || ac != test.ac || commute(move("a", a), move("a2", a)) {
			t.Errorf("%s: the messages of A and B commute: %t, of A and C: %t", name, ab, ac)
		}
	}
}
