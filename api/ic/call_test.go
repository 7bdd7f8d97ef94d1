package ic

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
)

// syncCalls are the endpoints of synchronous calls by canister id.
var syncCalls = []string{"v3", "v4"}

func echo(in *api.Ingress) ([]byte, *intercanister.Reject) {
	return append([]byte(in.Method+" "), in.Arg...), nil
}

// wantOutcome reads a synchronous answer and looks a field of the request's
// status up in the verified certificate.
func wantOutcome(t *testing.T, n *fakeNetwork, w *httptest.ResponseRecorder, effective principal.Principal, id wire.RequestID, want map[certify.Label]string) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	answer, err := wire.DecodeCallResponse(body(t, w))
	if err != nil || answer.Rejection != nil {
		t.Fatalf("answer %+v, %v", answer, err)
	}
	tree := n.certified(t, answer.Certificate, effective)
	for field, value := range want {
		if got, status := tree.Lookup(certify.RequestStatusPath(id, field)...); status != certify.Found || string(got) != value {
			t.Errorf("%s is %q (%s), want %q", field, got, status, value)
		}
	}
	if _, status := tree.Lookup(certify.TimePath()...); status != certify.Found {
		t.Errorf("the certificate has no time")
	}
}

func TestASynchronousCallIsAnsweredWithACertificateOfItsReply(t *testing.T) {
	for _, version := range syncCalls {
		for _, canister := range []principal.Principal{nnsCanister, appCanister} {
			n := newFakeNetwork(t)
			n.answer = echo
			signed := sign(t, wire.NewCall(canister, "greet", []byte("you")), alice(t))
			w := post(t, New(n, Info{}), canisterURL(version, canister, "call"), signed.Body)
			wantOutcome(t, n, w, canister, signed.ID, map[certify.Label]string{"status": "replied", "reply": "greet you"})
		}
	}
}

func TestARejectByTheCanisterIsInTheCertificateToo(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = func(*api.Ingress) ([]byte, *intercanister.Reject) {
		return nil, intercanister.Rejectf(intercanister.CanisterCalledTrap, "it trapped")
	}
	signed := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	w := post(t, New(n, Info{}), canisterURL("v4", appCanister, "call"), signed.Body)
	wantOutcome(t, n, w, appCanister, signed.ID, map[certify.Label]string{
		"status": "rejected", "reject_code": "\x05", "reject_message": "it trapped", "error_code": "IC0503",
	})
}

func TestTheDelegationOfACallShowsRangesWhereItsVersionHasThem(t *testing.T) {
	for version, flat := range map[string]bool{"v3": true, "v4": false} {
		n := newFakeNetwork(t)
		n.answer = echo
		signed := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
		w := post(t, New(n, Info{}), canisterURL(version, appCanister, "call"), signed.Body)
		answer, err := wire.DecodeCallResponse(body(t, w))
		if err != nil {
			t.Fatal(err)
		}
		wantLayout(t, n, answer.Certificate, flat)
	}
}

// wantLayout looks into the delegation of a certificate of the application subnet.
func wantLayout(t *testing.T, n *fakeNetwork, certificate []byte, flat bool) {
	t.Helper()
	c, err := certify.DecodeCertificate(certificate)
	if err != nil {
		t.Fatal(err)
	}
	if c.Delegation == nil {
		t.Fatal("there is no delegation")
	}
	inner, err := certify.DecodeCertificate(c.Delegation.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	_, old := inner.Tree.Lookup(certify.SubnetPath(n.app.id, "canister_ranges")...)
	_, sharded := inner.Tree.Lookup(certify.RangesPath(n.app.id, n.app.ranges[0].Start)...)
	if (old == certify.Found) != flat || (sharded == certify.Found) == flat {
		t.Errorf("flat ranges %s, sharded ranges %s, want flat to be %t", old, sharded, flat)
	}
}

func TestTheRootSubnetSignsWithoutDelegation(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	signed := sign(t, wire.NewCall(nnsCanister, "f", nil), alice(t))
	answer, err := wire.DecodeCallResponse(body(t, post(t, New(n, Info{}), canisterURL("v4", nnsCanister, "call"), signed.Body)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := certify.DecodeCertificate(answer.Certificate)
	if err != nil || c.Delegation != nil {
		t.Errorf("delegation %v, error %v", c.Delegation, err)
	}
}

func TestAnAsynchronousCallIsAcceptedWithAnEmptyBody(t *testing.T) {
	n := newFakeNetwork(t)
	var got *api.Ingress
	n.submit = func(in *api.Ingress) (api.Receipt, error) { got = in; return api.Receipt{}, nil }
	signed := sign(t, wire.NewCall(appCanister, "f", []byte("arg")), alice(t))
	w := post(t, New(n, Info{}), canisterURL("v2", appCanister, "call"), signed.Body)
	if w.Code != http.StatusAccepted || w.Body.Len() != 0 || w.Header().Get("Content-Length") != "0" {
		t.Fatalf("status %d, body %q, headers %v", w.Code, w.Body, w.Header())
	}
	if got.ID != api.RequestID(signed.ID) || got.Sender != alice(t).Sender() || got.Receiver != appCanister || got.Effective != appCanister ||
		got.Subnet != n.app.id || got.BySubnet || got.Method != "f" || string(got.Arg) != "arg" || got.Size != len(signed.Body) ||
		got.Expiry != instant+240e9 {
		t.Errorf("handed in %+v", got)
	}
}

func TestARejectionBeforeTheStateIsNotACertificate(t *testing.T) {
	reject := intercanister.Rejectf(intercanister.CanisterNotFound, "Canister x not found")
	for url, status := range map[string]string{"v2": "", "v3": "non_replicated_rejection", "v4": "non_replicated_rejection"} {
		n := newFakeNetwork(t)
		n.submit = func(*api.Ingress) (api.Receipt, error) { return api.Receipt{Reject: reject}, nil }
		signed := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
		w := post(t, New(n, Info{}), canisterURL(url, appCanister, "call"), signed.Body)
		raw := body(t, w)
		answer, err := wire.DecodeCallResponse(raw)
		if w.Code != http.StatusOK || err != nil || answer.Rejection == nil || *answer.Rejection != (wire.Rejection{Code: 3, Message: "Canister x not found", ErrorCode: "IC0301"}) {
			t.Errorf("%s: status %d, %+v, %v", url, w.Code, answer, err)
		}
		if !strings.Contains(string(raw), status) || w.Header().Get("Content-Type") != "application/cbor" {
			t.Errorf("%s: body %q, headers %v", url, raw, w.Header())
		}
	}
}

func TestACallThatIsNotAnsweredInTenSecondsIsAcceptedWithAnEmptyBody(t *testing.T) {
	signed := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork(t)
		begun := time.Now()
		w := post(t, New(n, Info{}), canisterURL("v4", appCanister, "call"), signed.Body)
		if waited := time.Since(begun); w.Code != http.StatusAccepted || w.Body.Len() != 0 || waited != 10*time.Second {
			t.Errorf("status %d, body %q after %v, want 202 after 10s", w.Code, w.Body, waited)
		}
		if n.waiting != 0 || n.submitted != 1 {
			t.Errorf("%d still wait, %d were handed in", n.waiting, n.submitted)
		}
	})
}

func TestACallWhoseAnswerCannotBeShownIsAcceptedWithAnEmptyBody(t *testing.T) {
	signed := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	for name, n := range map[string]*vanishing{"no state": {newFakeNetwork(t), true}, "no status": {newFakeNetwork(t), false}} {
		n.answer = echo
		w := post(t, New(n, Info{}), canisterURL("v4", appCanister, "call"), signed.Body)
		if w.Code != http.StatusAccepted || w.Body.Len() != 0 {
			t.Errorf("%s: status %d, body %q", name, w.Code, w.Body)
		}
	}
}

// vanishing is a network that loses its state, or the status of requests, while a client waits.
type vanishing struct {
	*fakeNetwork
	all bool
}

func (v *vanishing) SubmitAwaited(ctx context.Context, in *api.Ingress) (api.Receipt, api.Pending, error) {
	receipt, pending, err := v.fakeNetwork.SubmitAwaited(ctx, in)
	return receipt, vanishingAnswer{pending, v}, err
}

type vanishingAnswer struct {
	api.Pending
	network *vanishing
}

func (a vanishingAnswer) Answer(ctx context.Context) (api.IngressAnswer, error) {
	answer, err := a.Pending.Answer(ctx)
	v := a.network
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all {
		v.view = nil
		return answer, err
	}
	v.app.tree = v.app.tree.Delete("request_status")
	v.publish()
	return answer, err
}

func TestACallTheStateShowsIsAnsweredWithoutHandingItInAgain(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	h := New(n, Info{})
	signed := sign(t, wire.NewCall(appCanister, "f", []byte("x")), alice(t))
	for range 3 {
		w := post(t, h, canisterURL("v4", appCanister, "call"), signed.Body)
		wantOutcome(t, n, w, appCanister, signed.ID, map[certify.Label]string{"reply": "f x"})
	}
	if w := post(t, h, canisterURL("v2", appCanister, "call"), signed.Body); w.Code != http.StatusAccepted || w.Body.Len() != 0 {
		t.Errorf("asynchronous: status %d, body %q", w.Code, w.Body)
	}
	if n.submitted != 1 {
		t.Errorf("handed in %d times", n.submitted)
	}
}

func TestADuplicateInFlightIsAcceptedAtOnce(t *testing.T) {
	n := newFakeNetwork(t)
	n.submit = func(*api.Ingress) (api.Receipt, error) { return api.Receipt{Known: replica.Received}, nil }
	signed := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	for _, version := range []string{"v2", "v3", "v4"} {
		w := post(t, New(n, Info{}), canisterURL(version, appCanister, "call"), signed.Body)
		if w.Code != http.StatusAccepted || w.Body.Len() != 0 {
			t.Errorf("%s: status %d, body %q", version, w.Code, w.Body)
		}
	}
}

func TestAClientThatGivesUpLeavesNoWaiter(t *testing.T) {
	n := newFakeNetwork(t)
	ctx, cancel := context.WithCancel(t.Context())
	n.submit = func(*api.Ingress) (api.Receipt, error) { cancel(); return api.Receipt{}, nil }
	signed := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	r := newRequest(http.MethodPost, canisterURL("v4", appCanister, "call"), signed.Body).WithContext(ctx)
	New(n, Info{}).ServeHTTP(httptest.NewRecorder(), r)
	if n.waiting != 0 {
		t.Errorf("%d still wait", n.waiting)
	}
}

func TestACallBySubnetIdCreatesCanistersThere(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	var got api.Ingress
	n.submit = func(in *api.Ingress) (api.Receipt, error) { got = *in; return api.Receipt{}, nil }
	for _, method := range []string{"create_canister", "provisional_create_canister_with_cycles"} {
		signed := sign(t, wire.NewCall(principal.Management, method, nil), alice(t))
		w := post(t, New(n, Info{}), subnetURL("v4", n.app.id, "call"), signed.Body)
		wantOutcome(t, n, w, n.app.id, signed.ID, map[certify.Label]string{"status": "replied"})
		if !got.BySubnet || got.Subnet != n.app.id || got.Effective != n.app.id {
			t.Errorf("%s: handed in %+v", method, got)
		}
	}
}

func TestAProvisionalCreationMayNameTheManagementCanisterInsteadOfAnEffectiveOne(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	var got api.Ingress
	n.submit = func(in *api.Ingress) (api.Receipt, error) { got = *in; return api.Receipt{}, nil }
	create := func() *wire.Draft {
		return wire.NewCall(principal.Management, "provisional_create_canister_with_cycles", nil)
	}
	for _, version := range []string{"v3", "v4"} {
		signed := sign(t, create(), alice(t))
		w := post(t, New(n, Info{}), canisterURL(version, principal.Management, "call"), signed.Body)
		wantOutcome(t, n, w, appCanister, signed.ID, map[certify.Label]string{"status": "replied"})
		if got.BySubnet || got.Subnet != n.app.id || got.Effective != appCanister || got.Receiver != principal.Management {
			t.Errorf("%s: handed in %+v", version, got)
		}
	}
	const none = "Canister aaaaa-aa does not belong to any subnet."
	signed := sign(t, create(), alice(t))
	if w := post(t, New(n, Info{}), canisterURL("v2", principal.Management, "call"), signed.Body); w.Code != http.StatusAccepted {
		t.Errorf("v2: status %d, body %q", w.Code, w.Body)
	}
	for _, version := range []string{"v2", "v3"} {
		ask := sign(t, wire.NewReadState(wire.Path{[]byte("request_status"), signed.ID[:]}), alice(t)).Body
		if w := post(t, New(n, Info{}), canisterURL(version, principal.Management, "read_state"), ask); w.Code != http.StatusOK {
			t.Errorf("%s: status %d, body %q", version, w.Code, w.Body)
		}
		asked := wire.Path{[]byte("request_status"), signed.ID[:]}
		for _, other := range []wire.Path{
			{},
			{[]byte("time")},
			{[]byte("subnet")},
			{[]byte("api_boundary_nodes")},
			{[]byte("canister")},
			{[]byte("canister"), appCanister.Bytes(), []byte("module_hash")},
			{[]byte("canister"), nil, []byte("module_hash")},
		} {
			for _, paths := range [][]wire.Path{{other}, {asked, other}} {
				body := sign(t, wire.NewReadState(paths...), alice(t)).Body
				wantRefusal(t, post(t, New(n, Info{}), canisterURL(version, principal.Management, "read_state"), body), 400, none)
			}
		}
	}
	for _, method := range []string{"create_canister", "raw_rand"} {
		other := sign(t, wire.NewCall(principal.Management, method, nil), alice(t)).Body
		wantRefusal(t, post(t, New(n, Info{}), canisterURL("v4", principal.Management, "call"), other), 400, none)
	}
	query := sign(t, wire.NewQuery(principal.Management, "canister_status", nil), alice(t)).Body
	wantRefusal(t, post(t, New(n, Info{}), canisterURL("v3", principal.Management, "query"), query), 400, none)
}

func TestCallsAreRefusedWithStatusAndText(t *testing.T) {
	overload := func(kind refusal.Kind) func(*api.Ingress) (api.Receipt, error) {
		return func(*api.Ingress) (api.Receipt, error) {
			return api.Receipt{}, refusal.New(kind, "Service is overloaded")
		}
	}
	call := func(to principal.Principal) *wire.Draft { return wire.NewCall(to, "f", nil) }
	late, early := call(appCanister), call(appCanister)
	late.IngressExpiry, early.IngressExpiry = instant-1, instant+331e9
	big := wire.NewCall(appCanister, "f", make([]byte, replica.MaxIngressBytes))
	forged := sign(t, call(appCanister), alice(t)).Body
	forged[len(forged)-1] ^= 1
	nobody := newFakeNetwork(t).nns.id
	for _, c := range []struct {
		name   string
		url    string
		body   []byte
		submit func(*api.Ingress) (api.Receipt, error)
		status int
		text   string
	}{
		{"another canister in the URL", canisterURL("v4", nnsCanister, "call"), sign(t, call(appCanister), alice(t)).Body, nil, 400, "does not match effective canister id in URL " + nnsCanister.String()},
		{"a canister of no subnet", canisterURL("v4", homeless, "call"), sign(t, call(homeless), alice(t)).Body, nil, 400, "Canister " + homeless.String() + " does not belong to any subnet."},
		{"no subnet of the network", subnetURL("v4", homeless, "call"), nil, nil, 400, "Subnet " + homeless.String() + " is not part"},
		{"any method by subnet id", subnetURL("v4", nobody, "call"), sign(t, wire.NewCall(principal.Management, "install_code", nil), alice(t)).Body, nil, 400, "create_canister"},
		{"any canister by subnet id", subnetURL("v4", nobody, "call"), sign(t, wire.NewCall(appCanister, "create_canister", nil), alice(t)).Body, nil, 400, "cannot be called by subnet id"},
		{"an expiry in the past", canisterURL("v4", appCanister, "call"), sign(t, late, alice(t)).Body, nil, 400, "Invalid request expiry: "},
		{"an expiry too far away", canisterURL("v2", appCanister, "call"), sign(t, early, alice(t)).Body, nil, 400, "Invalid request expiry: "},
		{"a wrong signature", canisterURL("v3", appCanister, "call"), forged, nil, 400, "Invalid signature"},
		{"a message too large", canisterURL("v4", appCanister, "call"), sign(t, big, alice(t)).Body, nil, 413, "larger than the max allowed 2097152"},
		{"a query", canisterURL("v4", appCanister, "call"), sign(t, wire.NewQuery(appCanister, "f", nil), alice(t)).Body, nil, 400, "Could not parse body as call message"},
		{"no CBOR", canisterURL("v4", appCanister, "call"), []byte("hello"), nil, 400, "Could not parse body as call message"},
		{"nothing", canisterURL("v4", appCanister, "call"), nil, nil, 400, "Could not parse body as call message"},
		{"a delegation for queries", canisterURL("v4", appCanister, "call"), sign(t, call(appCanister), queriesOnly(t)).Body, nil, 400, "Invalid delegation"},
		{"a full inbox", canisterURL("v4", appCanister, "call"), sign(t, call(appCanister), alice(t)).Body, overload(refusal.Unavailable), 503, "Service is overloaded"},
		{"too many requests", canisterURL("v2", appCanister, "call"), sign(t, call(appCanister), alice(t)).Body, overload(refusal.Full), 429, "Service is overloaded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newFakeNetwork(t)
			n.submit = c.submit
			w := post(t, New(n, Info{}), c.url, c.body)
			wantRefusal(t, w, c.status, c.text)
			if c.submit == nil && n.submitted != 0 {
				t.Error("it was handed in all the same")
			}
		})
	}
}

func wantRefusal(t *testing.T, w *httptest.ResponseRecorder, status int, text string) {
	t.Helper()
	got := string(body(t, w))
	if w.Code != status || !strings.Contains(got, text) {
		t.Errorf("status %d, text %q; want %d and %q", w.Code, got, status, text)
	}
	if kind := w.Header().Get("Content-Type"); kind != "text/plain; charset=utf-8" {
		t.Errorf("content type %q", kind)
	}
	if w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Error("a script could not read the refusal")
	}
}

// queriesOnly is alice with a session key that may only query.
func queriesOnly(t *testing.T) wire.Identity {
	t.Helper()
	id, err := alice(t).Delegate(bob(t), wire.DelegationTerms{Expiration: instant + 1e9, Permissions: wire.PermitQueries})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestASystemSubnetTakesLargerMessages(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	signed := sign(t, wire.NewCall(nnsCanister, "f", make([]byte, replica.MaxIngressBytes)), alice(t))
	w := post(t, New(n, Info{}), canisterURL("v4", nnsCanister, "call"), signed.Body)
	wantOutcome(t, n, w, nnsCanister, signed.ID, map[certify.Label]string{"status": "replied"})
	signed = sign(t, wire.NewCall(nnsCanister, "f", make([]byte, replica.MaxIngressBytesSystem)), alice(t))
	wantRefusal(t, post(t, New(n, Info{}), canisterURL("v4", nnsCanister, "call"), signed.Body), 413, "larger than the max allowed 3670016")
}

func TestAnUnexpectedErrorOfTheNetworkIsAnswered(t *testing.T) {
	n := newFakeNetwork(t)
	n.submit = func(*api.Ingress) (api.Receipt, error) { return api.Receipt{}, errors.New("the journal is full") }
	signed := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	wantRefusal(t, post(t, New(n, Info{}), canisterURL("v4", appCanister, "call"), signed.Body), 500, "the journal is full")
}

func TestAClientLearnsOfAnUnansweredCallOnceNoCrashUndoesIt(t *testing.T) {
	refused := &intercanister.Reject{Code: 4, Text: "no"}
	for name, c := range map[string]struct {
		version string
		receipt api.Receipt
		settled int64
	}{
		"accepted":                 {"v2", api.Receipt{}, 1},
		"rejected":                 {"v2", api.Receipt{Reject: refused}, 1},
		"rejected at once":         {"v4", api.Receipt{Reject: refused}, 1},
		"known":                    {"v4", api.Receipt{Known: 1}, 1},
		"without an answer so far": {"v4", api.Receipt{}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newFakeNetwork(t)
			n.submit = func(*api.Ingress) (api.Receipt, error) { return c.receipt, nil }
			signed := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
			post(t, New(n, Info{}), canisterURL(c.version, appCanister, "call"), signed.Body)
			if got := n.settled.Load(); got != c.settled {
				t.Errorf("%s: the network was settled %d times, want %d", name, got, c.settled)
			}
		})
	}
}
