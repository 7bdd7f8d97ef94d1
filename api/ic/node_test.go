package ic

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/certify"
	"github.com/canisterd/canisterd/replica/node"
)

// running is a node as the front end's network.
type running struct {
	*node.Node
	mu       sync.Mutex
	requests map[api.RequestID]api.Ingress
}

type runningView struct {
	*replica.View
	node *running
}

func (r *running) View() api.View { return runningView{r.Node.View(), r} }
func (r *running) Now() uint64    { return uint64(time.Now().UnixNano()) }

func (r *running) Submit(ctx context.Context, in *api.Ingress) (api.Receipt, error) {
	receipt, err := r.Node.Submit(ctx, in)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests[in.ID] = *in
	return api.Receipt(receipt), err
}

func (v runningView) Time() uint64              { return v.View.Time }
func (v runningView) Height() uint64            { return v.View.Height }
func (v runningView) RootKey() []byte           { return v.View.RootKey }
func (v runningView) Root() principal.Principal { return v.View.Root().ID }

func (v runningView) Host(canister principal.Principal) (principal.Principal, bool) {
	if s := v.SubnetOf(canister); s != nil {
		return s.ID, true
	}
	return principal.Principal{}, false
}

func (v runningView) Certified(subnet principal.Principal) *certify.Height {
	if s := v.Subnet(subnet); s != nil {
		return s.Certified
	}
	return nil
}

func (v runningView) Delegation(subnet principal.Principal, layout certify.RangesLayout) *certify.Delegation {
	return v.View.Delegation(v.Subnet(subnet), layout)
}

func (v runningView) NodeKey(subnet principal.Principal) *certify.NodeKey {
	return v.Subnet(subnet).Nodes[0]
}

func (v runningView) Request(_ principal.Principal, id api.RequestID) (sender, receiver, effective principal.Principal, ok bool) {
	v.node.mu.Lock()
	defer v.node.mu.Unlock()
	in, ok := v.node.requests[id]
	return in.Sender, in.Receiver, in.Effective, ok
}

func (v runningView) Private(principal.Principal, string) bool { return false }

// startNode serves a node with the subnets whose time is now.
func startNode(t *testing.T, subnets ...replica.SubnetConfig) (*running, string) {
	t.Helper()
	engine, err := canister.NewEngine(canister.EngineConfig{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := node.Start(node.Config{Network: replica.Config{Start: uint64(time.Now().UnixNano()), Subnets: subnets, Engine: engine}})
	if err != nil {
		t.Fatal(err)
	}
	r := &running{Node: n, requests: map[api.RequestID]api.Ingress{}}
	server := httptest.NewServer(New(r, Info{Version: "test"}))
	t.Cleanup(func() {
		server.Close()
		if err := errors.Join(n.Close(), engine.Close()); err != nil {
			t.Error(err)
		}
	})
	return r, server.URL
}

type creation struct {
	Amount *uint64 `ic:"amount,nat"`
}

type created struct {
	Canister principal.Principal `ic:"canister_id"`
}

type installation struct {
	Mode     mode                `ic:"mode"`
	Canister principal.Principal `ic:"canister_id"`
	Module   []byte              `ic:"wasm_module"`
	Arg      []byte              `ic:"arg"`
}

type mode struct {
	Install *candid.Null `ic:"install,variant"`
}

// install creates a canister next to one and installs a fixture in it.
func install(t *testing.T, c *client.Client, near principal.Principal, fixture string) principal.Principal {
	t.Helper()
	module, err := os.ReadFile(filepath.Join("..", "..", "canister", "canistertest", "fixtures", fixture))
	if err != nil {
		t.Fatal(err)
	}
	var made created
	manage(t, c, near, "provisional_create_canister_with_cycles", creation{}, &made)
	manage(t, c, made.Canister, "install_code", installation{mode{Install: &candid.Null{}}, made.Canister, module, []byte("DIDL\x00\x00")})
	return made.Canister
}

func manage(t *testing.T, c *client.Client, effective principal.Principal, method string, arg any, reply ...any) {
	t.Helper()
	encoded, err := candid.Marshal(arg)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Call(t.Context(), principal.Management, effective, method, encoded)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	if err := candid.Unmarshal(answer, reply...); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

func dialNode(t *testing.T, address string) *client.Client {
	t.Helper()
	seed := sha256.Sum256([]byte("alice"))
	c, err := client.Dial(t.Context(), address, client.WithKey(ed25519.NewKeyFromSeed(seed[:])))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func wantNumber(t *testing.T, reply []byte, err error, want uint64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var got candid.Nat
	if err := candid.Unmarshal(reply, &got); err != nil || got.String() != strconv.FormatUint(want, 10) {
		t.Errorf("got %v (%v), want %d", got, err, want)
	}
}

func TestACanisterIsCreatedInstalledCalledAndQueried(t *testing.T) {
	for name, subnets := range map[string][]replica.SubnetConfig{
		"one subnet":          {{Kind: replica.Application}},
		"NNS and application": {{Kind: replica.NNS}, {Kind: replica.Application}},
	} {
		t.Run(name, func(t *testing.T) {
			r, address := startNode(t, subnets...)
			c := dialNode(t, address)
			counter := install(t, c, r.Node.View().DefaultCanister(), "counter.wasm")
			none := []byte("DIDL\x00\x00")
			reply, err := c.Call(t.Context(), counter, counter, "inc", none)
			wantNumber(t, reply, err, 1)
			reply, err = c.Query(t.Context(), counter, counter, "get", none)
			wantNumber(t, reply, err, 1)
			if text, ok, err := c.Metadata(t.Context(), counter, "candid:service"); err != nil || !ok || text == "" {
				t.Errorf("metadata %q, %t, %v", text, ok, err)
			}
			_, err = c.Call(t.Context(), counter, counter, "no such method", none)
			if reject, ok := errors.AsType[*client.Reject](err); !ok || reject.ErrorCode != "IC0536" {
				t.Errorf("a method that is not there: %v", err)
			}
			a := newAgent(t, address)
			if raw, err := a.CallRaw(agentID(counter), "inc", none); err != nil || len(raw) == 0 {
				t.Errorf("agent-go calls: %x, %v", raw, err)
			}
			if controllers, err := a.GetCanisterControllers(agentID(counter)); err != nil || len(controllers) != 1 {
				t.Errorf("agent-go reads controllers: %v, %v", controllers, err)
			}
			if len(subnets) > 1 {
				if raw, err := a.QueryRaw(agentID(counter), "get", none); err != nil || len(raw) == 0 {
					t.Errorf("agent-go queries: %x, %v", raw, err)
				}
			}
		})
	}
}
