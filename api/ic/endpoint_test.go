package ic

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// asked is a network in which every endpoint can be asked for something, and the URL to ask.
type asked struct {
	*fakeNetwork
	url string
}

// called sends a call, which must be answered with a verified certificate, or with nothing.
func (a asked) called(t *testing.T, to principal.Principal, draft *wire.Draft) {
	t.Helper()
	signed := sign(t, draft, alice(t))
	w := post(t, New(a, Info{}), a.url, signed.Body)
	if w.Code == http.StatusAccepted && w.Body.Len() == 0 && strings.Contains(a.url, "/v2/") {
		return
	}
	wantOutcome(t, a.fakeNetwork, w, to, signed.ID, map[certify.Label]string{"status": "replied"})
}

func (a asked) queried(t *testing.T, draft *wire.Draft) {
	t.Helper()
	signed := sign(t, draft, alice(t))
	w := post(t, New(a, Info{}), a.url, signed.Body)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	wantSigned(t, a.app, body(t, w), signed.ID)
}

func TestEveryEndpointGivesWhatItIsFor(t *testing.T) {
	call := func(t *testing.T, a asked) { a.called(t, appCanister, wire.NewCall(appCanister, "f", nil)) }
	query := func(t *testing.T, a asked) { a.queried(t, wire.NewQuery(appCanister, "f", nil)) }
	read := func(t *testing.T, a asked) {
		path := certify.CanisterPath(appCanister, "controllers")
		wantLookup(t, wantState(t, a.fakeNetwork, a.url, appCanister, alice(t), path), certify.Found, path)
	}
	readSubnet := func(t *testing.T, a asked) {
		path := certify.SubnetPath(a.app.id, "metrics")
		wantLookup(t, wantState(t, a.fakeNetwork, a.url, a.app.id, alice(t), path), certify.Found, path)
	}
	uses := map[string]func(t *testing.T, a asked){
		"POST /api/v2/canister/*/call": call,
		"POST /api/v3/canister/*/call": call,
		"POST /api/v4/canister/*/call": call,
		"POST /api/v4/subnet/*/call": func(t *testing.T, a asked) {
			a.called(t, a.app.id, wire.NewCall(principal.Management, "create_canister", nil))
		},
		"POST /api/v2/canister/*/query": query,
		"POST /api/v3/canister/*/query": query,
		"POST /api/v3/subnet/*/query": func(t *testing.T, a asked) {
			a.queried(t, wire.NewQuery(principal.Management, "list_canisters", nil))
		},
		"POST /api/v2/canister/*/read_state": read,
		"POST /api/v3/canister/*/read_state": read,
		"POST /api/v2/subnet/*/read_state":   readSubnet,
		"POST /api/v3/subnet/*/read_state":   readSubnet,
		"GET /api/v2/status": func(t *testing.T, a asked) {
			w := httptest.NewRecorder()
			New(a, Info{}).ServeHTTP(w, newRequest(http.MethodGet, a.url, nil))
			if !strings.Contains(w.Body.String(), "root_key") || w.Code != http.StatusOK {
				t.Errorf("status %d: %x", w.Code, w.Body)
			}
		},
	}
	for endpoint, use := range uses {
		t.Run(strings.ReplaceAll(endpoint, "/", " "), func(t *testing.T) {
			n := newFakeNetwork(t)
			n.answer = echo
			n.query = func(*api.Query) (api.QueryResult, error) {
				return api.QueryResult{Reply: []byte("42"), Time: instant}, nil
			}
			id := appCanister
			if strings.Contains(endpoint, "/subnet/") {
				id = n.app.id
			}
			_, path, _ := strings.Cut(endpoint, " ")
			use(t, asked{n, strings.ReplaceAll(path, "*", id.String())})
		})
	}
	for _, endpoint := range Endpoints() {
		if uses[endpoint] == nil {
			t.Errorf("nothing is asked of %s", endpoint)
		}
	}
	if !slices.IsSorted(Endpoints()) || len(Endpoints()) != 12 {
		t.Errorf("the endpoints are %v", Endpoints())
	}
}
