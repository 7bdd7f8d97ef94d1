package values_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/internal/trace/values"
	"github.com/canisterd/canisterd/replica"
)

// described is the text of a call with an argument, by the interface of its canister.
func described(t *testing.T, service, method string, arg candid.Value) string {
	t.Helper()
	file, err := did.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := candid.EncodeValues(arg)
	if err != nil {
		t.Fatal(err)
	}
	id := replica.RequestID{1}
	tree := trace.Build(trace.Root{Request: id}, []replica.Event{
		{Kind: replica.IngressReceived, Canister: principal.Canister(1), Request: id, Method: method, Payload: payload, Bytes: len(payload)},
	})
	asked := 0
	r := values.Reader{Interface: func(of principal.Principal) *did.File {
		asked++
		if of == principal.Canister(1) {
			return file
		}
		return nil
	}}
	r.Describe(tree)
	r.Describe(tree)
	if asked > 2 {
		t.Errorf("%d interfaces are asked for, of two canisters", asked)
	}
	return tree.Root.ArgText
}

func TestArgumentsAreShownWithTheTypesOfTheInterface(t *testing.T) {
	const service = `service : { add : (record { amount : nat }) -> (); }`
	amount, err := candid.ParseValue("record { amount = 7 : nat }")
	if err != nil {
		t.Fatal(err)
	}
	if got := described(t, service, "add", amount); got != "({amount = 7})" {
		t.Errorf("the argument is %s", got)
	}
	if got := described(t, service, "unknown", candid.Text("x")); got != `("x")` {
		t.Errorf("the argument of an unknown method is %s", got)
	}
}

func TestALongArgumentHas100Characters(t *testing.T) {
	long := described(t, "service : {}", "m", candid.Text(strings.Repeat("x", 1000)))
	if n := len([]rune(long)); n > 100 || n < 90 || !strings.Contains(long, "…") {
		t.Errorf("a long argument has %d characters: %s", n, long)
	}
}
