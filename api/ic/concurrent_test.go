package ic

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
)

func TestManyClientsAtOnceGetTheirOwnAnswers(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	h := New(n, Info{})
	var clients sync.WaitGroup
	for client := range 16 {
		clients.Go(func() {
			id := identity(t, fmt.Sprint(client))
			arg := fmt.Appendf(nil, "%d", client)
			call := sign(t, wire.NewCall(appCanister, "f", arg), id)
			w := post(t, h, canisterURL("v4", appCanister, "call"), call.Body)
			wantReply(t, w, call.ID, "f "+string(arg))
			query := sign(t, wire.NewQuery(nnsCanister, "q", arg), id)
			w = post(t, h, canisterURL("v3", nnsCanister, "query"), query.Body)
			if r := wantSigned(t, n.nns, body(t, w), query.ID); string(r.Reply) != "echo "+string(arg) {
				t.Errorf("client %d: %q", client, r.Reply)
			}
			w = post(t, h, canisterURL("v3", appCanister, "read_state"), readState(t, id, certify.RequestStatusPath(call.ID)).Body)
			if w.Code != http.StatusOK {
				t.Errorf("client %d: status %d: %s", client, w.Code, w.Body)
			}
		})
	}
	clients.Wait()
}

// wantReply is wantOutcome without the fake's view, which moves on meanwhile.
func wantReply(t *testing.T, w *httptest.ResponseRecorder, id wire.RequestID, want string) {
	t.Helper()
	answer, err := wire.DecodeCallResponse(body(t, w))
	if err != nil || answer.Certificate == nil {
		t.Errorf("status %d, %+v, %v", w.Code, answer, err)
		return
	}
	c, err := certify.DecodeCertificate(answer.Certificate)
	if err != nil {
		t.Error(err)
		return
	}
	if got, _ := c.Tree.Lookup(certify.RequestStatusPath(id, "reply")...); string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheSameCallFromManyClientsIsAnsweredOrAccepted(t *testing.T) {
	n := newFakeNetwork(t)
	var first sync.Once
	n.submit = func(*api.Ingress) (api.Receipt, error) {
		receipt := api.Receipt{Known: replica.Received}
		first.Do(func() { receipt.Known = 0 })
		return receipt, nil
	}
	n.answer = echo
	h := New(n, Info{})
	call := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			w := post(t, h, canisterURL("v4", appCanister, "call"), call.Body)
			if w.Code != http.StatusOK && w.Code != http.StatusAccepted {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		})
	}
	clients.Wait()
}

func TestAKilledClientLeavesNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t)
	n := newFakeNetwork(t)
	submitted := make(chan struct{})
	n.submit = func(*api.Ingress) (api.Receipt, error) { close(submitted); return api.Receipt{}, nil }
	ended := make(chan struct{})
	h := New(n, Info{})
	h.timeout = time.Hour // not what ends it
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		close(ended)
	}))
	defer server.Close()
	ctx, kill := context.WithCancel(t.Context())
	call := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+canisterURL("v4", appCanister, "call"), bytes.NewReader(call.Body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/cbor")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	go func() {
		<-submitted
		kill()
	}()
	if resp, err := (&http.Client{Transport: transport}).Do(r); err == nil {
		_ = resp.Body.Close()
		t.Error("the killed client got an answer")
	}
	eventually.Receive(t, "the handler waits no longer for a client that is gone", ended)
	if n.waiting != 0 {
		t.Errorf("%d still wait", n.waiting)
	}
}
