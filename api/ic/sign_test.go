package ic

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
)

func TestOneSignatureServesAllCallsThatWaitForOne(t *testing.T) {
	const clients = 64
	calls := make([]wire.Signed, clients)
	for i := range calls {
		calls[i] = sign(t, wire.NewCall(appCanister, "f", fmt.Appendf(nil, "%d", i)), alice(t))
	}
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork(t)
		n.answer = echo
		together := barrier{waiting: clients, open: make(chan struct{})}
		h := New(together.before(n), Info{})
		var all sync.WaitGroup
		for i, call := range calls {
			all.Go(func() {
				wantReply(t, post(t, h, canisterURL("v4", appCanister, "call"), call.Body), call.ID, fmt.Sprintf("f %d", i))
			})
		}
		all.Wait()
		// The leader of the first group may find no call on its way just before the others join.
		if got := n.signatures.Load(); got > 2 {
			t.Errorf("%d calls that were there at once took %d signatures", clients, got)
		}
	})
}

// barrier lets calls into a network once all of them are there.
type barrier struct {
	api.Backend
	waiting int64
	arrived atomic.Int64
	open    chan struct{}
}

func (b *barrier) before(n *fakeNetwork) *barrier {
	b.Backend = n
	return b
}

func (b *barrier) SubmitAwaited(ctx context.Context, in *api.Ingress) (api.Receipt, api.Pending, error) {
	if b.arrived.Add(1) == b.waiting {
		close(b.open)
	}
	<-b.open
	return b.Backend.SubmitAwaited(ctx, in)
}

func TestAClientThatIsAloneWaitsForNoOtherCall(t *testing.T) {
	call := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork(t)
		n.answer = echo
		begun := time.Now()
		wantReply(t, post(t, New(n, Info{}), canisterURL("v4", appCanister, "call"), call.Body), call.ID, "f ")
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("the call waited for %v", waited)
		}
	})
}

func TestASignatureWaitsForSlowCallsAtMostTwoMilliseconds(t *testing.T) {
	quick := sign(t, wire.NewCall(appCanister, "f", []byte("quick")), alice(t))
	slow := sign(t, wire.NewCall(appCanister, "f", []byte("slow")), alice(t))
	for takes, want := range map[time.Duration]time.Duration{
		time.Minute:            2 * time.Millisecond,
		220 * time.Microsecond: 300 * time.Microsecond, // it looks every 100 µs
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newFakeNetwork(t)
			n.answer = echo
			h := New(&slowBackend{n, takes}, Info{})
			var both sync.WaitGroup
			both.Go(func() { post(t, h, canisterURL("v4", appCanister, "call"), slow.Body) })
			synctest.Wait() // the slow call is on its way
			begun := time.Now()
			wantReply(t, post(t, h, canisterURL("v4", appCanister, "call"), quick.Body), quick.ID, "f quick")
			if waited := time.Since(begun); waited != want {
				t.Errorf("the call waited for %v for one that takes %v, want %v", waited, takes, want)
			}
			both.Wait()
		})
	}
}

func TestManyOpenCallsOfOneClientDelayAnotherClientOnlyUntilItsSignature(t *testing.T) {
	const open = 64
	bodies := make([][]byte, open)
	for i := range bodies {
		bodies[i] = sign(t, wire.NewCall(appCanister, "f", []byte("slow")), alice(t)).Body
	}
	other := sign(t, wire.NewCall(appCanister, "f", []byte("quick")), identity(t, "bob"))
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNetwork(t)
		n.answer = echo
		h := New(&slowBackend{n, time.Minute}, Info{})
		var all sync.WaitGroup
		for _, body := range bodies {
			all.Go(func() { post(t, h, canisterURL("v4", appCanister, "call"), body) })
		}
		synctest.Wait() // all of them are on their way
		begun := time.Now()
		wantReply(t, post(t, h, canisterURL("v4", appCanister, "call"), other.Body), other.ID, "f quick")
		if waited := time.Since(begun); waited > MaxSignDelay {
			t.Errorf("the other client waited for %v", waited)
		}
		all.Wait()
	})
}

// slowBackend takes its time to take in a call whose argument is "slow".
type slowBackend struct {
	*fakeNetwork
	takes time.Duration
}

func (s *slowBackend) SubmitAwaited(ctx context.Context, in *api.Ingress) (api.Receipt, api.Pending, error) {
	if string(in.Arg) == "slow" {
		time.Sleep(s.takes) // in a bubble
	}
	return s.fakeNetwork.SubmitAwaited(ctx, in)
}

func TestACallWhoseAnswerTheNewestViewLostIsCertifiedByItsOwnView(t *testing.T) {
	n := newFakeNetwork(t)
	n.answer = echo
	call := sign(t, wire.NewCall(appCanister, "f", nil), alice(t))
	// The views are: where the call goes, what it is answered from, and what is signed.
	before := n.View()
	h := New(&restoredBackend{fakeNetwork: n, views: []api.View{before, nil, before}}, Info{})
	w := post(t, h, canisterURL("v4", appCanister, "call"), call.Body)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d", w.Code)
	}
	wantReply(t, w, call.ID, "f ")
}

// restoredBackend shows one view after the other; nil stands for the network's own.
type restoredBackend struct {
	*fakeNetwork
	views []api.View
}

func (r *restoredBackend) View() api.View {
	v := r.views[0]
	r.views = r.views[1:]
	if v == nil {
		return r.fakeNetwork.View()
	}
	return v
}
