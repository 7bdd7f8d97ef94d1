package ic

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	agent "github.com/aviate-labs/agent-go"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
)

// install creates a canister next to one and installs a module in it.
func install(t testing.TB, c *client.Client, near principal.Principal, module []byte) principal.Principal {
	t.Helper()
	var made management.Canister
	manage(t, c, near, "provisional_create_canister_with_cycles", management.Create{}, &made)
	manage(t, c, made.ID, "install_code", management.Install{
		Mode: management.InstallMode{Install: &candid.Null{}}, Canister: made.ID, Module: module, Arg: []byte("DIDL\x00\x00"),
	})
	return made.ID
}

func manage(t testing.TB, c *client.Client, effective principal.Principal, method string, arg any, reply ...any) {
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

// fixture is a Motoko canister (test/canistertest/fixtures).
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	module, err := os.ReadFile(filepath.Join("..", "..", "test", "canistertest", "fixtures", name))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// dialNode speaks to a node with a key that comes from the name.
func dialNode(t testing.TB, address, name string) *client.Client {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	c, err := client.Dial(t.Context(), address, client.WithKey(ed25519.NewKeyFromSeed(seed[:])))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func wantNumber(t testing.TB, reply []byte, err error, want uint64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var got candid.Nat
	if err := candid.Unmarshal(reply, &got); err != nil || got.String() != strconv.FormatUint(want, 10) {
		t.Errorf("got %v (%v), want %d", got, err, want)
	}
}

var none = []byte("DIDL\x00\x00") // no Candid values

func TestACanisterIsCreatedInstalledCalledAndQueried(t *testing.T) {
	for name, subnets := range map[string][]replica.SubnetConfig{
		"one subnet":          {{Kind: replica.Application}},
		"NNS and application": {{Kind: replica.NNS}, {Kind: replica.Application}},
	} {
		t.Run(name, func(t *testing.T) {
			r, address := startNode(t, subnets...)
			c := dialNode(t, address, "alice")
			counter := install(t, c, r.Driver.View().DefaultCanister(), fixture(t, "counter.wasm"))
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

// withSection is the module with a custom section more.
func withSection(module []byte, name, content string) []byte {
	payload := append([]byte{byte(len(name))}, name...)
	payload = append(payload, content...)
	return append(append(bytes.Clone(module), 0, byte(len(payload))), payload...)
}

func TestAPrivateSectionOfARealModuleIsForItsControllers(t *testing.T) {
	r, address := startNode(t, replica.SubnetConfig{})
	alice, bob := dialNode(t, address, "alice"), dialNode(t, address, "bob")
	module := withSection(withSection(fixture(t, "counter.wasm"), "icp:private hidden", "secret"), "icp:public seen", "open")
	counter := install(t, alice, r.Driver.View().DefaultCanister(), module)
	if text, ok, err := alice.Metadata(t.Context(), counter, "hidden"); err != nil || !ok || text != "secret" {
		t.Errorf("the controller reads %q, %t, %v", text, ok, err)
	}
	if text, ok, err := bob.Metadata(t.Context(), counter, "seen"); err != nil || !ok || text != "open" {
		t.Errorf("everybody reads %q, %t, %v", text, ok, err)
	}
	_, _, err := bob.Metadata(t.Context(), counter, "hidden")
	if refused, ok := errors.AsType[*client.HTTPError](err); !ok || refused.Status != http.StatusForbidden {
		t.Errorf("somebody else reads: %v", err)
	}
}

func TestARealSubnetCreatesCanistersBySubnetId(t *testing.T) {
	r, address := startNode(t, replica.SubnetConfig{Kind: replica.NNS}, replica.SubnetConfig{})
	alice := dialNode(t, address, "alice")
	arg, err := candid.Marshal(management.Create{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Driver.View().Subnets {
		draft := wire.NewCall(principal.Management, "provisional_create_canister_with_cycles", arg)
		draft.IngressExpiry = uint64(time.Now().Add(4 * time.Minute).UnixNano())
		signed := sign(t, draft, identity(t, "alice"))
		answer, err := wire.DecodeCallResponse(body(t, post(t, New(r, Info{}), subnetURL("v4", s.ID, "call"), signed.Body)))
		if err != nil || answer.Certificate == nil {
			t.Fatalf("%+v, %v", answer, err)
		}
		tree, err := alice.ReadSubnetState(t.Context(), s.ID, certify.RequestStatusPath(signed.ID))
		if err != nil {
			t.Fatal(err)
		}
		reply, _ := tree.Lookup(certify.RequestStatusPath(signed.ID, "reply")...)
		var made management.Canister
		if err := candid.Unmarshal(reply, &made); err != nil || !s.Ranges.Contains(made.ID) {
			t.Errorf("created %s, %v, which is not of subnet %s", made.ID, err, s.ID)
		}
	}
}

// realCall is a call as the named user that expires soon.
func realCall(t *testing.T, user string, canister principal.Principal, method string) wire.Signed {
	t.Helper()
	draft := wire.NewCall(canister, method, none)
	draft.IngressExpiry = uint64(time.Now().Add(4 * time.Minute).UnixNano())
	return sign(t, draft, identity(t, user))
}

func TestARealRequestIsHiddenFromOthersAndKnownTheSecondTime(t *testing.T) {
	r, address := startNode(t, replica.SubnetConfig{})
	alice, bob := dialNode(t, address, "alice"), dialNode(t, address, "bob")
	counter := install(t, alice, r.Driver.View().DefaultCanister(), fixture(t, "counter.wasm"))
	signed := realCall(t, "alice", counter, "inc")
	h := New(r, Info{})
	for _, version := range []string{"v4", "v4", "v3"} {
		answer, err := wire.DecodeCallResponse(body(t, post(t, h, canisterURL(version, counter, "call"), signed.Body)))
		if err != nil || answer.Certificate == nil {
			t.Fatalf("%s: %+v, %v", version, answer, err)
		}
	}
	if w := post(t, h, canisterURL("v2", counter, "call"), signed.Body); w.Code != http.StatusAccepted {
		t.Errorf("asynchronous: status %d: %s", w.Code, w.Body)
	}
	reply, err := alice.Query(t.Context(), counter, counter, "get", none)
	wantNumber(t, reply, err, 1)
	path := certify.RequestStatusPath(signed.ID)
	tree, err := alice.ReadState(t.Context(), counter, path)
	if err != nil {
		t.Fatal(err)
	}
	wantLookup(t, tree, certify.Found, certify.RequestStatusPath(signed.ID, "reply"))
	_, err = bob.ReadState(t.Context(), counter, path)
	if refused, ok := errors.AsType[*client.HTTPError](err); !ok || refused.Status != http.StatusForbidden {
		t.Errorf("somebody else reads: %v", err)
	}
}

func TestARealNodeRefusesWithStatusAndText(t *testing.T) {
	r, address := startNode(t, replica.SubnetConfig{})
	alice := dialNode(t, address, "alice")
	near := r.Driver.View().DefaultCanister()
	counter := install(t, alice, near, fixture(t, "counter.wasm"))
	h := New(r, Info{})
	about, err := candid.Marshal(management.Canister{ID: counter})
	if err != nil {
		t.Fatal(err)
	}
	status := wire.NewCall(principal.Management, "canister_status", about)
	status.IngressExpiry = uint64(time.Now().Add(4 * time.Minute).UnixNano())
	elsewhere := principal.Canister(mustNumber(t, counter) + 1)
	wantRefusal(t, post(t, h, canisterURL("v4", elsewhere, "call"), sign(t, status, identity(t, "alice")).Body), 400, "canister_status")
	absent := realCall(t, "alice", elsewhere, "inc")
	answer, err := wire.DecodeCallResponse(body(t, post(t, h, canisterURL("v4", elsewhere, "call"), absent.Body)))
	if err != nil || answer.Rejection == nil || answer.Rejection.ErrorCode != "IC0301" {
		t.Errorf("a canister that is not there: %+v, %v", answer, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, post(t, h, canisterURL("v4", counter, "call"), realCall(t, "alice", counter, "inc").Body), 503, "not running")
}

func mustNumber(t *testing.T, id principal.Principal) uint64 {
	t.Helper()
	n, ok := id.CanisterNumber()
	if !ok {
		t.Fatalf("%s is no canister id", id)
	}
	return n
}

func TestManyClientsOfARealNodeLeaveNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("clients", func(t *testing.T) {
		r, address := startNode(t, replica.SubnetConfig{Kind: replica.NNS}, replica.SubnetConfig{})
		alice := dialNode(t, address, "alice")
		counter := install(t, alice, r.Driver.View().DefaultCanister(), fixture(t, "counter.wasm"))
		done := make(chan error)
		for i := range 8 {
			c := dialNode(t, address, strconv.Itoa(i))
			go func() {
				_, err := c.Call(t.Context(), counter, counter, "inc", none)
				if err == nil {
					_, err = c.Query(t.Context(), counter, counter, "get", none)
				}
				done <- err
			}()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		ctx, kill := context.WithCancel(t.Context())
		go kill()
		_, _ = alice.Call(ctx, counter, counter, "inc", none)
		old := newAgent(t, address, agent.WithLegacyAPI())
		if _, err := old.CallRaw(agentID(counter), "inc", none); err != nil {
			t.Errorf("the old endpoints: %v", err)
		}
	})
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
