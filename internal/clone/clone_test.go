package clone_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	"github.com/canisterd/canisterd/internal/eventually"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/test/canistertest"
)

func TestMain(m *testing.M) { os.Exit(canistertest.Main(m)) }

// network is a daemon with one network.
type network struct {
	testing.TB
	*remote.Daemon
	ctx    context.Context
	url    string
	driver *driver.Driver
}

// start starts a network. Networks of different seeds have different keys and ids.
func start(t testing.TB, seed string, subnets ...replica.SubnetConfig) *network {
	t.Helper()
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: canistertest.CacheDir(t), Seed: []byte(seed), Subnets: subnets})
	if err != nil {
		t.Fatal(err)
	}
	c, err := remote.Dial(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return &network{t, c, eventually.Context(t), d.URL(), d.Driver()}
}

// mainnet is a network that plays the Internet Computer: its own key and several subnets.
func mainnet(t testing.TB) *network {
	return start(t, "a network with 32 bytes of seed.", replica.SubnetConfig{Kind: replica.NNS}, replica.SubnetConfig{Kind: replica.SNS}, replica.SubnetConfig{}, replica.SubnetConfig{})
}

// local is a network into which canisters are cloned.
func local(t testing.TB) *network { return start(t, "another network of 32 bytes seed") }

// owner is the controller of canisters at the source.
var owner = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

// developer is the local identity.
var developer = principal.SelfAuthenticating([]byte("developer"))

// source is the network as the source of clones, over its HTTP interface, as the owner.
func (n *network) source(address string, options ...client.Option) (*clone.Source, principal.Principal) {
	n.Helper()
	c, err := client.Dial(n.ctx, address, append(options, client.WithKey(owner))...)
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(c.Close)
	key := sha256.Sum256(c.RootKey())
	at := networks.Network{Client: c}
	return &clone.Source{Caller: at, Asker: at, From: address, Network: fmt.Sprintf("%x", key)}, c.Sender()
}

// destination is the network as the destination.
func (n *network) destination() *clone.Destination {
	return networks.To(networks.Instance{Daemon: n.Daemon}, nil)
}

// create creates a canister of the owner on a subnet of a kind.
func (n *network) create(kind string, settings *controlv1.Settings) principal.Principal {
	n.Helper()
	_, sender := n.source(n.url)
	got, err := n.Instances.GetInstance(n.ctx, &controlv1.GetInstanceRequest{})
	if err != nil {
		n.Fatal(err)
	}
	request := &controlv1.CreateCanisterRequest{Sender: sender.String(), Settings: settings}
	for _, s := range got.GetInstance().GetSubnets() {
		if s.GetKind().String() == kind {
			request.SubnetId = s.GetSubnetId()
		}
	}
	made, err := n.Canisters.CreateCanister(n.ctx, request)
	if err != nil {
		n.Fatal(err)
	}
	return principal.MustParse(made.GetCanisterId())
}

func (n *network) install(id principal.Principal, module, argument []byte) {
	n.Helper()
	_, sender := n.source(n.url)
	if _, err := n.Install(n.ctx, &controlv1.InstallHead{CanisterId: id.String(), Sender: sender.String(), Argument: &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: argument}}}, bytes.NewReader(module), nil); err != nil {
		n.Fatal(err)
	}
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	module, err := os.ReadFile(filepath.Join("..", "..", "test", "canistertest", "fixtures", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// message is a call: an argument in the text form of Candid, or bytes.
type message struct {
	method string
	text   string
	bytes  []byte
	query  bool
}

// send sends a message and returns its answer, a reject too.
func (n *network) send(id principal.Principal, m message) string {
	n.Helper()
	argument := &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: m.bytes}}
	if m.text != "" {
		argument = &controlv1.Value{Form: &controlv1.Value_Text{Text: m.text}}
	}
	call := &controlv1.Call{CanisterId: id.String(), Method: m.method, Argument: argument, ReplyForm: controlv1.Form_FORM_BYTES}
	var outcome *controlv1.Outcome
	if m.query {
		got, err := n.Calls.Query(n.ctx, &controlv1.QueryRequest{Call: call})
		if err != nil {
			n.Fatal(err)
		}
		outcome = got.GetOutcome()
	} else {
		got, err := n.Calls.Update(n.ctx, &controlv1.UpdateRequest{Call: call})
		if err != nil {
			n.Fatal(err)
		}
		outcome = got.GetOutcome()
	}
	value, err := remote.Reply(outcome)
	if err != nil {
		return err.Error()
	}
	return string(value.GetBytes())
}

func (n *network) canister(id principal.Principal) *controlv1.Canister {
	n.Helper()
	got, err := n.Canisters.GetCanister(n.ctx, &controlv1.GetCanisterRequest{CanisterId: id.String()})
	if err != nil {
		n.Fatal(err)
	}
	return got.GetCanister()
}

// standStill sets the time, which from then on moves by rounds alone.
func (n *network) standStill(at time.Time) {
	n.Helper()
	if _, err := n.Clock.SetPacing(n.ctx, &controlv1.SetPacingRequest{Pacing: &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}}); err != nil {
		n.Fatal(err)
	}
	if _, err := n.Clock.SetTime(n.ctx, &controlv1.SetTimeRequest{Time: timestamppb.New(at)}); err != nil {
		n.Fatal(err)
	}
}

func number(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// take takes a snapshot of a canister of a source.
func (n *network) take(from *clone.Source, cache clone.Cache, id principal.Principal) *clone.Entry {
	n.Helper()
	e, err := from.Take(n.ctx, cache, id)
	if err != nil {
		n.Fatal(err)
	}
	return e
}

// keepsNoSnapshot checks that a source has no snapshot of a canister.
func (n *network) keepsNoSnapshot(source *clone.Source, id principal.Principal) {
	n.Helper()
	if all, err := source.Canister(id).List(n.ctx); err != nil || len(all) > 0 {
		n.Errorf("the source still has the snapshots %v (%v)", all, err)
	}
}

// taken clones a canister with a snapshot that is taken for it.
func (n *network) taken(from *clone.Source, cache clone.Cache, id principal.Principal) (*clone.Entry, *clone.Loaded) {
	n.Helper()
	e := n.take(from, cache, id)
	if err := from.Download(n.ctx, e, func(int64, int64) {}); err != nil {
		n.Fatal(err)
	}
	if err := from.Drop(n.ctx, id, e.Record.Snapshot); err != nil {
		n.Fatal(err)
	}
	done, err := n.destination().Load(n.ctx, id, e, clone.LoadOptions{Controller: developer})
	if err != nil {
		n.Fatal(err)
	}
	return e, done
}

// programs are canisters with the messages before they are cloned, and those after.
var programs = map[string]struct {
	module        string
	argument      []byte
	kind          string
	before, after func(i uint64) message
	queries       []message
}{
	"Motoko with enhanced orthogonal persistence": {
		"ledger", empty, "SUBNET_KIND_SNS",
		func(i uint64) message { return message{method: "record", text: fmt.Sprintf(`(%d, "before")`, i)} },
		func(i uint64) message { return message{method: "record", text: fmt.Sprintf(`(%d, "after")`, i)} },
		[]message{{method: "total", text: "()", query: true}, {method: "entry", text: "(3)", query: true}, {method: "entry", text: "(60)", query: true}},
	},
	"Rust": {
		"bank", nil, "SUBNET_KIND_APPLICATION", // without interest: a timer would change the version at any time
		func(i uint64) message { return message{method: "credit", bytes: number(i)} },
		func(i uint64) message {
			if i%10 == 0 { // to a canister that is not there
				return message{method: "pay", bytes: append(append(number(1), number(0)...), append([]byte{10}, developer.Bytes()[:10]...)...)}
			}
			return message{method: "credit", bytes: number(i)}
		},
		[]message{{method: "balance", query: true}, {method: "sort", bytes: []byte("canister"), query: true}},
	},
	"Rust with stable structures": {
		"orders", empty, "SUBNET_KIND_APPLICATION", order, order,
		[]message{{method: "order", text: "(0 : nat64)", query: true}, {method: "changes", text: "(0 : nat64, 2000 : nat64)", query: true}, {method: "sum", text: "()", query: true}},
	},
	"an asset canister": {
		"webroot/webroot", empty, "SUBNET_KIND_APPLICATION", upload("before", 0), upload("after", 17),
		[]message{
			{method: "list", text: "(record {})", query: true},
			{method: "get", text: `(record { key = "/before-1"; accept_encodings = vec { "identity" } })`, query: true},
			{method: "get", text: `(record { key = "/after-20"; accept_encodings = vec { "identity" } })`, query: true},
		},
	},
	"pages that are certified": {
		"assets", empty, "SUBNET_KIND_APPLICATION", page, page,
		[]message{{method: "part", text: `(record { path = "/stream"; part = 1 : nat32 })`, query: true}},
	},
}

// empty is Candid without values.
var empty = []byte("DIDL\x00\x00")

// upload stores a file with each three messages, in batches from the first on.
func upload(name string, first uint64) func(i uint64) message {
	return func(i uint64) message {
		i += 3 * first
		switch i % 3 {
		case 0:
			return message{method: "create_batch", text: "(record {})"}
		case 1:
			return message{method: "create_chunk", text: fmt.Sprintf(`(record { batch_id = %d; content = blob "%[1]d" })`, i/3+1)}
		}
		return message{method: "commit_batch", text: fmt.Sprintf(`(record { batch_id = %[3]d; operations = vec {
			variant { CreateAsset = record { key = "/%[2]s-%[1]d"; content_type = "text/plain" } };
			variant { SetAssetContent = record { key = "/%[2]s-%[1]d"; content_encoding = "identity"; chunk_ids = vec { 0 }; sha256 = null } } } })`, i/3, name, i/3+1)}
	}
}

// order places orders, and cancels each third one later.
func order(i uint64) message {
	if i%3 == 2 {
		return message{method: "cancel", text: fmt.Sprintf("(%d : nat64)", i/2)}
	}
	return message{method: "place", text: fmt.Sprintf(`("item %d", %[1]d : nat64)`, i)}
}

// page requests a page by an update call.
func page(i uint64) message {
	return message{method: "http_request_update", text: fmt.Sprintf(`(record { method = "GET"; url = "/%d"; headers = vec {}; body = blob ""; certificate_version = opt 2 })`, i)}
}

func TestACloneAnswersAsItsSource(t *testing.T) {
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			from, to := mainnet(t), local(t)
			variables := &controlv1.Environment{Variables: []*controlv1.EnvironmentVariable{{Name: "API_KEY", Value: "hidden"}}}
			id := from.create(p.kind, &controlv1.Settings{Environment: variables, LogVisibility: &controlv1.Visibility{Public: true}})
			from.install(id, fixture(t, p.module), p.argument)
			for i := range uint64(50) {
				from.send(id, p.before(i))
			}
			source, _ := from.source(from.url)
			entry, done := to.taken(source, clone.Cache(filepath.Join(t.TempDir(), "clones")), id)
			if done.Canister != id || done.Bytes == 0 || !entry.Complete() {
				t.Errorf("it is %+v", done)
			}
			original, cloned := from.canister(id), to.canister(id)
			if !bytes.Equal(cloned.GetCertifiedData(), original.GetCertifiedData()) || !bytes.Equal(cloned.GetModuleHash(), original.GetModuleHash()) {
				t.Errorf("the clone has certified data %x and module %x", cloned.GetCertifiedData(), cloned.GetModuleHash())
			}
			if cloned.GetCanisterVersion() != original.GetCanisterVersion() {
				t.Errorf("the clone has version %d, the source %d", cloned.GetCanisterVersion(), original.GetCanisterVersion())
			}
			set := cloned.GetSettings()
			if set.GetEnvironment().String() != variables.String() || !set.GetLogVisibility().GetPublic() || len(set.GetControllers().GetPrincipals()) != 2 {
				t.Errorf("its settings are %v", set)
			}
			at := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
			from.standStill(at)
			to.standStill(at)
			rejects := 0
			for i := range uint64(1000) {
				got, want := to.send(id, p.after(i)), from.send(id, p.after(i))
				if got != want {
					t.Fatalf("message %d: the clone answers %q, the source %q", i, got, want)
				}
				if strings.HasPrefix(got, "rejected") {
					rejects++
				}
			}
			if rejects > 100 {
				t.Errorf("%d messages were rejected", rejects)
			}
			for _, q := range p.queries {
				if got, want := to.send(id, q), from.send(id, q); got != want || strings.HasPrefix(got, "rejected") {
					t.Errorf("%s: the clone answers %q, the source %q", q.method, got, want)
				}
			}
			if got, want := to.canister(id), from.canister(id); !bytes.Equal(got.GetCertifiedData(), want.GetCertifiedData()) || got.GetHeapBytes() != want.GetHeapBytes() || got.GetStableBytes() != want.GetStableBytes() {
				t.Errorf("after the messages the clone is %v, the source %v", got, want)
			}
		})
	}
}

func TestACloneHasTheTimerOfItsSource(t *testing.T) {
	from, to := mainnet(t), local(t)
	id := from.create("SUBNET_KIND_APPLICATION", &controlv1.Settings{})
	from.install(id, fixture(t, "bank"), number(1000)) // 1000 per mille each second: a balance doubles
	from.send(id, message{method: "credit", bytes: number(1)})
	source, _ := from.source(from.url)
	to.taken(source, clone.Cache(filepath.Join(t.TempDir(), "clones")), id)
	to.standStill(time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC))
	balance := func() string { return to.send(id, message{method: "balance", query: true}) }
	before := balance()
	if len(before) != 8 || before == string(number(0)) {
		t.Fatalf("the clone has the balance %q", before)
	}
	to.send(id, message{method: "credit", bytes: number(0)})
	if got := balance(); got == before {
		t.Errorf("the clone has the balance %q before and after the time of its timer", got)
	}
}
