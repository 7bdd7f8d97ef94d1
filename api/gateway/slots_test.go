package gateway

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
)

// stuck are two instances, default and lab. In lab, the canister shop answers when answers is closed; all others answer
// at once.
type stuck struct{ answers chan struct{} }

func (s stuck) Networks() []Network { return []Network{s.Network("default"), s.Network("lab")} }
func (s stuck) Network(name string) Network {
	if name == "" {
		name = "default"
	}
	return stuckNetwork{&fakeNetwork{name: name}, s}
}

type stuckNetwork struct {
	*fakeNetwork
	stuck stuck
}

func (n stuckNetwork) Backend() api.Backend { return stuckBackend{fakeBackend{n.fakeNetwork}, n.stuck} }

type stuckBackend struct {
	fakeBackend
	stuck stuck
}

func (b stuckBackend) View() api.View { return everywhere{} }

func (b stuckBackend) Query(_ context.Context, q *api.Query) (api.QueryResult, error) {
	if b.name == "lab" && q.Receiver == shop {
		<-b.stuck.answers
	}
	return api.QueryResult{Reply: encoded(canisterAnswer{Status: 200, Body: []byte("the page of " + b.name)})}, nil
}

// everywhere hosts every canister.
type everywhere struct{ fakeView }

func (everywhere) Host(principal.Principal) (principal.Principal, bool) { return subnet, true }

// pageOf asks for the page of a canister of an instance.
func pageOf(g *Gateway, canister principal.Principal, instance string) *httptest.ResponseRecorder {
	return get(g, http.MethodGet, fmt.Sprintf("http://%s.raw%s.localhost:4943/", canister, instance))
}

// crowded is a gateway with 300 requests to the canister of lab that does not answer; ended gets the answers.
func crowded() (g *Gateway, answers chan struct{}, ended chan *httptest.ResponseRecorder) {
	answers, ended = make(chan struct{}), make(chan *httptest.ResponseRecorder, 300)
	g = New(stuck{answers}, Config{})
	for range 300 {
		go func() { ended <- pageOf(g, shop, ".lab") }()
	}
	synctest.Wait()
	return g, answers, ended
}

func TestACanisterThatNeverAnswersLeavesOtherInstancesTheirPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, answers, ended := crowded()
		if w := pageOf(g, shop, ""); w.Code != http.StatusOK || w.Body.String() != "the page of default" {
			t.Errorf("the canister of the same id in another instance: %d %s", w.Code, w.Body)
		}
		if len(ended) != 300-256 {
			t.Errorf("of 300 requests %d are refused", len(ended))
		}
		const want = `CanisterBusy: The canister rrkah-fqaaa-aaaaa-aaaaq-cai of instance "lab" has 256 requests in progress, which is the most that the gateway takes for one canister.
canister: rrkah-fqaaa-aaaaa-aaaaq-cai
Try again when some of them have ended. If the instance is paced by hand, run rounds (canisterd -i lab run); otherwise see what its canisters wait for (canisterd -i lab futures).
`
		if w := <-ended; w.Code != http.StatusServiceUnavailable || w.Body.String() != want || w.Header().Get("Retry-After") != "1" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		for len(ended) > 0 {
			<-ended
		}
		close(answers)
		for range 256 {
			if w := <-ended; w.Code != http.StatusOK {
				t.Errorf("when the canister answers: %d %s", w.Code, w.Body)
			}
		}
		if len(g.slots.instances) != 0 || len(g.slots.canisters) != 0 {
			t.Errorf("after all have ended the slots are %v and %v", g.slots.instances, g.slots.canisters)
		}
	})
}

func TestACanisterThatNeverAnswersLeavesOthersOfItsInstanceTheirPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, answers, _ := crowded()
		defer close(answers)
		if w := pageOf(g, principal.Canister(2), ".lab"); w.Code != http.StatusOK || w.Body.String() != "the page of lab" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

func TestAnInstanceHas1024RequestsInProgress(t *testing.T) {
	var s slots
	release, _ := s.take("lab", principal.Canister(0))
	for i := 1; i < 1_024; i++ {
		if _, full := s.take("lab", principal.Canister(uint64(i))); full != nil {
			t.Fatalf("request %d: %s", i, full.what)
		}
	}
	_, full := s.take("lab", principal.Canister(2_000))
	if full == nil || full.status != http.StatusServiceUnavailable || full.code != "InstanceBusy" || !strings.Contains(full.what, `"lab" has 1024 requests`) {
		t.Errorf("request 1,025: %+v", full)
	}
	if _, full := s.take("default", principal.Canister(1)); full != nil {
		t.Errorf("in another instance: %s", full.what)
	}
	release()
	if _, full := s.take("lab", principal.Canister(2_000)); full != nil {
		t.Errorf("when one has ended: %s", full.what)
	}
}
