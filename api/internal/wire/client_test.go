package wire

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid/principal"
)

func drawPrincipal(t *rapid.T, label string) principal.Principal {
	return principal.MustFromBytes(rapid.SliceOfN(rapid.Byte(), 0, principal.MaxLen).Draw(t, label))
}

func drawDraft(t *rapid.T) *Draft {
	var d *Draft
	switch kind := rapid.SampledFrom([]Kind{KindCall, KindQuery, KindReadState}).Draw(t, "kind"); kind {
	case KindReadState:
		d = NewReadState(rapid.SliceOfN(rapid.Map(rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 0, 4),
			func(labels [][]byte) Path { return labels }), 0, 4).Draw(t, "paths")...)
	default:
		d = NewCall(drawPrincipal(t, "canister"), rapid.String().Draw(t, "method"), rapid.SliceOf(rapid.Byte()).Draw(t, "arg"))
		d.kind = kind
	}
	d.IngressExpiry = rapid.Uint64().Draw(t, "expiry")
	if rapid.Bool().Draw(t, "has nonce") {
		d.Nonce = rapid.SliceOfN(rapid.Byte(), 0, MaxNonceBytes).Draw(t, "nonce")
	}
	return d
}

func TestWhatTheClientSignsTheServerReadsAndBelieves(t *testing.T) {
	alice := person(t, "alice")
	ids := []Identity{{}, alice, delegate(t, alice, DelegationTerms{Permissions: PermitAll}, DelegationTerms{})}
	rapid.Check(t, func(t *rapid.T) {
		draft, id := drawDraft(t), rapid.SampledFrom(ids).Draw(t, "identity")
		signed, err := draft.Sign(id)
		if err != nil {
			t.Fatal(err)
		}
		req, err := decodeAny(draft.kind.String(), signed.Body)
		if err != nil {
			t.Fatal(err)
		}
		env := req.envelope()
		if env.ID != signed.ID || env.IngressExpiry != draft.IngressExpiry || !bytes.Equal(env.Nonce, draft.Nonce) || (env.Nonce == nil) != (draft.Nonce == nil) {
			t.Fatalf("got %+v of %+v", env, draft)
		}
		switch req := req.(type) {
		case *Call:
			sameMessage(t, req.Message, draft.message)
		case *Query:
			sameMessage(t, req.Message, draft.message)
		case *ReadState:
			samePaths(t, req.Paths, draft.paths)
		}
		if claims, err := Authenticate(req, instant, nil); err != nil || claims.Sender != id.Sender() {
			t.Fatalf("claims %+v, %v", claims, err)
		}
	})
}

func sameMessage(t *rapid.T, got, want Message) {
	if got.CanisterID != want.CanisterID || got.MethodName != want.MethodName || !bytes.Equal(got.Arg, want.Arg) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

func samePaths(t *rapid.T, got, want []Path) {
	if len(got) != len(want) {
		t.Fatalf("got %d paths, want %d", len(got), len(want))
	}
	for i := range got {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("path %d: got %d labels, want %d", i, len(got[i]), len(want[i]))
		}
		for j := range got[i] {
			if !bytes.Equal(got[i][j], want[i][j]) {
				t.Fatalf("label %d of path %d: got %x, want %x", j, i, got[i][j], want[i][j])
			}
		}
	}
}

func TestOnlyKeysDelegate(t *testing.T) {
	alice, bob := person(t, "alice"), person(t, "bob")
	for name, try := range map[string][2]Identity{
		"from anonymous":   {Identity{}, bob},
		"to anonymous":     {alice, Identity{}},
		"to a delegate":    {alice, delegate(t, bob, DelegationTerms{})},
		"by a broken key":  {NewIdentity(alice.key, broken), bob},
		"to it, then sign": {alice, NewIdentity(bob.key, broken)},
	} {
		id, err := try[0].Delegate(try[1], DelegationTerms{Expiration: instant})
		if err == nil {
			_, err = helloCall().Sign(id)
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewEd25519Identity(ed25519.PrivateKey{1}); err == nil {
		t.Error("a key of one byte is taken")
	}
}

func broken([]byte) ([]byte, error) { return nil, errors.New("the token is not plugged in") }

func TestADelegatedIdentityIsAValue(t *testing.T) {
	alice := delegate(t, person(t, "alice"), DelegationTerms{})
	before := reflect.ValueOf(alice.chain).Len()
	for range 3 {
		if _, err := alice.Delegate(person(t, "bob"), DelegationTerms{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(alice.chain) != before {
		t.Errorf("delegating changed the chain from %d to %d", before, len(alice.chain))
	}
}
