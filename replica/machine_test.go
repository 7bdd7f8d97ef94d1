package replica_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
)

const plenty = 1_000_000_000_000_000

func stage(t testing.TB, canisters int) *replicatest.Stage {
	t.Helper()
	s := replicatest.NewStage(t, replica.Config{})
	s.Create(canisters, plenty)
	return s
}

func TestAnswersOfPuppets(t *testing.T) {
	s := stage(t, 3)
	for _, c := range []struct{ name, program, want string }{
		{"a reply", "reply hello", "replied: hello"},
		{"a reject", "reject no", "rejected 4 IC0406: no"},
		{"a trap", "trap boom", "rejected 5 IC0503: Error from Canister lxzze-o7777-77777-aaaaa-cai: boom"},
		{"no answer", "spend 5", "rejected 5 IC0506: Canister lxzze-o7777-77777-aaaaa-cai did not reply to the call"},
		{"a call", "call 1 (reply inner) then (echo)", "replied: inner"},
		{"a call to itself", "call 0 (reply self) then (echo)", "replied: self"},
		{"three nested calls", "call 1 (call 2 (call 1 (reply deep) then (echo)) then (echo)) then (echo)", "replied: deep"},
		{"a rejected call", "call 1 (reject no) then (reply yes) else (reply was-rejected)", "replied: was-rejected"},
		{"a call to nobody", "call 77 (reply x) then (reply yes) else (reply nobody)", "replied: nobody"},
		{"a trap in a callback", "call 1 (reply x) then (trap late)", "rejected 5 IC0503: Error from Canister lxzze-o7777-77777-aaaaa-cai: late"},
		{"a callback that does not answer", "call 1 (reply x) then (count)", "rejected 5 IC0506: Canister lxzze-o7777-77777-aaaaa-cai did not reply to the call"},
		{"an answer before a callback", "call 1 (reply x) then (count) reply early", "replied: early"},
		{"two calls, the second answers", "call 1 (reply a) then (count) call 2 (reply b) then (echo)", "replied: b"},
	} {
		before := s.View().Height
		if got := s.Run(0, c.program); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if rounds := s.View().Height - before; rounds != 1 {
			t.Errorf("%s took %d rounds, want 1", c.name, rounds)
		}
	}
}

func TestUpdatesThatAreNotAccepted(t *testing.T) {
	s := stage(t, 2)
	if got := s.Call(1, "create", "5000000000"); !strings.HasPrefix(got, "replied") {
		t.Fatal(got)
	}
	for _, c := range []struct {
		name   string
		n      int
		method string
		want   string
	}{
		{"nobody", 9, "run", "not accepted: DESTINATION_INVALID (IC0301): Canister kirkt-nh777-77777-aaaeq-cai not found"},
		{"an empty canister", 2, "run", "not accepted: CANISTER_ERROR (IC0537): Requested canister has no wasm module"},
		{"no such method", 0, "none", "rejected 5 IC0536: Error from Canister lxzze-o7777-77777-aaaaa-cai: Canister has no update method 'none'.."},
		{"a composite query", 0, "both", "not accepted: CANISTER_ERROR (IC0527): Composite query cannot be called in replicated mode"},
		{"a query method", 0, "look", "replied: x"},
	} {
		got := s.Call(c.n, c.method, "reply x")
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
