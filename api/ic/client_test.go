package ic

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
)

// dial serves the network and speaks to it as alice. The network's time is the client's, because the client accepts
// only current answers.
func dial(t *testing.T, n *fakeNetwork) *client.Client {
	t.Helper()
	n.now = uint64(time.Now().UnixNano())
	n.publish()
	server := httptest.NewServer(New(n, Info{Version: "test"}))
	t.Cleanup(server.Close)
	seed := sha256.Sum256([]byte("alice"))
	c, err := client.Dial(t.Context(), server.URL, client.WithKey(ed25519.NewKeyFromSeed(seed[:])))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestTheClientBelievesBothSubnets(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	c := dial(t, n)
	for _, canister := range []principal.Principal{nnsCanister, appCanister} {
		if reply, err := c.Call(t.Context(), canister, canister, "f", []byte("x")); err != nil || string(reply) != "f x" {
			t.Errorf("call: %q, %v", reply, err)
		}
		if reply, err := c.Query(t.Context(), canister, canister, "q", []byte("y")); err != nil || string(reply) != "echo y" {
			t.Errorf("query: %q, %v", reply, err)
		}
		if text, ok, err := c.Metadata(t.Context(), canister, "hidden"); err != nil || !ok || text != "secret" {
			t.Errorf("metadata: %q, %t, %v", text, ok, err)
		}
		if _, ok, err := c.Metadata(t.Context(), canister, "none"); err != nil || ok {
			t.Errorf("metadata that is not there: %t, %v", ok, err)
		}
	}
}

func TestTheClientFindsTheSubnetsAndTheirCanisters(t *testing.T) {
	n := newFakeNetwork(t)
	c := dial(t, n)
	subnets, err := c.Subnets(t.Context())
	if err != nil || len(subnets) != 2 {
		t.Fatalf("got %v, %v", subnets, err)
	}
	if id, err := c.FirstCanister(t.Context(), n.app.id); err != nil || id != appCanister {
		t.Errorf("got %s, %v", id, err)
	}
}

func TestTheClientTellsRejectsFromRefusals(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = func(in *api.Ingress) ([]byte, *intercanister.Reject) {
		return nil, intercanister.Rejectf(intercanister.CanisterCalledTrap, "trapped")
	}
	c := dial(t, n)
	_, err := c.Call(t.Context(), appCanister, appCanister, "f", nil)
	if reject, ok := errors.AsType[*client.Reject](err); !ok || !reject.Certified || reject.ErrorCode != "IC0503" {
		t.Errorf("a reject by the canister: %v", err)
	}
	n.submit = func(*api.Ingress) (api.Receipt, error) {
		return api.Receipt{Reject: intercanister.Rejectf(intercanister.CanisterStopped, "stopped")}, nil
	}
	_, err = c.Call(t.Context(), appCanister, appCanister, "f", nil)
	if reject, ok := errors.AsType[*client.Reject](err); !ok || reject.Certified || reject.ErrorCode != "IC0508" {
		t.Errorf("a rejection beforehand: %v", err)
	}
	_, err = c.ReadState(t.Context(), appCanister, certify.Path{"canister"})
	if refused, ok := errors.AsType[*client.HTTPError](err); !ok || refused.Status != 404 {
		t.Errorf("a refusal: %v", err)
	}
}
