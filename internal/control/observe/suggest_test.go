package observe

import (
	"fmt"
	"reflect"
	"testing"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// statesOf are states with the results of some queries, each a list of one number for each state.
func statesOf(numbers map[string][]int, queries ...string) (states []State) {
	for i := range numbers[queries[0]] {
		s := State{Queries: queries, Results: map[string]string{}}
		for _, q := range queries {
			s.Results[q] = fmt.Sprintf("(%d : nat)", numbers[q][i])
		}
		states = append(states, s)
	}
	return states
}

func TestConservedSumsEqualNumbersAndUnchangedOnesAreSuggested(t *testing.T) {
	states := statesOf(map[string][]int{
		"bank balance": {100, 60, 0}, "vault paid": {0, 40, 100}, "vault count": {0, 40, 100}, "bank fee": {2, 2, 2},
	}, "bank balance", "vault paid", "vault count", "bank fee")
	want := []Suggestion{
		{[]string{"bank balance + vault paid <= 100", "bank balance <= 100", "vault paid <= 100"}, "their sum stayed 100"},
		{[]string{"bank balance + vault count <= 100", "bank balance <= 100", "vault count <= 100"}, "their sum stayed 100"},
		{[]string{"vault paid == vault count"}, "they were equal in every state"},
		{[]string{"bank fee == 2"}, "it stayed the same"},
	}
	if got, err := Suggest(states); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("suggested is %q (%v), want %q", got, err, want)
	}
}

func TestNothingIsSuggestedIfNothingChanges(t *testing.T) {
	if got, err := Suggest(statesOf(map[string][]int{"bank fee": {2, 2}}, "bank fee")); err == nil {
		t.Errorf("suggested is %q", got)
	}
}

func TestANumberThatOnlyGrowsGetsABound(t *testing.T) {
	got, err := Suggest(statesOf(map[string][]int{"bank count": {0, 1, 2}}, "bank count"))
	if err != nil || len(got) != 1 || got[0].Invariants[0] != "bank count <= 2" {
		t.Errorf("suggested is %q", got)
	}
}

func TestEightInvariantsAreSuggested(t *testing.T) {
	numbers, queries := map[string][]int{"bank paid": {1, 2}}, []string{"bank paid"}
	for i := range 10 {
		query := fmt.Sprint("bank get", i)
		queries, numbers[query] = append(queries, query), []int{i, i}
	}
	if got, err := Suggest(statesOf(numbers, queries...)); err != nil || len(got) != 8 || got[7].Invariants[0] != "bank get7 == 7" {
		t.Errorf("suggested is %q", got)
	}
}

func TestFortyQueriesWithoutArgumentsAreObserved(t *testing.T) {
	one := Canister{Name: "bank", Methods: []Method{{Name: "update", Plain: true}, {Name: "other", Query: true}}}
	for i := range 50 {
		one.Methods = append(one.Methods, Method{Name: fmt.Sprint("get", i), Query: true, Plain: true})
	}
	seen := Read([]Canister{one}, func(call *controlv1.Call) string { return call.GetMethod() })
	if len(seen.Queries) != 40 || seen.Queries[0] != "bank get0" || seen.Results["bank get39"] != "get39" {
		t.Errorf("%d queries are observed: %v", len(seen.Queries), seen)
	}
}
