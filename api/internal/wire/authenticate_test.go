package wire

import (
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
)

// authenticate signs the draft, decodes the body and authenticates it.
func authenticate(t *testing.T, d *Draft, id Identity) (Claims, error) {
	t.Helper()
	signed := sign(t, d, id)
	req, err := decodeAny(d.kind.String(), signed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if req.envelope().ID != signed.ID {
		t.Fatalf("signed %s, decoded %s", signed.ID, req.envelope().ID)
	}
	return Authenticate(req, instant, nil)
}

func targets(ps ...principal.Principal) []principal.Principal {
	return append([]principal.Principal{}, ps...)
}

func TestTheRulesOfAuthentication(t *testing.T) {
	query := func() *Draft { return NewQuery(hello, "greet", nil) }
	readState := func() *Draft { return NewReadState(Path{[]byte("time")}) }
	long := make([]DelegationTerms, MaxDelegations)
	for _, c := range []struct {
		name   string
		draft  *Draft
		chain  []DelegationTerms
		text   string // "" where the request is let in
		limits string // targets left, "all" or "none" or their texts
	}{
		{"a signed call", helloCall(), nil, "", "all"},
		{"a signed query", query(), nil, "", "all"},
		{"a signed read_state", readState(), nil, "", "all"},
		{"one delegation", helloCall(), []DelegationTerms{{}}, "", "all"},
		{"twenty delegations", helloCall(), long, "", "all"},
		{"a delegation that expires now", helloCall(), []DelegationTerms{{Expiration: instant}}, "", "all"},
		{
			"a delegation that has expired", helloCall(),
			[]DelegationTerms{{}, {Expiration: instant - 1}},
			"Invalid delegation expiry: Specified sender delegation has expired:\n" +
				"Provided expiry:    2023-05-31 21:59:59.999999999 UTC\nLocal replica time: 2023-05-31 22:00:00 UTC", "",
		},
		{"the canister is a target", helloCall(), []DelegationTerms{{Targets: targets(stranger, hello)}}, "", hello.String() + " " + stranger.String()},
		{
			"targets intersect", helloCall(),
			[]DelegationTerms{{Targets: targets(stranger, hello)}, {}, {Targets: targets(hello, principal.Management)}},
			"", hello.String(),
		},
		{
			"the canister is no target", helloCall(),
			[]DelegationTerms{{Targets: targets(stranger)}},
			"Canister '" + hello.String() + "' is not one of the delegation targets.", "",
		},
		{
			"nothing is left of the targets", query(),
			[]DelegationTerms{{Targets: targets(hello)}, {Targets: targets(stranger)}},
			"Canister '" + hello.String() + "' is not one of the delegation targets.", "",
		},
		{
			"no targets at all", query(),
			[]DelegationTerms{{Targets: targets()}},
			"Canister '" + hello.String() + "' is not one of the delegation targets.", "",
		},
		{
			"the management canister is not among the targets", NewCall(principal.Management, "raw_rand", nil),
			[]DelegationTerms{{Targets: targets(hello)}},
			"Canister 'aaaaa-aa' is not one of the delegation targets.", "",
		},
		{
			"the management canister is a target", NewCall(principal.Management, "raw_rand", nil),
			[]DelegationTerms{{Targets: targets(principal.Management)}},
			"", "aaaaa-aa",
		},
		{"read_state is for no canister", readState(), []DelegationTerms{{Targets: targets()}}, "", "none"},
		{"all permissions, a call", helloCall(), []DelegationTerms{{Permissions: PermitAll}}, "", "all"},
		{"queries permitted, a query", query(), []DelegationTerms{{Permissions: PermitQueries}}, "", "all"},
		{"queries permitted, a read_state", readState(), []DelegationTerms{{Permissions: PermitQueries}}, "", "all"},
		{
			"queries permitted, a call", helloCall(),
			[]DelegationTerms{{Permissions: PermitAll}, {Permissions: PermitQueries}, {}},
			"Invalid delegation: Delegation permissions error: a delegation permits only \"queries\", but this is a call", "",
		},
		{
			"unknown permissions", query(),
			[]DelegationTerms{{Permissions: "Queries"}},
			"Invalid delegation: Delegation permissions error: got \"Queries\", but only \"queries\" and \"all\" are known", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			alice := person(t, "alice")
			claims, err := authenticate(t, c.draft, delegate(t, alice, c.chain...))
			if c.text != "" {
				wantRefusal(t, err, refusal.Invalid, c.text)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if claims.Sender != alice.Sender() {
				t.Errorf("sender is %s, want %s", claims.Sender, alice.Sender())
			}
			if got := limitsText(claims); got != c.limits {
				t.Errorf("targets are %s, want %s", got, c.limits)
			}
		})
	}
}

func limitsText(c Claims) string {
	switch {
	case c.Targets == nil:
		return "all"
	case len(c.Targets) == 0:
		return "none"
	}
	var texts []string
	for _, p := range c.Targets {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, " ")
}

func TestTheTargetOfAReadStateIsAskedForLater(t *testing.T) {
	claims, err := authenticate(t, NewReadState(), delegate(t, person(t, "alice"), DelegationTerms{Targets: targets(hello)}))
	if err != nil {
		t.Fatal(err)
	}
	if err := claims.CheckTarget(hello); err != nil {
		t.Error(err)
	}
	wantRefusal(t, claims.CheckTarget(stranger), refusal.Invalid, "is not one of the delegation targets.")
}

func TestAnonymousRequestsCarryNoSignature(t *testing.T) {
	claims, err := authenticate(t, helloCall(), Identity{})
	if err != nil || claims.Sender != principal.Anonymous || claims.Targets != nil {
		t.Errorf("got %+v, %v", claims, err)
	}
	call, err := DecodeCall(envelopeOf(callContent(), pair{"sender_pubkey", blob(nil)}, pair{"sender_sig", blob(nil)}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Authenticate(call, instant, nil)
	wantRefusal(t, err, refusal.Invalid, "Signature is not allowed for the anonymous user.")
}

func TestEveryoneElseMustSign(t *testing.T) {
	alice := person(t, "alice").Sender()
	call, err := DecodeCall(envelopeOf(callContent(pair{"sender", blob(alice.Bytes())})))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Authenticate(call, instant, nil)
	wantRefusal(t, err, refusal.Invalid, "Missing signature from user: "+alice.String())
}

func TestTheSenderIsTheHashOfTheKey(t *testing.T) {
	call := decodedCall(t, person(t, "alice"))
	call.Sender = person(t, "bob").Sender()
	_, err := Authenticate(call, instant, nil)
	wantRefusal(t, err, refusal.Invalid, "The user id '"+call.Sender.String()+"' does not match the public key '302a300506032b6570032100")
}

func decodedCall(t *testing.T, id Identity) *Call {
	t.Helper()
	call, err := DecodeCall(sign(t, helloCall(), id).Body)
	if err != nil {
		t.Fatal(err)
	}
	return call
}

func TestAChainWithARepeatedKeyIsACycle(t *testing.T) {
	alice, bob := person(t, "alice"), person(t, "bob")
	for name, keys := range map[string][]Identity{
		"to oneself":  {alice},
		"there again": {bob, alice},
		"twice bob":   {bob, person(t, "carol"), bob},
	} {
		id := alice
		for _, to := range keys {
			next, err := id.Delegate(to, DelegationTerms{Expiration: instant})
			if err != nil {
				t.Fatal(err)
			}
			id = next
		}
		t.Run(name, func(t *testing.T) {
			_, err := Authenticate(decodedCall(t, id), instant, nil)
			wantRefusal(t, err, refusal.Invalid, "Invalid delegation: Chain of delegations contains at least one cycle: first repeating public key encountered 302a")
		})
	}
}

func TestAChainMustHoldAtEveryLink(t *testing.T) {
	id := delegate(t, person(t, "alice"), DelegationTerms{}, DelegationTerms{}, DelegationTerms{})
	for i := range 3 {
		call := decodedCall(t, id)
		call.Auth.Delegations[i].Hash[0] ^= 1
		_, err := Authenticate(call, instant, nil)
		wantRefusal(t, err, refusal.Invalid, "Invalid delegation: Invalid basic signature: Ed25519 signature could not be verified: public key ")
	}
	call := decodedCall(t, id)
	call.Auth.Delegations = slices.Delete(call.Auth.Delegations, 1, 2)
	_, err := Authenticate(call, instant, nil)
	wantRefusal(t, err, refusal.Invalid, "Invalid delegation: Invalid basic signature: ")
	call = decodedCall(t, id)
	call.Auth.Delegations = call.Auth.Delegations[:2]
	_, err = Authenticate(call, instant, nil)
	wantRefusal(t, err, refusal.Invalid, "Invalid signature: Invalid basic signature: ")
}

func TestEveryFieldOfTheContentIsSigned(t *testing.T) {
	alice := person(t, "alice")
	signed := sign(t, helloCall(), alice)
	for name, change := range map[string]pair{
		"arg":           {"arg", blob([]byte("DIDL\x00\x01"))},
		"method":        {"method_name", text("greed")},
		"canister":      {"canister_id", blob(stranger.Bytes())},
		"expiry":        {"ingress_expiry", nat(instant + minute + 1)},
		"nonce":         {"nonce", blob(nil)},
		"unknown field": {"unheard", nat(0)},
	} {
		call, err := DecodeCall(signed.Body)
		if err != nil {
			t.Fatal(err)
		}
		other, err := DecodeCall(envelopeOf(callContent(pair{"sender", blob(alice.Sender().Bytes())}, change)))
		if err != nil {
			t.Fatal(err)
		}
		other.Auth = call.Auth
		_, err = Authenticate(other, instant, nil)
		if err == nil {
			t.Errorf("%s: a changed request is let in", name)
		}
	}
}

func TestSenderInfoNeedsTheKeyOfACanister(t *testing.T) {
	info := &SenderInfo{Info: []byte("i"), Signer: hello, Sig: []byte("s")}
	anonymous := decodedCall(t, Identity{})
	anonymous.SenderInfo = info
	_, err := Authenticate(anonymous, instant, nil)
	wantRefusal(t, err, refusal.Invalid, "Invalid sender info: sender_info requires an authenticated request with sender_pubkey")

	call := decodedCall(t, person(t, "alice"))
	call.SenderInfo = info
	_, err = Authenticate(call, instant, nil)
	wantRefusal(t, err, refusal.Invalid, "Invalid sender info: sender_pubkey is not a valid canister signature public key: it is a key of the scheme Ed25519")
}
