package ic

import (
	"errors"
	"net/http"
	"testing"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
)

// wantSigned reads a query's answer and verifies the node's signature.
func wantSigned(t *testing.T, s *fakeSubnet, raw []byte, id wire.RequestID) wire.QueryResponse {
	t.Helper()
	response, signatures, err := wire.DecodeQueryResponse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(signatures) != 1 || signatures[0].Identity != s.node.Principal() || signatures[0].Timestamp != instant {
		t.Fatalf("signatures %+v", signatures)
	}
	if err := certify.VerifyNodeSignature(s.node.DER(), wire.QueryResponseMessage(response, id, instant), signatures[0].Signature); err != nil {
		t.Fatal(err)
	}
	return response
}

func TestAQueryIsAnsweredByANodeOfTheSubnet(t *testing.T) {
	for version, layout := range map[string]certify.RangesLayout{"v2": certify.FlatRanges, "v3": certify.ShardedRanges} {
		n := newFakeNetwork(t)
		n.query = func(q *api.Query) (api.QueryResult, error) {
			want := api.Query{Sender: alice(t).Sender(), Receiver: appCanister, Effective: appCanister, Subnet: n.app.id, Method: "get", Arg: q.Arg, Layout: layout}
			if q.Sender != want.Sender || q.Receiver != want.Receiver || q.Effective != want.Effective || q.Subnet != want.Subnet || q.Method != want.Method || q.Layout != want.Layout {
				t.Errorf("asked %+v, want %+v", q, want)
			}
			return api.QueryResult{Reply: []byte("42"), Time: instant}, nil
		}
		signed := sign(t, wire.NewQuery(appCanister, "get", []byte("x")), alice(t))
		w := post(t, New(n, Info{}), canisterURL(version, appCanister, "query"), signed.Body)
		if w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		if r := wantSigned(t, n.app, body(t, w), signed.ID); string(r.Reply) != "42" || r.Rejection != nil {
			t.Errorf("%s: %+v", version, r)
		}
	}
}

func TestARejectOfAQueryIsSignedToo(t *testing.T) {
	n := newFakeNetwork(t)
	n.query = func(*api.Query) (api.QueryResult, error) {
		return api.QueryResult{Reject: intercanister.Rejectf(intercanister.CanisterMethodNotFound, "no such method"), Time: instant}, nil
	}
	signed := sign(t, wire.NewQuery(nnsCanister, "get", nil), wire.Identity{})
	w := post(t, New(n, Info{}), canisterURL("v3", nnsCanister, "query"), signed.Body)
	r := wantSigned(t, n.nns, body(t, w), signed.ID)
	if r.Rejection == nil || *r.Rejection != (wire.Rejection{Code: 5, Message: "no such method", ErrorCode: "IC0536"}) {
		t.Errorf("got %+v", r.Rejection)
	}
}

func TestAnAnonymousQueryDoesNotExpire(t *testing.T) {
	n := newFakeNetwork(t)
	draft := wire.NewQuery(appCanister, "get", nil)
	draft.IngressExpiry = 1
	if w := post(t, New(n, Info{}), canisterURL("v2", appCanister, "query"), sign(t, draft, wire.Identity{}).Body); w.Code != http.StatusOK {
		t.Errorf("anonymous: status %d: %s", w.Code, w.Body)
	}
	wantRefusal(t, post(t, New(n, Info{}), canisterURL("v2", appCanister, "query"), sign(t, draft, alice(t)).Body), 400, "Invalid request expiry: ")
}

func TestOnlyListCanistersIsQueriedBySubnetId(t *testing.T) {
	n := newFakeNetwork(t)
	signed := sign(t, wire.NewQuery(principal.Management, "list_canisters", nil), alice(t))
	w := post(t, New(n, Info{}), subnetURL("v3", n.app.id, "query"), signed.Body)
	wantSigned(t, n.app, body(t, w), signed.ID)
	for _, c := range []struct {
		canister principal.Principal
		method   string
	}{{principal.Management, "canister_status"}, {appCanister, "list_canisters"}} {
		signed := sign(t, wire.NewQuery(c.canister, c.method, nil), alice(t))
		wantRefusal(t, post(t, New(n, Info{}), subnetURL("v3", n.app.id, "query"), signed.Body), 400, "list_canisters")
	}
}

func TestQueriesAreRefusedWithStatusAndText(t *testing.T) {
	query := func(to principal.Principal) *wire.Draft { return wire.NewQuery(to, "get", nil) }
	elsewhere, err := alice(t).Delegate(bob(t), wire.DelegationTerms{Expiration: instant, Targets: []principal.Principal{nnsCanister}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		url    string
		body   []byte
		err    error
		status int
		text   string
	}{
		{"another canister in the URL", canisterURL("v3", nnsCanister, "query"), sign(t, query(appCanister), alice(t)).Body, nil, 400, "does not match effective canister id"},
		{"a canister of no subnet", canisterURL("v2", homeless, "query"), sign(t, query(homeless), alice(t)).Body, nil, 400, "does not belong to any subnet"},
		{"a call", canisterURL("v3", appCanister, "query"), sign(t, wire.NewCall(appCanister, "f", nil), alice(t)).Body, nil, 400, "Could not parse body as query message"},
		{"a delegation to another canister", canisterURL("v3", appCanister, "query"), sign(t, query(appCanister), elsewhere).Body, nil, 400, "is not one of the delegation targets"},
		{"what the network finds malformed", canisterURL("v3", appCanister, "query"), sign(t, query(appCanister), alice(t)).Body, refusal.New(refusal.Invalid, "about another canister"), 400, "about another canister"},
		{"what the network refuses", canisterURL("v3", appCanister, "query"), sign(t, query(appCanister), alice(t)).Body, refusal.New(refusal.Unavailable, "too many queries"), 503, "too many queries"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newFakeNetwork(t)
			n.query = func(*api.Query) (api.QueryResult, error) {
				if c.err == nil {
					t.Error("it was asked all the same")
				}
				if refusal, ok := errors.AsType[*refusal.Refusal](c.err); ok {
					return api.QueryResult{Refusal: refusal}, nil
				}
				return api.QueryResult{}, c.err
			}
			wantRefusal(t, post(t, New(n, Info{}), c.url, c.body), c.status, c.text)
		})
	}
}
