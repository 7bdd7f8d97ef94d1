package main

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/intercanister/cycles"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// On a subnet with 13 nodes, calls cost what their canisters have paid.
func TestAMethodCostsWhatItsCanisterPaid(t *testing.T) {
	prepare(t)
	writeFile(t, "canisterd.yaml", "canisters:\n  greeter: {wasm: "+expanded("$EXAMPLES")+"/motoko/greeter.wasm}\n  relay: {wasm: "+expanded("$EXAMPLES")+"/motoko/relay.wasm}\n")
	perform(t, "instance create lab --pacing manual")
	perform(t, "-i lab deploy")
	amount := func(command string) (a cycles.Amount) {
		t.Helper()
		text := strings.Trim(perform(t, command), " \n")
		if err := a.UnmarshalText([]byte(text)); err != nil {
			t.Fatalf("%s prints %q: %v", command, text, err)
		}
		return a
	}
	relay, greeter := amount("-i lab canister status relay --jq .cycles"), amount("-i lab canister status greeter --jq .cycles")
	perform(t, `-i lab canister call relay pass '("${greeter}", "world")'`)
	perform(t, `-i lab canister call relay pass '("${greeter}", "everyone in the world")'`)
	relay = relay.Sub(amount("-i lab canister status relay --jq .cycles"))
	greeter = greeter.Sub(amount("-i lab canister status greeter --jq .cycles"))

	// Nobody but the relay calls the greeter.
	if greet := amount("-i lab cost greeter.greet --jq .methods[0].cycles_per_call[0]"); greet != greeter.Div(2) {
		t.Errorf("a call of greet costs %s cycles, and the greeter paid %s for two", greet, greeter)
	}
	// The size of the message that the user signed is the only estimate.
	pass := amount("-i lab cost relay.pass --jq .methods[0].execution_cycles_per_call[0]").Add(amount("-i lab cost relay.pass --jq .methods[0].outgoing_cycles_per_call[0]"))
	s := cycles.Application(13)
	ingress := relay.Sub(pass.Mul(2))
	bytes := ingress.Sub(s.IngressMessage(0).Mul(2)).Div(s.IngressByte)
	if s.IngressMessage(0).Mul(2).Add(cycles.Of(s.IngressByte).Mul(bytes.Lo)) != ingress || bytes.Lo < 100 || bytes.Lo > 2*2*envelopeBytes {
		t.Errorf("the relay paid %s cycles for two calls, and %s are not for its two ingress messages", relay, ingress)
	}
}

// An instance forgets its oldest events first, so a callback may be remembered without the call.
func TestWhatBelongsToAForgottenMessageIsNotPriced(t *testing.T) {
	b := newBill(nil)
	event := func(kind controlv1.EventKind, source string, context, instructions uint64) {
		b.add(&controlv1.Event{
			Kind: kind, Source: source, SubnetId: "subnet", CanisterId: "relay", Method: "pass", ContextId: context, Instructions: instructions, Bytes: 100,
		})
	}
	const executed, called, settled = controlv1.EventKind_EVENT_KIND_MESSAGE_EXECUTED, controlv1.EventKind_EVENT_KIND_CALL_REGISTERED, controlv1.EventKind_EVENT_KIND_CALL_SETTLED
	event(called, "", 1, 0)
	event(settled, "", 1, 0)
	event(executed, "response", 1, 1_000_000)
	if ids := b.executed(); len(ids) != 0 {
		t.Fatalf("%v ran, and all that is remembered is the callback of a call", ids)
	}
	event(executed, "request", 2, 10)
	event(called, "", 2, 0)
	event(settled, "", 2, 0)
	event(executed, "response", 2, 5)
	m := b.methods[methodID{"relay", "pass"}]
	if want := (methodUse{calls: 1, messages: 2, instructions: 15, made: 1, sentBytes: 104, gotBytes: 100}); m == nil || *m != want {
		t.Errorf("pass did %+v, want %+v", m, want)
	}
}

func TestSignaturesAndOutcallsAreServices(t *testing.T) {
	const here = 13
	b := newBill(map[string]uint64{"subnet": here})
	method := ""
	event := func(kind controlv1.EventKind, call uint64, amount cycles.Amount) {
		b.add(&controlv1.Event{
			Kind: kind, Source: "request", SubnetId: "subnet", CanisterId: "bank", Method: method, ContextId: 1, CallId: call, Peer: "aaaaa-aa", Cycles: amount.String(),
		})
	}
	const executed, called, made, settled = controlv1.EventKind_EVENT_KIND_MESSAGE_EXECUTED, controlv1.EventKind_EVENT_KIND_CALL_REGISTERED,
		controlv1.EventKind_EVENT_KIND_OUTCALL_MADE, controlv1.EventKind_EVENT_KIND_CALL_SETTLED
	local := cycles.Application(here)
	paid, attached := local.Outcall(120, 2000), cycles.Of(100_000_000_000)
	method = "pay"
	event(executed, 0, cycles.Amount{})
	for call, called := range []struct {
		method string
		price  cycles.Amount
	}{
		{"http_request", paid},
		{"sign_with_ecdsa", cycles.Of(10_000_000_000)},
		{"vetkd_derive_key", cycles.Of(10_000_000_000)},
		{"sign_with_schnorr", cycles.Amount{}}, // rejected: nothing is paid
		{"deposit_cycles", attached},           // they are still the user's
	} {
		id := uint64(call + 1)
		method = called.method
		event(controlv1.EventKind_EVENT_KIND_CALL_REGISTERED, id, attached)
		if called.method == "http_request" {
			event(made, id, cycles.Amount{})
		}
		method = "pay"
		event(settled, id, attached.Sub(called.price))
	}
	event(called, 9, attached) // not settled yet
	for i, nodes := range pricedSubnets {
		there, signing := cycles.Application(nodes), cycles.Application(34)
		want := there.Outcall(120, 2000).Add(signing.Scale(cycles.Of(10_000_000_000)).Mul(2))
		if got := b.methods[methodID{"bank", "pay"}].cost(i, false).services; got != want {
			t.Errorf("with %d nodes, services cost %s, want %s", nodes, got, want)
		}
	}
	if got := outcallPrice(cycles.Of(1300), here, 34); got != cycles.Of(3400) {
		t.Errorf("what is no price of version 1 costs %s", got)
	}
}

func TestARateIsADecimalNumber(t *testing.T) {
	for text, want := range map[string]usdRate{"1.36": 1_360_000, "1": 1_000_000, "0.000001": 1, "1000000": 1_000_000_000_000} {
		var r usdRate
		if err := r.Set(text); err != nil || r != want || r.String() != text {
			t.Errorf("%s is %d, which is %s (%v)", text, r, &r, err)
		}
	}
	for _, text := range []string{"", "0", ".5", "1.3600001", "1000000.000001", "-1", "much", "1,36", "1.-3"} {
		var r usdRate
		if err := r.Set(text); err == nil {
			t.Errorf("%q is taken for %d", text, r)
		}
	}
}
