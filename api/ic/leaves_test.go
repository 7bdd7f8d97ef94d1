package ic

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
)

// grove is a network of two real subnets and what there is to read of it.
type grove struct {
	network           running
	handler           *Handler
	nns, app          principal.Principal
	nnsNode, appNode  certify.Path
	full, empty       principal.Principal // of alice, on app
	replied, rejected wire.Signed         // alice's calls of full
	creation          wire.Signed         // alice's, by subnet id
	root              certify.SubnetPublicKey
	ranges            certify.Ranges // of app
	module            []byte
}

func buildGrove(t *testing.T) *grove {
	r, address := startNode(t, replica.SubnetConfig{Kind: replica.NNS}, replica.SubnetConfig{})
	view := r.Driver.View()
	g := &grove{network: r, handler: New(r, Info{}), nns: view.Subnets[0].ID, app: view.Subnets[1].ID, ranges: view.Subnets[1].Ranges}
	g.nnsNode = certify.NodeKeyPath(g.nns, view.Subnets[0].Nodes[0].Principal())
	g.appNode = certify.NodeKeyPath(g.app, view.Subnets[1].Nodes[0].Principal())
	alice := dialNode(t, address, "alice")
	g.module = withSection(withSection(fixture(t, "counter.wasm"), "icp:private hidden", "secret"), "icp:public seen", "open")
	g.full = install(t, alice, view.DefaultCanister(), g.module)
	var empty management.Canister
	manage(t, alice, g.full, "provisional_create_canister_with_cycles", management.Create{}, &empty)
	g.empty = empty.ID
	var err error
	if g.root, err = certify.ParseSubnetPublicKey(view.RootKey); err != nil {
		t.Fatal(err)
	}
	g.replied, g.rejected = realCall(t, "alice", g.full, "inc"), realCall(t, "alice", g.full, "nope")
	arg, err := candid.Marshal(management.Create{})
	if err != nil {
		t.Fatal(err)
	}
	draft := wire.NewCall(principal.Management, "provisional_create_canister_with_cycles", arg)
	draft.IngressExpiry = uint64(time.Now().Add(4 * time.Minute).UnixNano())
	g.creation = sign(t, draft, identity(t, "alice"))
	for url, call := range map[string]wire.Signed{
		canisterURL("v4", g.full, "call"): g.replied, canisterURL("v3", g.full, "call"): g.rejected, subnetURL("v4", g.app, "call"): g.creation,
	} {
		if w := post(t, g.handler, url, call.Body); w.Code != http.StatusOK {
			t.Fatalf("%s: status %d: %s", url, w.Code, w.Body)
		}
	}
	return g
}

// read is what a reader sees of a path: the status of the lookup, or the HTTP status.
func (g *grove) read(t *testing.T, url string, effective principal.Principal, reader wire.Identity, path certify.Path) (string, []byte) {
	t.Helper()
	labels := wire.Path{}
	for _, l := range path {
		labels = append(labels, []byte(l))
	}
	draft := wire.NewReadState(labels)
	draft.IngressExpiry = uint64(time.Now().Add(4 * time.Minute).UnixNano())
	w := post(t, g.handler, url, sign(t, draft, reader).Body)
	if w.Code != http.StatusOK {
		return fmt.Sprint(w.Code), nil
	}
	encoded, err := wire.DecodeReadStateResponse(body(t, w))
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := certify.DecodeCertificate(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if effective == g.app {
		err = certificate.VerifyForSubnet(g.root, effective)
	} else {
		err = certificate.VerifyForCanister(g.root, effective)
	}
	if err != nil {
		t.Fatal(err)
	}
	value, status := certificate.Tree.Lookup(path...)
	return status.String(), value
}

// leaf is a path by its pattern, the labels that stand at its asterisks in order.
func leaf(t *testing.T, pattern string, labels ...certify.Label) certify.Path {
	t.Helper()
	var path certify.Path
	for label := range strings.SplitSeq(strings.TrimPrefix(pattern, "/"), "/") {
		if label == "*" {
			path, labels = append(path, labels[0]), labels[1:]
			continue
		}
		path = append(path, certify.Label(label))
	}
	if len(labels) > 0 || !isLeaf(pattern, path) {
		t.Fatalf("%s is not of the pattern %s", path, pattern)
	}
	return path
}

// isLeaf reports whether a path is of a pattern.
func isLeaf(pattern string, path certify.Path) bool {
	parts := strings.Split(pattern, "/")[1:]
	for i, part := range parts {
		if len(parts) != len(path) || part != "*" && part != string(path[i]) {
			return false
		}
	}
	return true
}

// Every leaf of the tree (interface specification, "The system state tree"), and its readers at each endpoint: alice by
// the full canister's id (v2, v3) and by the subnet's (v2, v3), bob likewise, and a client without a key.
func TestWhoReadsWhichLeafOfTheTree(t *testing.T) {
	g := buildGrove(t)
	type labels = []certify.Label
	app, nns, full, empty := certify.LabelOf(g.app), certify.LabelOf(g.nns), certify.LabelOf(g.full), certify.LabelOf(g.empty)
	replied, rejected, creation := certify.Label(g.replied.ID[:]), certify.Label(g.rejected.ID[:]), certify.Label(g.creation.ID[:])
	unheard := certify.Label(make([]byte, 32))
	const everybody, byCanister, bySubnet = "Found Found Found Found", "Found Found 404 404", "404 404 Found Found"
	const absent, absentByCanister, never, foreign = "Absent Absent Absent Absent", "Absent Absent 404 404", "404 404 404 404", "403 403 403 403"
	tried := make(map[string]bool)
	for _, c := range []struct {
		pattern string
		labels  labels
		alice   string
		others  string // where they see something else
	}{
		{"/time", nil, everybody, ""},
		{"/api_boundary_nodes/*/domain", labels{"a node"}, absent, ""},
		{"/api_boundary_nodes/*/ipv4_address", labels{"a node"}, absent, ""},
		{"/api_boundary_nodes/*/ipv6_address", labels{"a node"}, absent, ""},
		{"/subnet/*/public_key", labels{app}, everybody, ""},
		{"/subnet/*/public_key", labels{nns}, everybody, ""},
		{"/subnet/*/type", labels{app}, everybody, ""},
		{"/subnet/*/type", labels{nns}, everybody, ""},
		{"/subnet/*/canister_ranges", labels{app}, "Found 404 Found 404", ""},
		{"/subnet/*/canister_ranges", labels{nns}, everybody, ""},
		{"/subnet/*/metrics", labels{app}, bySubnet, ""},
		{"/subnet/*/metrics", labels{nns}, "404 404 400 400", ""},
		{"/subnet/*/node/*/public_key", labels{app, g.appNode[3]}, everybody, ""},
		{"/subnet/*/node/*/public_key", labels{nns, g.nnsNode[3]}, "Unknown Unknown Unknown Unknown", ""},
		{"/canister_ranges/*/*", labels{app, certify.LabelOf(g.ranges[0].Start)}, bySubnet, ""},
		{"/canister_ranges/*/*", labels{nns, certify.LabelOf(principal.Canister(0))}, bySubnet, ""},
		{"/request_status/*/status", labels{replied}, "Found Found 403 403", foreign},
		{"/request_status/*/status", labels{unheard}, absent, ""},
		{"/request_status/*/reply", labels{replied}, "Found Found 403 403", foreign},
		{"/request_status/*/reply", labels{creation}, "403 403 Found Found", foreign},
		{"/request_status/*/reject_code", labels{replied}, "Absent Absent 403 403", foreign},
		{"/request_status/*/reject_code", labels{rejected}, "Found Found 403 403", foreign},
		{"/request_status/*/reject_message", labels{rejected}, "Found Found 403 403", foreign},
		{"/request_status/*/error_code", labels{rejected}, "Found Found 403 403", foreign},
		{"/canister/*/certified_data", labels{full}, never, ""},
		{"/canister/*/module_hash", labels{full}, byCanister, ""},
		{"/canister/*/controllers", labels{full}, byCanister, ""},
		{"/canister/*/controllers", labels{empty}, "400 400 404 404", ""},
		{"/canister/*/canister_creation_timestamp", labels{full}, byCanister, ""},
		{"/canister/*/last_install_timestamp", labels{full}, byCanister, ""},
		{"/canister/*/metadata/*", labels{full, "seen"}, byCanister, ""},
		{"/canister/*/metadata/*", labels{full, "hidden"}, byCanister, "403 403 404 404"},
		{"/canister/*/metadata/*", labels{full, "none"}, absentByCanister, ""},
	} {
		tried[c.pattern] = true
		g.readers(t, leaf(t, c.pattern, c.labels...), c.alice, c.others)
	}
	for _, pattern := range certify.StatePaths() {
		if !tried[pattern] {
			t.Errorf("no identity reads %s", pattern)
		}
	}
}

// readers lets everybody read a path at every endpoint.
func (g *grove) readers(t *testing.T, path certify.Path, alice, others string) {
	t.Helper()
	for name, reader := range map[string]wire.Identity{"alice": identity(t, "alice"), "bob": identity(t, "bob"), "nobody": {}} {
		var got []string
		for _, version := range readVersions {
			seen, _ := g.read(t, canisterURL(version, g.full, "read_state"), g.full, reader, path)
			got = append(got, seen)
		}
		for _, version := range readVersions {
			seen, _ := g.read(t, subnetURL(version, g.app, "read_state"), g.app, reader, path)
			got = append(got, seen)
		}
		want := alice
		if name != "alice" && others != "" {
			want = others
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s reads %s: %s, want %s", name, path, text, want)
		}
	}
}

// There are no API boundary nodes before a local network; every other leaf is in the trees of the grove.
func TestTheTreesHaveTheLeavesThatAreListedAndNoOthers(t *testing.T) {
	g := buildGrove(t)
	found := make(map[string]bool)
	for _, subnet := range []principal.Principal{g.app, g.nns} {
		g.network.View().Certified(subnet).Tree().Walk(func(path certify.Path, _ []byte) bool {
			at := slices.IndexFunc(certify.StatePaths(), func(pattern string) bool { return isLeaf(pattern, path) })
			if at < 0 {
				t.Errorf("the tree of %s has %s, which is of no pattern", subnet, path)
				return true
			}
			found[certify.StatePaths()[at]] = true
			return true
		})
	}
	for _, pattern := range certify.StatePaths() {
		if boundary := strings.HasPrefix(pattern, "/api_boundary_nodes/"); found[pattern] == boundary {
			t.Errorf("in the trees there is %s: %t", pattern, found[pattern])
		}
	}
}

// value is a leaf that alice reads by the id of a canister, or of the subnet.
func (g *grove) value(t *testing.T, effective principal.Principal, path certify.Path) []byte {
	t.Helper()
	url := canisterURL("v3", effective, "read_state")
	if effective == g.app {
		url = subnetURL("v2", effective, "read_state")
	}
	status, value := g.read(t, url, effective, identity(t, "alice"), path)
	if status != certify.Found.String() {
		t.Fatalf("%s: %s", path, status)
	}
	return value
}

func TestTheLeavesOfTheTreeSayWhatIs(t *testing.T) {
	g := buildGrove(t)
	type labels = []certify.Label
	app, nns, full := certify.LabelOf(g.app), certify.LabelOf(g.nns), certify.LabelOf(g.full)
	replied, rejected := certify.Label(g.replied.ID[:]), certify.Label(g.rejected.ID[:])
	moment := func(effective principal.Principal, pattern string, id ...certify.Label) uint64 {
		ns, err := certify.DecodeNat(g.value(t, effective, leaf(t, pattern, id...)))
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		return ns
	}
	now := moment(g.full, "/time")
	made := moment(g.full, "/canister/*/canister_creation_timestamp", full)
	installed := moment(g.full, "/canister/*/last_install_timestamp", full)
	if !(made <= installed && installed <= now && now-made < 600e9) {
		t.Errorf("made at %d, installed at %d, now it is %d", made, installed, now)
	}
	if later := moment(g.empty, "/canister/*/canister_creation_timestamp", certify.LabelOf(g.empty)); later < installed {
		t.Errorf("the second canister was made at %d, the first installed at %d", later, installed)
	}
	hash := sha256.Sum256(g.module)
	for _, c := range []struct {
		pattern string
		labels  labels
		want    string
	}{
		{"/canister/*/module_hash", labels{full}, string(hash[:])},
		{"/canister/*/controllers", labels{full}, string(certify.EncodeControllers([]principal.Principal{identity(t, "alice").Sender()}))},
		{"/canister/*/metadata/*", labels{full, "seen"}, "open"},
		{"/canister/*/metadata/*", labels{full, "hidden"}, "secret"},
		{"/request_status/*/status", labels{replied}, "replied"},
		{"/request_status/*/reply", labels{replied}, "DIDL\x00\x01\x7d\x01"},
		{"/request_status/*/status", labels{rejected}, "rejected"},
		{"/request_status/*/reject_code", labels{rejected}, "\x05"},
		{"/request_status/*/error_code", labels{rejected}, "IC0536"},
		{"/subnet/*/type", labels{app}, "application"},
		{"/subnet/*/type", labels{nns}, "system"},
		{"/subnet/*/public_key", labels{nns}, string(g.root.DER())},
	} {
		if got := g.value(t, g.full, leaf(t, c.pattern, c.labels...)); string(got) != c.want {
			t.Errorf("%s is %q, want %q", c.pattern, got, c.want)
		}
	}
	if got := g.value(t, g.full, leaf(t, "/subnet/*/node/*/public_key", app, g.appNode[3])); len(got) != 44 || !strings.HasPrefix(string(got), "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00") {
		t.Errorf("the node's key is %x", got)
	}
	var metrics struct {
		Canisters    uint64 `cbor:"num_canisters"`
		Transactions uint64 `cbor:"update_transactions_total"`
	}
	if err := cbor.Unmarshal(g.value(t, g.app, leaf(t, "/subnet/*/metrics", app)), &metrics); err != nil || metrics.Canisters != 3 || metrics.Transactions == 0 {
		t.Errorf("metrics %+v, %v", metrics, err)
	}
	for _, path := range []certify.Path{leaf(t, "/subnet/*/canister_ranges", app), leaf(t, "/canister_ranges/*/*", app, certify.LabelOf(g.ranges[0].Start))} {
		ranges, err := certify.DecodeRanges(g.value(t, g.app, path))
		if err != nil || !slices.Equal(ranges, g.ranges) {
			t.Errorf("%s: %v (%v), want %v", path, ranges, err, g.ranges)
		}
	}
}

func TestAnEmptyCanisterShowsItsControllersAndWhenItWasMade(t *testing.T) {
	g := buildGrove(t)
	for field, want := range map[certify.Label]string{
		"controllers": "Found", "canister_creation_timestamp": "Found", "module_hash": "Absent", "last_install_timestamp": "Absent",
	} {
		got, _ := g.read(t, canisterURL("v3", g.empty, "read_state"), g.empty, wire.Identity{}, certify.CanisterPath(g.empty, field))
		if got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	if got, _ := g.read(t, canisterURL("v3", g.empty, "read_state"), g.empty, wire.Identity{}, certify.MetadataPath(g.empty, "seen")); got != "Absent" {
		t.Errorf("metadata is %s", got)
	}
}
