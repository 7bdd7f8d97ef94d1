package ic

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

func readState(tb testing.TB, id wire.Identity, paths ...certify.Path) wire.Signed {
	tb.Helper()
	labels := make([]wire.Path, len(paths))
	for i, p := range paths {
		labels[i] = wire.Path{}
		for _, l := range p {
			labels[i] = append(labels[i], []byte(l))
		}
	}
	return sign(tb, wire.NewReadState(labels...), id)
}

// wantState asks for paths and gives the verified tree.
func wantState(t *testing.T, n *fakeNetwork, url string, effective principal.Principal, id wire.Identity, paths ...certify.Path) *certify.HashTree {
	t.Helper()
	w := post(t, New(n, Info{}), url, readState(t, id, paths...).Body)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %v: status %d: %s", url, paths, w.Code, w.Body)
	}
	certificate, err := wire.DecodeReadStateResponse(body(t, w))
	if err != nil {
		t.Fatal(err)
	}
	tree := n.certified(t, certificate, effective)
	if _, status := tree.Lookup(certify.TimePath()...); status != certify.Found {
		t.Errorf("%s %v: there is no time", url, paths)
	}
	return tree
}

func wantLookup(t *testing.T, tree *certify.HashTree, want certify.LookupStatus, path certify.Path) {
	t.Helper()
	if _, got := tree.Lookup(path...); got != want {
		t.Errorf("%s is %s, want %s", path, got, want)
	}
}

var readVersions = []string{"v2", "v3"}

func TestEverybodyReadsWhatIsPublicOfACanister(t *testing.T) {
	for _, version := range readVersions {
		for _, canister := range []principal.Principal{nnsCanister, appCanister} {
			n := newFakeNetwork(t)
			paths := []certify.Path{
				certify.CanisterPath(canister, "module_hash"), certify.CanisterPath(canister, "controllers"),
				certify.CanisterPath(canister, "canister_creation_timestamp"), certify.CanisterPath(canister, "last_install_timestamp"),
				certify.MetadataPath(canister, "candid:service"),
			}
			tree := wantState(t, n, canisterURL(version, canister, "read_state"), canister, wire.Identity{}, paths...)
			for _, p := range paths {
				wantLookup(t, tree, certify.Found, p)
			}
			wantLookup(t, tree, certify.Unknown, certify.CanisterPath(canister, "certified_data"))
			wantLookup(t, tree, certify.Unknown, certify.MetadataPath(canister, "hidden"))
		}
	}
}

func TestAPrivateSectionIsForControllers(t *testing.T) {
	n := newFakeNetwork(t)
	url := canisterURL("v3", appCanister, "read_state")
	path := certify.MetadataPath(appCanister, "hidden")
	wantLookup(t, wantState(t, n, url, appCanister, alice(t), path), certify.Found, path)
	for _, id := range []wire.Identity{bob(t), {}} {
		wantRefusal(t, post(t, New(n, Info{}), url, readState(t, id, path).Body), 403, "Custom section hidden can only be requested by the controllers")
	}
	absent := certify.MetadataPath(appCanister, "no such section")
	wantLookup(t, wantState(t, n, url, appCanister, bob(t), absent), certify.Absent, absent)
}

func TestTheStatusOfARequestIsForItsSender(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	call := sign(t, wire.NewCall(appCanister, "f", []byte("x")), alice(t))
	h := New(n, Info{})
	if w := post(t, h, canisterURL("v2", appCanister, "call"), call.Body); w.Code != http.StatusAccepted {
		t.Fatalf("status %d", w.Code)
	}
	path := certify.RequestStatusPath(call.ID)
	for _, version := range readVersions {
		url := canisterURL(version, appCanister, "read_state")
		tree := wantState(t, n, url, appCanister, alice(t), path, certify.RequestStatusPath(call.ID, "reply"))
		wantLookup(t, tree, certify.Found, certify.RequestStatusPath(call.ID, "reply"))
		wantRefusal(t, post(t, h, url, readState(t, bob(t), path).Body), 403, "not signed by the caller")
		wantRefusal(t, post(t, h, url, readState(t, wire.Identity{}, path).Body), 403, "not signed by the caller")
	}
	other := principal.Canister(1<<20 + 1)
	wantRefusal(t, post(t, h, canisterURL("v3", other, "read_state"), readState(t, alice(t), path).Body), 403, "effective id")
}

func TestAnUnknownRequestIsProvenAbsent(t *testing.T) {
	n := newFakeNetwork(t)
	path := certify.RequestStatusPath(api.RequestID{1})
	tree := wantState(t, n, canisterURL("v3", appCanister, "read_state"), appCanister, bob(t), path)
	wantLookup(t, tree, certify.Absent, path)
}

func TestARequestThatWasForgottenMeanwhileHasNoOwner(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	h := New(n, Info{})
	call := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	post(t, h, canisterURL("v2", appCanister, "call"), call.Body)
	n.view.requests.Delete(api.RequestID(call.ID))
	path := certify.RequestStatusPath(call.ID)
	for _, id := range []wire.Identity{alice(t), bob(t)} {
		wantRefusal(t, post(t, h, canisterURL("v3", appCanister, "read_state"), readState(t, id, path).Body), 403, "not signed by the caller")
	}
}

func TestAMissingCanisterHasNoControllers(t *testing.T) {
	n := newFakeNetwork(t)
	other := principal.Canister(1<<20 + 1)
	path := certify.MetadataPath(other, "hidden")
	wantRefusal(t, post(t, New(n, Info{}), canisterURL("v3", other, "read_state"), readState(t, alice(t), path).Body), 403, "controllers")
}

func TestARequestIsHiddenFromDelegationsToOtherCanisters(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	h := New(n, Info{})
	call := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	post(t, h, canisterURL("v2", appCanister, "call"), call.Body)
	for _, c := range []struct {
		target principal.Principal
		status int
	}{{appCanister, 200}, {nnsCanister, 403}} {
		session, err := alice(t).Delegate(bob(t), wire.DelegationTerms{Expiration: instant, Targets: []principal.Principal{c.target}})
		if err != nil {
			t.Fatal(err)
		}
		w := post(t, h, canisterURL("v3", appCanister, "read_state"), readState(t, session, certify.RequestStatusPath(call.ID)).Body)
		if w.Code != c.status {
			t.Errorf("target %s: status %d: %s", c.target, w.Code, w.Body)
		}
	}
}

func TestAPollBySubnetIdSeesTheCallBySubnetId(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	h := New(n, Info{})
	call := sign(t, wire.NewCall(principal.Management, "create_canister", nil), alice(t))
	post(t, h, subnetURL("v4", n.app.id, "call"), call.Body)
	tree := wantState(t, n, subnetURL("v3", n.app.id, "read_state"), n.app.id, alice(t), certify.RequestStatusPath(call.ID))
	wantLookup(t, tree, certify.Found, certify.RequestStatusPath(call.ID, "status"))
}

func TestAPrefixOfTheSubnetsHidesWhatItsReaderMayNotSee(t *testing.T) {
	n := newFakeNetwork(t)
	ranges := func(s *fakeSubnet) certify.Path { return certify.SubnetPath(s.id, "canister_ranges") }
	node := func(s *fakeSubnet) certify.Path { return certify.NodeKeyPath(s.id, s.node.Principal()) }
	metrics := certify.SubnetPath(n.app.id, "metrics")
	for _, c := range []struct {
		url                  string
		effective            principal.Principal
		appRanges, appMetric certify.LookupStatus
	}{
		{canisterURL("v2", appCanister, "read_state"), appCanister, certify.Found, certify.Unknown},
		{canisterURL("v3", appCanister, "read_state"), appCanister, certify.Unknown, certify.Unknown},
		{subnetURL("v2", n.app.id, "read_state"), n.app.id, certify.Found, certify.Found},
		{subnetURL("v3", n.app.id, "read_state"), n.app.id, certify.Unknown, certify.Found},
	} {
		for _, paths := range [][]certify.Path{
			{{"subnet"}},
			{certify.SubnetPath(n.app.id), certify.SubnetPath(n.nns.id)},
			{certify.SubnetPath(n.app.id, "public_key"), {"subnet"}, certify.SubnetPath(n.app.id), {"subnet"}},
		} {
			tree := wantState(t, n, c.url, c.effective, wire.Identity{}, paths...)
			for _, s := range []*fakeSubnet{n.nns, n.app} {
				wantLookup(t, tree, certify.Found, certify.SubnetPath(s.id, "public_key"))
				wantLookup(t, tree, certify.Found, certify.SubnetPath(s.id, "type"))
			}
			wantLookup(t, tree, certify.Found, ranges(n.nns))
			wantLookup(t, tree, c.appRanges, ranges(n.app))
			wantLookup(t, tree, c.appMetric, metrics)
			wantLookup(t, tree, certify.Found, node(n.app))
			wantLookup(t, tree, certify.Unknown, node(n.nns))
		}
	}
}

func TestANodeOfAnotherSubnetMayBeAskedForAndIsNotShown(t *testing.T) {
	n := newFakeNetwork(t)
	path := certify.NodeKeyPath(n.nns.id, n.nns.node.Principal())
	tree := wantState(t, n, canisterURL("v3", appCanister, "read_state"), appCanister, wire.Identity{}, path)
	wantLookup(t, tree, certify.Unknown, path)
}

func TestASubnetIsReadBySubnetId(t *testing.T) {
	n := newFakeNetwork(t)
	for _, version := range readVersions {
		for _, s := range []*fakeSubnet{n.nns, n.app} {
			metrics, shards := certify.SubnetPath(s.id, "metrics"), certify.RangesPath(n.app.id)
			shard := certify.RangesPath(n.app.id, n.app.ranges[0].Start)
			tree := wantState(t, n, subnetURL(version, s.id, "read_state"), s.id, bob(t), metrics, shards, shard)
			wantLookup(t, tree, certify.Found, metrics)
			wantLookup(t, tree, certify.Found, shard)
		}
	}
}

func TestTheDelegationOfAReadShowsRangesWhereItsVersionHasThem(t *testing.T) {
	n := newFakeNetwork(t)
	for version, flat := range map[string]bool{"v2": true, "v3": false} {
		for _, url := range []string{canisterURL(version, appCanister, "read_state"), subnetURL(version, n.app.id, "read_state")} {
			certificate, err := wire.DecodeReadStateResponse(body(t, post(t, New(n, Info{}), url, readState(t, wire.Identity{}, certify.TimePath()).Body)))
			if err != nil {
				t.Fatal(err)
			}
			wantLayout(t, n, certificate, flat)
		}
	}
}

func TestBoundaryNodesMayBeAskedFor(t *testing.T) {
	n := newFakeNetwork(t)
	for _, url := range []string{canisterURL("v3", appCanister, "read_state"), subnetURL("v2", n.app.id, "read_state")} {
		effective := appCanister
		if url[8] == 's' {
			effective = n.app.id
		}
		for _, path := range []certify.Path{{"api_boundary_nodes"}, {"api_boundary_nodes", "x"}, {"api_boundary_nodes", "x", "domain"}, {"api_boundary_nodes", "x", "ipv4_address"}, {"api_boundary_nodes", "x", "ipv6_address"}} {
			wantLookup(t, wantState(t, n, url, effective, wire.Identity{}, path), certify.Absent, path)
		}
	}
}

func TestPathsAreRefusedWithStatusAndText(t *testing.T) {
	n := newFakeNetwork(t)
	const notFound = "Invalid path requested."
	one, two := api.RequestID{1}, api.RequestID{2}
	byCanister := []string{canisterURL("v2", appCanister, "read_state"), canisterURL("v3", appCanister, "read_state")}
	bySubnet := []string{subnetURL("v2", n.app.id, "read_state"), subnetURL("v3", n.app.id, "read_state")}
	every := append(append([]string{}, byCanister...), bySubnet...)
	for _, c := range []struct {
		name   string
		urls   []string
		paths  []certify.Path
		status int
		text   string
	}{
		{"the whole tree", every, []certify.Path{{}}, 404, notFound},
		{"an unknown label", every, []certify.Path{{"streams"}}, 404, notFound},
		{"below the time", every, []certify.Path{{"time", "x"}}, 404, notFound},
		{"all requests", every, []certify.Path{{"request_status"}}, 404, notFound},
		{"an unknown field of a request", every, []certify.Path{certify.RequestStatusPath(one, "x")}, 404, notFound},
		{"below a field of a request", every, []certify.Path{certify.RequestStatusPath(one, "status", "x")}, 404, notFound},
		{"a short request id", every, []certify.Path{{"request_status", "short"}}, 400, "Invalid request id in paths"},
		{"two request ids", every, []certify.Path{certify.RequestStatusPath(one), certify.RequestStatusPath(two, "reply")}, 400, "More than one non-unique request ID exists in request_status paths: "},
		{"all canisters", every, []certify.Path{{"canister"}}, 404, notFound},
		{"a whole canister", every, []certify.Path{certify.CanisterPath(appCanister)}, 404, notFound},
		{"certified data", every, []certify.Path{certify.CanisterPath(appCanister, "certified_data")}, 404, notFound},
		{"all metadata", every, []certify.Path{certify.CanisterPath(appCanister, "metadata")}, 404, notFound},
		{"below metadata", every, []certify.Path{certify.CanisterPath(appCanister, "metadata", "x", "y")}, 404, notFound},
		{"below the controllers", every, []certify.Path{certify.CanisterPath(appCanister, "controllers", "x")}, 404, notFound},
		{"another canister", byCanister, []certify.Path{certify.CanisterPath(nnsCanister, "controllers")}, 400, "does not match requested principal id: " + nnsCanister.String()},
		{"metadata of another canister", byCanister, []certify.Path{certify.MetadataPath(nnsCanister, "x")}, 400, "does not match requested principal id"},
		{"a canister by subnet id", bySubnet, []certify.Path{certify.CanisterPath(appCanister, "controllers")}, 404, notFound},
		{"a section that is no text", byCanister, []certify.Path{certify.MetadataPath(appCanister, "\xff")}, 400, "Could not parse the custom section name"},
		{"no canister", byCanister, []certify.Path{{"canister", certify.Label(make([]byte, 30)), "controllers"}}, 400, "Could not parse principal ID"},
		{"metrics by canister id", byCanister, []certify.Path{certify.SubnetPath(n.app.id, "metrics")}, 404, notFound},
		{"metrics of another subnet", bySubnet, []certify.Path{certify.SubnetPath(n.nns.id, "metrics")}, 400, "does not match requested principal id"},
		{"flat ranges at a new endpoint", []string{byCanister[1], bySubnet[1]}, []certify.Path{certify.SubnetPath(n.app.id, "canister_ranges")}, 404, notFound},
		{"sharded ranges by canister id", byCanister, []certify.Path{certify.RangesPath(n.app.id)}, 404, notFound},
		{"all ranges", bySubnet, []certify.Path{{"canister_ranges"}}, 404, notFound},
		{"ranges of two subnets", bySubnet, []certify.Path{certify.RangesPath(n.app.id), certify.RangesPath(n.nns.id)}, 400, "More than one subnet ID exists in canister_ranges paths"},
		{"ranges of no principal", bySubnet, []certify.Path{{"canister_ranges", certify.Label(make([]byte, 30))}}, 400, "Could not parse principal ID"},
		{"an unknown field of a subnet", every, []certify.Path{certify.SubnetPath(n.app.id, "x")}, 404, notFound},
		{"below a subnet's key", every, []certify.Path{certify.SubnetPath(n.app.id, "public_key", "x")}, 404, notFound},
		{"an unknown field of a node", every, []certify.Path{certify.SubnetPath(n.app.id, "node", "x", "y")}, 404, notFound},
		{"below a node's key", every, []certify.Path{certify.SubnetPath(n.app.id, "node", "x", "public_key", "z")}, 404, notFound},
		{"an unknown field of a boundary node", every, []certify.Path{{"api_boundary_nodes", "x", "y"}}, 404, notFound},
		{"one path that is wrong", every, []certify.Path{certify.TimePath(), {"subnet"}, {"x"}}, 404, notFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, url := range c.urls {
				wantRefusal(t, post(t, New(n, Info{}), url, readState(t, alice(t), c.paths...).Body), c.status, c.text)
			}
		})
	}
}

func TestFlatRangesOfTheRootSubnetMayAlwaysBeAskedFor(t *testing.T) {
	n := newFakeNetwork(t)
	path := certify.SubnetPath(n.nns.id, "canister_ranges")
	for _, version := range readVersions {
		wantLookup(t, wantState(t, n, canisterURL(version, appCanister, "read_state"), appCanister, wire.Identity{}, path), certify.Found, path)
		wantLookup(t, wantState(t, n, subnetURL(version, n.app.id, "read_state"), n.app.id, wire.Identity{}, path), certify.Found, path)
	}
	old := certify.SubnetPath(n.app.id, "canister_ranges")
	wantLookup(t, wantState(t, n, canisterURL("v2", appCanister, "read_state"), appCanister, wire.Identity{}, old), certify.Found, old)
}

func TestAReadOfNothingGivesTheTime(t *testing.T) {
	n := newFakeNetwork(t)
	wantState(t, n, canisterURL("v3", appCanister, "read_state"), appCanister, wire.Identity{})
}

func TestAReadExpiresUnlessItIsAnonymous(t *testing.T) {
	n := newFakeNetwork(t)
	draft := wire.NewReadState()
	draft.IngressExpiry = 1
	for _, url := range []string{canisterURL("v3", appCanister, "read_state"), subnetURL("v3", n.app.id, "read_state")} {
		if w := post(t, New(n, Info{}), url, sign(t, draft, wire.Identity{}).Body); w.Code != http.StatusOK {
			t.Errorf("anonymous: status %d: %s", w.Code, w.Body)
		}
		wantRefusal(t, post(t, New(n, Info{}), url, sign(t, draft, alice(t)).Body), 400, "Invalid request expiry: ")
		wantRefusal(t, post(t, New(n, Info{}), url, []byte{0xa0}), 400, "Could not parse body as read_state message")
	}
}

// Proofs of 1,000 paths take a processor for milliseconds each, and eight clients that read them delayed all others.
func TestARequestForManyPathsWaitsForAPlace(t *testing.T) {
	paths := make([]certify.Path, manyPaths+1)
	for i := range paths {
		paths[i] = certify.MetadataPath(appCanister, fmt.Sprint("section ", i))
	}
	few, many := readState(t, wire.Identity{}, paths[1:]...), readState(t, wire.Identity{}, paths...)
	n := newFakeNetwork(t)
	synctest.Test(t, func(t *testing.T) {
		places := NewDecoders(1)
		h := New(n, Info{Decoders: places})
		url := canisterURL("v3", appCanister, "read_state")
		places <- struct{}{}
		if w := post(t, h, url, few.Body); w.Code != http.StatusOK {
			t.Errorf("%d paths: %d %s", manyPaths, w.Code, w.Body)
		}
		answered := make(chan int, 1)
		go func() { answered <- post(t, h, url, many.Body).Code }()
		synctest.Wait()
		if len(answered) > 0 {
			t.Errorf("%d paths do not wait for a place", len(paths))
		}
		<-places
		if code := <-answered; code != http.StatusOK {
			t.Errorf("with a place, %d paths: %d", len(paths), code)
		}
	})
}
