package ic

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// awaited is a node with a call that creates a canister and waits for the answer.
type awaited struct {
	running
	t      *testing.T
	subnet principal.Principal
	call   wire.Signed
	taken  func() // after the call was submitted; nil: nothing
}

func newAwaited(t *testing.T) *awaited {
	t.Helper()
	r, _ := startNode(t, replica.SubnetConfig{})
	arg, err := candid.Marshal(management.Create{})
	if err != nil {
		t.Fatal(err)
	}
	draft := wire.NewCall(principal.Management, "provisional_create_canister_with_cycles", arg)
	draft.IngressExpiry = uint64(time.Now().Add(4 * time.Minute).UnixNano())
	return &awaited{running: r, t: t, subnet: r.Driver.View().Root().ID, call: sign(t, draft, identity(t, "alice"))}
}

func (a *awaited) SubmitAwaited(ctx context.Context, in *api.Ingress) (api.Receipt, api.Pending, error) {
	receipt, pending, err := a.running.SubmitAwaited(ctx, in)
	if a.taken != nil {
		a.taken()
	}
	return receipt, pending, err
}

// byHand makes rounds run only when the test runs them.
func (a *awaited) byHand() {
	a.t.Helper()
	if err := a.SetMode(a.t.Context(), driver.Manual, false); err != nil {
		a.t.Fatal(err)
	}
}

// post makes the call for a client whose wait ends with ctx.
func (a *awaited) post(ctx context.Context, h *Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, newRequest(http.MethodPost, subnetURL("v4", a.subnet, "call"), a.call.Body).WithContext(ctx))
	return w
}

// wantReplyLater runs a round, and then reads the reply to the call.
func (a *awaited) wantReplyLater() {
	a.t.Helper()
	if _, err := a.Round(a.t.Context()); err != nil {
		a.t.Fatal(err)
	}
	tree := a.View().Certified(a.subnet).Tree()
	status, _ := tree.Get(certify.RequestStatusPath(a.call.ID, "status")...)
	if string(status.Value()) != "replied" {
		a.t.Errorf("after a round its status is %q", status.Value())
	}
}

// The network has no owner but the test when the client waits for the answer.
func TestASynchronousCallTakesTheTurnOfItsSubmissionAndNoOther(t *testing.T) {
	a := newAwaited(t)
	owned, leave, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	a.taken = func() {
		answered := func(n *replica.Network) bool { return n.IngressStatus(a.subnet, api.RequestID(a.call.ID)).Terminal() }
		if err := a.Until(t.Context(), answered); err != nil {
			t.Error(err)
		}
		go func() {
			left <- a.Do(t.Context(), func(*replica.Network) {
				close(owned)
				<-leave
			})
		}()
		<-owned
	}
	w := a.post(t.Context(), New(a, Info{}))
	close(leave)
	if err := <-left; err != nil {
		t.Fatal(err)
	}
	if answer, err := wire.DecodeCallResponse(body(t, w)); err != nil || answer.Certificate == nil {
		t.Errorf("status %d, %+v, %v", w.Code, answer, err)
	}
}

func TestTheAnswerToACallThatTookTooLongIsReadLater(t *testing.T) {
	a := newAwaited(t)
	a.byHand()
	h := New(a, Info{})
	h.timeout = time.Millisecond // no round ends it
	if w := a.post(t.Context(), h); w.Code != http.StatusAccepted || w.Body.Len() != 0 {
		t.Errorf("status %d, body %q", w.Code, w.Body)
	}
	a.wantReplyLater()
}

func TestADuplicateIsAcceptedAtOnceWhileTheFirstCallWaits(t *testing.T) {
	a := newAwaited(t)
	a.byHand()
	submitted, first := make(chan struct{}), make(chan *httptest.ResponseRecorder, 1)
	a.taken = func() { close(submitted) }
	h := New(a, Info{})
	h.timeout = time.Hour // not what ends it
	go func() { first <- a.post(t.Context(), h) }()
	eventually.Receive(t, "the first call is submitted", submitted)
	a.taken = nil
	if w := a.post(t.Context(), h); w.Code != http.StatusAccepted || w.Body.Len() != 0 {
		t.Errorf("the duplicate: status %d, body %q", w.Code, w.Body)
	}
	a.wantReplyLater()
	w := eventually.Receive(t, "the first call is answered", first)
	if answer, err := wire.DecodeCallResponse(body(t, w)); err != nil || answer.Certificate == nil {
		t.Errorf("the first call: status %d, %+v, %v", w.Code, answer, err)
	}
}

func TestAClientThatLeavesARealNodeLeavesNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("client", func(t *testing.T) {
		a := newAwaited(t)
		a.byHand()
		ctx, leave := context.WithCancel(t.Context())
		a.taken = leave
		h := New(a, Info{})
		h.timeout = time.Hour // not what ends it
		a.post(ctx, h)
		a.wantReplyLater()
	})
}
