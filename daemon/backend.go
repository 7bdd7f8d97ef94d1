package daemon

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// maxViewAge is how old a view may be that is shown: an idle network makes no
// rounds, but clients take old certificates for forged ones (agents: 5 minutes).
const maxViewAge = time.Second

// viewPatience is how long somebody who asks for a view waits for a newer one:
// while a canister writes gigabytes the last one is shown, as old as it is.
const viewPatience = 50 * time.Millisecond

// queryTime is how long a composite query may take before it makes no more calls
// (the replica's: 10 seconds).
const queryTime = 10 * time.Second

// backend is a node as the front ends see it. It brings the wall clock in: time
// moves before a request is looked at.
type backend struct {
	node   *node.Node
	pacing atomic.Uint32 // a Pacing
	clock  *clock

	renewing atomic.Bool // somebody waits for a newer view; one at a time is enough
}

func (b *backend) paced() Pacing { return Pacing(b.pacing.Load()) }

// Clock is the time requests expire by: that of the instance's clock, or of the network
// where that is paced by hand, or just moved ahead.
func (b *backend) Clock() api.Clock {
	at, wall := b.node.View().Time, b.clock.wallNow()
	if b.paced() != Manual {
		at = max(at, wall+uint64(b.clock.offset.Load()))
	}
	return api.Clock{Now: at, Wall: wall}
}

// View is the last view, or a new one where that is too old to be believed and a
// new one is to be had soon.
func (b *backend) View() api.View {
	v := b.node.View()
	if b.paced() == Auto && v.Time+uint64(maxViewAge) < b.clock.now() {
		b.renew()
		v = b.node.View()
	}
	return api.Show(v)
}

// renew makes a round for the view it ends with.
func (b *backend) renew() {
	if !b.renewing.CompareAndSwap(false, true) {
		return
	}
	defer b.renewing.Store(false)
	ctx, cancel := context.WithTimeout(context.Background(), viewPatience)
	defer cancel()
	// Out of patience or stopped: either way the last view is what there is.
	if err := b.advance(ctx); err == nil {
		_, _ = b.node.Round(ctx)
	}
}

// advance moves the network's time to the clock's.
func (b *backend) advance(ctx context.Context) error {
	if b.paced() == Manual {
		return nil
	}
	return refused(b.node.Do(ctx, func(n *replica.Network) {
		if b.paced() != Manual { // still
			n.Apply(replica.AdvanceTo(b.clock.now()))
		}
	}))
}

// refused has what a stopped node says refuse the request.
func refused(err error) error {
	if errors.Is(err, node.ErrClosed) {
		return stopped{err}
	}
	return err
}

// stopped is node.ErrClosed, and a refusal.
type stopped struct{ error }

// Unwrap is what the node says, and the refusal.
func (s stopped) Unwrap() []error {
	return []error{s.error, refusal.New(refusal.Unavailable, "%v", s.error)}
}

// Submit hands a message in.
func (b *backend) Submit(ctx context.Context, in *api.Ingress) (api.Receipt, error) {
	if err := b.advance(ctx); err != nil {
		return api.Receipt{}, err
	}
	receipt, err := b.node.Submit(ctx, in)
	if err != nil {
		return api.Receipt{}, refused(err)
	}
	return receipt, nil
}

// Await returns when the message is answered and View shows it.
func (b *backend) Await(ctx context.Context, subnet principal.Principal, id api.RequestID) error {
	return refused(b.node.Await(ctx, subnet, id))
}

// Query executes a query call.
func (b *backend) Query(ctx context.Context, q *api.Query) (api.QueryResult, error) {
	if err := b.advance(ctx); err != nil {
		return api.QueryResult{}, err
	}
	limited := *q
	begun := b.clock.wall()
	limited.Late = func() bool { return b.clock.wall().Sub(begun) >= queryTime }
	result, err := b.node.Query(ctx, &limited)
	if err != nil {
		return api.QueryResult{}, refused(err)
	}
	if result.Refusal != nil {
		return api.QueryResult{}, refused(result.Refusal)
	}
	return result, nil
}
