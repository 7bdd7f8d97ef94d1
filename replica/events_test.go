package replica_test

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
)

func TestEveryKindOfEventHasANameOfItsOwn(t *testing.T) {
	seen := make(map[string]replica.EventKind)
	for k := range replica.Kinds() {
		name := k.String()
		if name == "" || seen[name] != 0 {
			t.Errorf("kind %d is called %q, as kind %d", k, name, seen[name])
		}
		seen[name] = k
	}
	if len(seen) < int(replica.ResponseLate) {
		t.Errorf("%d kinds, want at least %d", len(seen), replica.ResponseLate)
	}
}

func TestEveryFieldOfAnEventIsInTheVocabulary(t *testing.T) {
	full := replica.Event{
		Kind: replica.Trapped, Source: intercanister.SourceRequests, Task: intercanister.Heartbeat, Entry: canister.Update,
		Reentrant: true, CleanupRan: true, NoTransform: true, Subnet: principal.Canister(1), Canister: principal.Canister(2), Peer: principal.Canister(3),
		Request: replica.RequestID{1}, Context: 4, Call: 5, Method: "m", Number: 6, Time: 7, Height: 8,
		Origin: replica.Origin{Kind: intercanister.FromCanister, Caller: principal.Canister(9), Call: 10},
		Reject: &intercanister.Reject{Code: intercanister.CanisterError, Error: intercanister.CanisterTrapped, Text: "x"},

		Instructions: 11, Cycles: cycles.Of(12), Deadline: 13, Bytes: 14, Payload: []byte("p"), DirtyPages: 15, Heap: 16, Stable: 17,
		Began: replica.Moment{Height: 18, Time: 19}, Wall: 20, Logs: 21, Text: "t", Callers: []replica.Caller{{Method: "m"}},
		Rule: 22, Held: 23, Fault: "held", Lines: []canister.SourceLine{{File: "f", Number: 24}},
	}
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the test says nothing of field %s", v.Type().Field(i).Name)
		}
	}
	if all := maps.Collect(full.Fields()); len(all) != 37 {
		t.Errorf("%d fields are said: %v", len(all), all)
	}
	// What is zero is not said, whichever field it is.
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		// Number is said by the kinds that have one, payloads and lines by traces.
		if name == "Kind" || name == "Number" || name == "Payload" || name == "Lines" {
			continue
		}
		less := full
		reflect.ValueOf(&less).Elem().Field(i).SetZero()
		if fmt.Sprint(maps.Collect(less.Fields())) == fmt.Sprint(maps.Collect(full.Fields())) {
			t.Errorf("nothing of the vocabulary says field %s", name)
		}
	}
	round := replica.Event{Kind: replica.RoundEnded, Height: 1, Time: 2}
	var said []string
	for name, value := range round.Fields() {
		said = append(said, fmt.Sprint(name, "=", value))
	}
	if got := strings.Join(said, " "); got != "height=1 time=2 messages=0" {
		t.Errorf("a round says %q", got)
	}
}
