package ic

import (
	"crypto/sha256"
	"net/http"
	"testing"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
)

// canisterKey is the DER form of the key of a canister's signatures, for a short
// seed.
func canisterKey(canister principal.Principal, seed string) []byte {
	raw := append(append([]byte{0, byte(canister.Len())}, canister.Bytes()...), seed...)
	inner := append([]byte("\x30\x0c\x06\x0a\x2b\x06\x01\x04\x01\x83\xb8\x43\x01\x02\x03"), byte(len(raw)))
	inner = append(inner, raw...)
	return append([]byte{0x30, byte(len(inner))}, inner...)
}

// canisterSignature is what the canister of the application subnet signs a
// message with: it certifies the root of a tree that has the message.
func (n *fakeNetwork) canisterSignature(seed string, message []byte) []byte {
	s, m := sha256.Sum256([]byte(seed)), sha256.Sum256(message)
	tree := certify.Tree{}.Set(certify.Leaf([]byte{}), "sig", certify.Label(s[:]), certify.Label(m[:]))
	root, path := tree.Root(), certify.CanisterPath(appCanister, "certified_data")
	height := certify.NewHeight(n.app.tree.Set(certify.Leaf(root[:]), path...), n.app.key)
	certificate := height.Certificate(n.View().Delegation(n.app.id, certify.ShardedRanges), path)
	return (&certify.CanisterSignature{Certificate: certificate, Tree: tree.Prune(certify.Path{})}).Append(nil)
}

// user is a user for whom the canister of the application subnet signs.
func (n *fakeNetwork) user(seed string) wire.Identity {
	return wire.NewIdentity(canisterKey(appCanister, seed), func(message []byte) ([]byte, error) {
		return n.canisterSignature(seed, message), nil
	})
}

func TestAUserOfACanisterIsKnownAtEveryEndpoint(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = func(*api.Ingress) ([]byte, *intercanister.Reject) { return []byte("reply"), nil }
	var told []*intercanister.SenderInfo
	user := n.user("seed")
	n.submit = func(in *api.Ingress) (api.Receipt, error) {
		if in.Sender != user.Sender() {
			t.Errorf("a call of %s", in.Sender)
		}
		told = append(told, in.Info)
		return api.Receipt{}, nil
	}
	n.query = func(q *api.Query) (api.QueryResult, error) {
		if q.Sender != user.Sender() {
			t.Errorf("a query of %s", q.Sender)
		}
		told = append(told, q.Info)
		return api.QueryResult{Reply: q.Arg, Time: n.now}, nil
	}
	session, err := user.Delegate(bob(t), wire.DelegationTerms{Expiration: instant + 1})
	if err != nil {
		t.Fatal(err)
	}
	attested := &wire.SenderInfo{Info: []byte("info"), Signer: appCanister, Sig: n.canisterSignature("seed", []byte("\x0eic-sender-infoinfo"))}
	h := New(n, Info{})
	for name, id := range map[string]wire.Identity{"itself": user, "its session": session} {
		for version, drafts := range map[string][2]string{"v2": {"call", "query"}, "v3": {"call", "query"}, "v4": {"call"}} {
			for _, kind := range drafts {
				for _, info := range []*wire.SenderInfo{nil, attested} {
					draft := wire.NewQuery(appCanister, "m", nil)
					if kind == "call" {
						draft = wire.NewCall(appCanister, "m", []byte(version+name))
					} else if kind == "" {
						continue
					}
					draft.SenderInfo = info
					told = nil
					w := post(t, h, canisterURL(version, appCanister, kind), sign(t, draft, id).Body)
					if w.Code >= 300 || len(told) != 1 || (told[0] != nil) != (info != nil) ||
						info != nil && (string(told[0].Info) != "info" || told[0].Signer != appCanister) {
						t.Errorf("%s %s by %s: status %d, told %+v: %.300s", version, kind, name, w.Code, told, w.Body)
					}
				}
			}
		}
		for _, url := range []string{canisterURL("v3", appCanister, "read_state"), subnetURL("v3", n.app.id, "read_state")} {
			if w := post(t, h, url, readState(t, id, certify.TimePath()).Body); w.Code != http.StatusOK {
				t.Errorf("%s by %s: status %d: %.300s", url, name, w.Code, w.Body)
			}
		}
	}
}

func TestAttestedInformationThatIsNotSignedGetsNowhere(t *testing.T) {
	n := newFakeNetwork(t)
	forged := &wire.SenderInfo{Info: []byte("else"), Signer: appCanister, Sig: n.canisterSignature("seed", []byte("\x0eic-sender-infoinfo"))}
	for kind, draft := range map[string]*wire.Draft{"call": wire.NewCall(appCanister, "m", nil), "query": wire.NewQuery(appCanister, "m", nil)} {
		draft.SenderInfo = forged
		w := post(t, New(n, Info{}), canisterURL("v3", appCanister, kind), sign(t, draft, n.user("seed")).Body)
		wantRefusal(t, w, 400, "Invalid sender info: signature verification failed: IcCanisterSignature signature could not be verified: public key ")
		draft.SenderInfo = &wire.SenderInfo{Info: []byte("info"), Signer: appCanister, Sig: n.canisterSignature("seed", []byte("\x0eic-sender-infoinfo"))}
		w = post(t, New(n, Info{}), canisterURL("v3", appCanister, kind), sign(t, draft, alice(t)).Body)
		wantRefusal(t, w, 400, "Invalid sender info: sender_pubkey is not a valid canister signature public key: ")
	}
	if n.submitted != 0 {
		t.Errorf("%d calls were handed in", n.submitted)
	}
}

// What a delegation allows, at every endpoint that takes requests.
func TestDelegationsHoldAtEveryEndpoint(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = func(*api.Ingress) ([]byte, *intercanister.Reject) { return []byte("reply"), nil }
	h := New(n, Info{})
	other := principal.Canister(1<<20 + 1)
	create := "create_canister"
	requests := map[string]func() *wire.Draft{}
	for url := range endpoints(n) {
		switch url[len(url)-5:] {
		case "/call":
			requests[url] = func() *wire.Draft { return wire.NewCall(appCanister, "m", []byte(url)) }
		case "query":
			requests[url] = func() *wire.Draft { return wire.NewQuery(appCanister, "m", nil) }
		case "state":
			requests[url] = func() *wire.Draft { return wire.NewReadState(wire.Path{[]byte("time")}) }
		}
	}
	requests[subnetURL("v4", n.app.id, "call")] = func() *wire.Draft { return wire.NewCall(principal.Management, create, nil) }
	requests[subnetURL("v3", n.app.id, "query")] = func() *wire.Draft { return wire.NewQuery(principal.Management, "list_canisters", nil) }
	if len(requests) != 11 {
		t.Fatalf("%d endpoints take requests", len(requests))
	}
	for _, c := range []struct {
		name                   string
		terms                  wire.DelegationTerms
		call, query, readState string // refusals; empty where it is let in
	}{
		{"no terms", wire.DelegationTerms{}, "", "", ""},
		{"all", wire.DelegationTerms{Permissions: wire.PermitAll}, "", "", ""},
		{"queries", wire.DelegationTerms{Permissions: wire.PermitQueries}, "Invalid delegation: Delegation permissions error: ", "", ""},
		{"unknown permissions", wire.DelegationTerms{Permissions: "x"}, "Invalid delegation: Delegation permissions error: ", "Invalid delegation: Delegation permissions error: ", "Invalid delegation: Delegation permissions error: "},
		{"targets", wire.DelegationTerms{Targets: []principal.Principal{appCanister, principal.Management}}, "", "", ""},
		{"other targets", wire.DelegationTerms{Targets: []principal.Principal{other}}, "is not one of the delegation targets.", "is not one of the delegation targets.", ""},
		{"expired", wire.DelegationTerms{Expiration: instant - 1}, "Invalid delegation expiry: Specified sender delegation has expired:", "Invalid delegation expiry: ", "Invalid delegation expiry: "},
	} {
		if c.terms.Expiration == 0 {
			c.terms.Expiration = instant
		}
		id, err := alice(t).Delegate(bob(t), c.terms)
		if err != nil {
			t.Fatal(err)
		}
		for url, draft := range requests {
			w := post(t, h, url, sign(t, draft(), id).Body)
			want := map[string]string{"/call": c.call, "query": c.query, "state": c.readState}[url[len(url)-5:]]
			if want != "" {
				wantRefusal(t, w, 400, want)
			} else if w.Code >= 300 {
				t.Errorf("%s, %s: status %d: %s", c.name, url, w.Code, w.Body)
			}
		}
	}
}
