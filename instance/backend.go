package instance

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// maxViewAge is the largest age of a view that is shown: an idle network makes no rounds, but clients take old
// certificates for forged ones (agents: 5 minutes).
const maxViewAge = time.Second

// viewPatience is how long a request for a view waits for a newer one: while a canister writes gigabytes, the last view
// is shown, however old.
const viewPatience = 50 * time.Millisecond

// queryTime is how long a composite query may run before it makes no more calls (the replica: 10 seconds).
const queryTime = 10 * time.Second

// Backend is an instance as its users see it: the driver, with the wall clock applied. Time moves before a request is
// read.
type Backend struct {
	driver  *driver.Driver
	pacing  atomic.Pointer[Pacing] // the current one
	clock   *clock
	arrival driver.Clock // of messages: clock, while the pacing has the time of the wall clock

	renewing atomic.Bool // a request waits for a newer view; one at a time is enough
}

// Times is one moment on two clocks, in nanoseconds since 1970.
type Times struct {
	Now  uint64 // the network's own time
	Wall uint64 // the wall clock; requests of clients that know no other time expire by it
}

// Clock returns the time by which requests expire: the instance's clock, or the network's time if it is paced by
// hand or was just moved ahead.
func (b *Backend) Clock() Times {
	at, wall := b.driver.Time(), b.clock.wallNow()
	if b.pacing.Load().TimeByWallClock() {
		at = max(at, b.clock.at(wall)) // one reading, so that both times match
	}
	return Times{Now: at, Wall: wall}
}

// View returns the last view that no crash undoes. If it is too old and a new one can be made soon, View returns that.
// It shows everything that clients were told. If the disk of an instance fails, View returns the last view that was on
// it.
func (b *Backend) View() *replica.View {
	oldest := uint64(0)
	if pacing := b.pacing.Load(); modes[pacing.Mode].rounds == byDriver && pacing.TimeByWallClock() {
		now := b.clock.now()
		oldest = now - min(now, uint64(maxViewAge))
		if b.driver.Time() < oldest {
			b.renew()
		}
	}
	view, _ := b.driver.SettledView(context.Background(), oldest)
	return view
}

func newBackend(d *driver.Driver, c *clock) *Backend {
	b := &Backend{driver: d, clock: c}
	b.arrival = func() (uint64, bool) {
		moves := b.pacing.Load().TimeByWallClock()
		return c.now(), moves
	}
	return b
}

// renew makes a round to get a new view.
func (b *Backend) renew() {
	if !b.renewing.CompareAndSwap(false, true) {
		return
	}
	defer b.renewing.Store(false)
	ctx, cancel := context.WithTimeout(context.Background(), viewPatience)
	defer cancel()
	// Out of patience or stopped: the last view has to do.
	if err := b.advance(ctx); err == nil {
		_, _ = b.driver.Round(ctx)
	}
}

// advance moves the network's time to the time of the clock.
func (b *Backend) advance(ctx context.Context) error {
	if !b.pacing.Load().TimeByWallClock() {
		return nil
	}
	return refused(b.driver.AdvanceClock(ctx, b.arrival))
}

// refused turns the error of a stopped driver into a refusal.
func refused(err error) error {
	if errors.Is(err, driver.ErrClosed) {
		return stopped{err}
	}
	return err
}

// stopped is both driver.ErrClosed and a refusal.
type stopped struct{ error }

// Unwrap returns the error of the driver, and the refusal.
func (s stopped) Unwrap() []error {
	return []error{s.error, refusal.New(refusal.Unavailable, "%v", s.error)}
}

// Submit submits a message.
func (b *Backend) Submit(ctx context.Context, in *replica.Ingress) (replica.Receipt, error) {
	receipt, err := b.SubmitAhead(ctx, in)
	if err == nil {
		err = b.Settle(ctx)
	}
	return receipt, err
}

// Settle returns when no crash can undo what happened before the call.
func (b *Backend) Settle(ctx context.Context) error { return refused(b.driver.Settle(ctx)) }

// SubmitAhead submits a message for a client that hears nothing of it before Await or Settle returns: until then a
// crash may undo it.
func (b *Backend) SubmitAhead(ctx context.Context, in *replica.Ingress) (replica.Receipt, error) {
	receipt, err := b.driver.SubmitAhead(ctx, in, b.arrival)
	if err != nil {
		return replica.Receipt{}, refused(err)
	}
	return receipt, nil
}

// Pending is an accepted message, with its client's place among those who wait for the answer.
type Pending struct{ driver.Pending }

// SubmitAwaited is SubmitAhead for a client that then waits for the answer. If the message is accepted, Pending.Answer
// must be called once.
func (b *Backend) SubmitAwaited(ctx context.Context, in *replica.Ingress) (replica.Receipt, Pending, error) {
	receipt, pending, err := b.driver.SubmitAwaited(ctx, in, b.arrival)
	return receipt, Pending{pending}, refused(err)
}

// Answer returns the answer to the message when it is there and View shows it. ctx ends no later than that of
// SubmitAwaited.
func (p Pending) Answer(ctx context.Context) (replica.IngressAnswer, error) {
	answer, err := p.Pending.Answer(ctx)
	return answer, refused(err)
}

// Await returns when the message is answered and View shows it.
func (b *Backend) Await(ctx context.Context, subnet principal.Principal, id replica.RequestID) error {
	return refused(b.driver.Await(ctx, subnet, id))
}

// Delivered says that a client has the answer to a message, which has so many bytes.
func (b *Backend) Delivered(subnet principal.Principal, id replica.RequestID, bytes int) {
	b.driver.Delivered(subnet, id, bytes)
}

// Query executes a query call.
func (b *Backend) Query(ctx context.Context, q *replica.Query) (replica.QueryResult, error) {
	if err := b.advance(ctx); err != nil {
		return replica.QueryResult{}, err
	}
	limited := *q
	begun := b.clock.wall()
	limited.Late = func() bool { return b.clock.wall().Sub(begun) >= queryTime }
	result, err := b.driver.Query(ctx, &limited)
	if err != nil {
		return replica.QueryResult{}, refused(err)
	}
	if result.Refusal != nil {
		return replica.QueryResult{}, refused(result.Refusal)
	}
	return result, nil
}
