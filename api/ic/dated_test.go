package ic

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/certify"
)

const week = uint64(7 * 24 * time.Hour)

// apart are networks whose clock shows something else than the wall clock, which shows
// the instant.
var apart = map[string]uint64{"a week ahead": instant + week, "a week behind": instant - week, "a minute ahead": instant + uint64(time.Minute)}

// shifted is a network whose time is another than the wall clock's.
func shifted(t *testing.T, now uint64) *fakeNetwork {
	n := newFakeNetwork(t)
	n.answer, n.now, n.wall = echo, now, instant
	n.publish()
	return n
}

// timeOf is the time of a certificate that verifies, and the time of its delegation.
func timeOf(t *testing.T, n *fakeNetwork, certificate []byte) (at, delegated uint64) {
	t.Helper()
	n.certified(t, certificate, appCanister)
	c, err := certify.DecodeCertificate(certificate)
	if err != nil {
		t.Fatal(err)
	}
	if at, err = c.Time(); err != nil {
		t.Fatal(err)
	}
	root, err := certify.DecodeCertificate(c.Delegation.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	if delegated, err = root.Time(); err != nil {
		t.Fatal(err)
	}
	return at, delegated
}

func TestWhoHasTheWallClocksTimeIsAnsweredInIt(t *testing.T) {
	for name, now := range apart {
		t.Run(name, func(t *testing.T) {
			n := shifted(t, now)
			var deadline uint64
			n.submit = func(in *api.Ingress) (api.Receipt, error) {
				deadline = in.Expiry
				return api.Receipt{}, nil
			}
			n.query = func(q *api.Query) (api.QueryResult, error) {
				if uint64(q.Dated) != instant-now {
					t.Errorf("the data certificate is dated %d later, want %d", q.Dated, int64(instant-now))
				}
				return api.QueryResult{Reply: []byte("42"), Time: now}, nil
			}
			h := New(n, Info{})
			call := sign(t, wire.NewCall(appCanister, "go", []byte("x")), alice(t))
			again := func() *httptest.ResponseRecorder {
				return post(t, h, canisterURL("v4", appCanister, "call"), call.Body)
			}
			wantOutcome(t, n, again(), appCanister, call.ID, map[certify.Label]string{"status": "replied"})
			if want := now + 240e9; deadline != want {
				t.Errorf("the call expires at %d, want %d: four minutes from now", deadline, want)
			}
			answer, err := wire.DecodeCallResponse(body(t, again()))
			if err != nil {
				t.Fatal(err)
			}
			if at, delegated := timeOf(t, n, answer.Certificate); at != instant || delegated != instant {
				t.Errorf("the certificate is of %d, its delegation of %d, want %d", at, delegated, instant)
			}
			asked := sign(t, wire.NewQuery(appCanister, "get", nil), alice(t))
			wantSigned(t, n.app, body(t, post(t, h, canisterURL("v3", appCanister, "query"), asked.Body)), asked.ID)
			state := wantState(t, n, canisterURL("v3", appCanister, "read_state"), appCanister, alice(t), certify.RequestStatusPath(call.ID))
			wantLookup(t, state, certify.Found, certify.RequestStatusPath(call.ID, "status"))
		})
	}
}

func TestWhoHasTheNetworksTimeIsAnsweredInIt(t *testing.T) {
	n := shifted(t, instant+week)
	var deadline uint64
	n.submit = func(in *api.Ingress) (api.Receipt, error) {
		deadline = in.Expiry
		return api.Receipt{}, nil
	}
	draft := wire.NewCall(appCanister, "go", []byte("x"))
	draft.IngressExpiry = instant + week + 60e9
	w := post(t, New(n, Info{}), canisterURL("v4", appCanister, "call"), sign(t, draft, alice(t)).Body)
	answer, err := wire.DecodeCallResponse(body(t, w))
	if err != nil {
		t.Fatal(err)
	}
	if at, delegated := timeOf(t, n, answer.Certificate); at != instant+week || delegated != at || deadline != draft.IngressExpiry {
		t.Errorf("the certificate is of %d, its delegation of %d, the call expires at %d", at, delegated, deadline)
	}
}

func TestARequestThatIsCurrentByNoClockIsRefused(t *testing.T) {
	n := shifted(t, instant+week)
	for _, expiry := range []uint64{instant - 1, instant + week/2, instant + week - 1, instant + 2*week} {
		draft := wire.NewCall(appCanister, "go", nil)
		draft.IngressExpiry = expiry
		wantRefusal(t, post(t, New(n, Info{}), canisterURL("v4", appCanister, "call"), sign(t, draft, alice(t)).Body), http.StatusBadRequest, "Invalid request expiry: ")
	}
	if n.submitted != 0 {
		t.Error("it was handed in")
	}
}

func TestADelegationHoldsAsLongAsItDoesByOneOfTwoClocks(t *testing.T) {
	for name, now := range apart {
		first, last := min(now, instant), max(now, instant)
		for _, c := range []struct {
			until uint64
			holds bool
		}{{last, true}, {first, true}, {first - 1, false}} {
			n := shifted(t, now)
			delegated, err := alice(t).Delegate(bob(t), wire.DelegationTerms{Expiration: c.until})
			if err != nil {
				t.Fatal(err)
			}
			w := post(t, New(n, Info{}), canisterURL("v4", appCanister, "call"), sign(t, wire.NewCall(appCanister, "go", nil), delegated).Body)
			if (w.Code == http.StatusOK) != c.holds || !c.holds && !strings.Contains(w.Body.String(), "delegation has expired") {
				t.Errorf("%s, until %d: status %d: %s", name, c.until, w.Code, w.Body)
			}
		}
	}
}
