package ic

import (
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	agent "github.com/aviate-labs/agent-go"
	agentidentity "github.com/aviate-labs/agent-go/identity"
	agentprincipal "github.com/aviate-labs/agent-go/principal"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// agent-go is an agent that is not ours: it verifies certificates, delegations
// and query signatures by its own code.

func agentID(p principal.Principal) agentprincipal.Principal {
	return agentprincipal.Principal{Raw: p.Bytes()}
}

func newAgent(t *testing.T, address string, options ...agent.ClientOption) *agent.Agent {
	t.Helper()
	host, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	id, err := agentidentity.NewRandomEd25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Identity: id, FetchRootKey: true, PollDelay: time.Millisecond,
		ClientConfig: append([]agent.ClientOption{agent.WithHostURL(host)}, options...),
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func serve(t *testing.T, n *fakeNetwork) string {
	t.Helper()
	n.now = uint64(time.Now().UnixNano())
	n.publish()
	server := httptest.NewServer(New(n, Info{}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAgentGoBelievesEveryAnswer(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	address := serve(t, n)
	for name, a := range map[string]*agent.Agent{"new endpoints": newAgent(t, address), "old endpoints": newAgent(t, address, agent.WithLegacyAPI())} {
		for _, canister := range []principal.Principal{nnsCanister, appCanister} {
			if reply, err := a.CallRaw(agentID(canister), "f", []byte("x")); err != nil || string(reply) != "f x" {
				t.Errorf("%s: call: %q, %v", name, reply, err)
			}
			controllers, err := a.GetCanisterControllers(agentID(canister))
			if err != nil || len(controllers) != 1 || !slices.Equal(controllers[0].Raw, alice(t).Sender().Bytes()) {
				t.Errorf("%s: controllers %v, %v", name, controllers, err)
			}
			if hash, err := a.GetCanisterModuleHash(agentID(canister)); err != nil || string(hash) != "hash" {
				t.Errorf("%s: module hash %q, %v", name, hash, err)
			}
			if service, err := a.GetCanisterMetadata(agentID(canister), "candid:service"); err != nil || string(service) != "open" {
				t.Errorf("%s: metadata %q, %v", name, service, err)
			}
		}
		// Without a delegation agent-go looks the node up under mainnet's root
		// subnet, so only the application subnet's queries are for it.
		if reply, err := a.QueryRaw(agentID(appCanister), "q", []byte("y")); err != nil || string(reply) != "echo y" {
			t.Errorf("%s: query: %q, %v", name, reply, err)
		}
	}
}

func TestAgentGoReadsRejectsAndRejections(t *testing.T) {
	n := newFakeNetwork(t)
	a := newAgent(t, serve(t, n))
	n.answer = func(*api.Ingress) ([]byte, *intercanister.Reject) {
		return nil, intercanister.Rejectf(intercanister.CanisterCalledTrap, "it trapped")
	}
	if _, err := a.CallRaw(agentID(appCanister), "f", []byte{}); err == nil || !strings.Contains(err.Error(), "it trapped") {
		t.Errorf("reject: %v", err)
	}
	n.submit = func(*api.Ingress) (api.Receipt, error) {
		return api.Receipt{Reject: intercanister.Rejectf(intercanister.CanisterStopped, "it is stopped")}, nil
	}
	if _, err := a.CallRaw(agentID(appCanister), "f", []byte{}); err == nil || !strings.Contains(err.Error(), "it is stopped") {
		t.Errorf("rejection: %v", err)
	}
	n.query = func(*api.Query) (api.QueryResult, error) {
		return api.QueryResult{Reject: intercanister.Rejectf(intercanister.CanisterMethodNotFound, "no method"), Time: n.now}, nil
	}
	if _, err := a.QueryRaw(agentID(appCanister), "q", []byte{}); err == nil || !strings.Contains(err.Error(), "no method") {
		t.Errorf("reject of a query: %v", err)
	}
}

func TestAgentGoPollsForACallThatTakesLonger(t *testing.T) {
	n := newFakeNetwork(t)
	n.now = uint64(time.Now().UnixNano())
	n.publish()
	h := New(n, Info{})
	h.timeout = time.Millisecond
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	a := newAgent(t, server.URL)
	n.submit = func(in *api.Ingress) (api.Receipt, error) {
		later := *in
		go func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.answer = echo
			n.settle(&later)
		}()
		return api.Receipt{}, nil
	}
	if reply, err := a.CallRaw(agentID(appCanister), "f", []byte("x")); err != nil || string(reply) != "f x" {
		t.Errorf("%q, %v", reply, err)
	}
}
