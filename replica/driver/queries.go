package driver

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
)

// inspect runs canister_inspect_message in a query slot. The error is errEvicted if it must be prepared and run again.
func (d *Driver) inspect(slot *querySlot, inspection *replica.Inspection) (reject *intercanister.Reject, err error) {
	defer slot.release()
	defer func() {
		if failed := contain.Recovered(recover()); failed != nil {
			err = d.queryFailed(failed)
		}
	}()
	if err := slot.acquire(); err != nil {
		inspection.Discard()
		return nil, err
	}
	reject = inspection.Run(slot.turns())
	return reject, slot.err
}

// query is a prepared query. PreparedQuery is nil if its caller was gone before.
type query struct {
	*replica.PreparedQuery
	generation *generation
	method     string
}

// Query runs a query on the current state. If ctx ends, a running query ends at the end of its slice.
func (d *Driver) Query(ctx context.Context, q *replica.Query) (replica.QueryResult, error) {
	slot := d.slotFor(ctx, q.Receiver, q.Sender)
	for {
		result, err := d.query(slot, q)
		if err != errEvicted || !slot.evicted() {
			return result, err
		}
	}
}

// query prepares and runs a query. The error is errEvicted if it must begin again.
func (d *Driver) query(slot *querySlot, q *replica.Query) (replica.QueryResult, error) {
	ctx := slot.ctx
	if err := slot.acquire(); err != nil {
		slot.release()
		return replica.QueryResult{}, err
	}
	prepared := make(chan query, 1)
	prepare := func(d *Driver) {
		d.clockOnly = true
		p := d.network.PrepareQuery(q)
		if ctx.Err() != nil {
			p.Discard()
			p = nil
		} else {
			d.generation.queries.Add(1)
		}
		prepared <- query{p, d.generation, q.Method}
	}
	if done, err := d.inline(prepare, nil); err != nil {
		slot.release()
		return replica.QueryResult{}, err
	} else if done {
		return d.runQuery(slot, <-prepared)
	}
	slot.yield() // the owner may be busy for long, and other instances share the slots
	r, err := d.send(ctx, prepare)
	if err != nil {
		slot.release()
		return replica.QueryResult{}, err
	}
	if err := d.wait(ctx, r); err != nil {
		go d.contained(func() { d.abandon(slot, prepared) })
		return replica.QueryResult{}, err
	}
	return d.runQuery(slot, <-prepared)
}

// abandon releases the slot and the state of a query whose caller is gone.
func (d *Driver) abandon(slot *querySlot, prepared <-chan query) {
	defer slot.release()
	select {
	case p := <-prepared:
		p.discard()
	case <-d.ended:
		select {
		case p := <-prepared:
			p.discard()
		default:
		}
	}
}

// discard releases the state of a query that will not run.
func (q *query) discard() {
	if q.PreparedQuery != nil {
		q.Discard()
		q.generation.queries.Done()
	}
}

// runQuery runs a prepared query on its own goroutine, so that the caller does not wait for the
// end of a slice if ctx ends.
func (d *Driver) runQuery(slot *querySlot, q query) (replica.QueryResult, error) {
	ctx := slot.ctx
	if q.PreparedQuery == nil {
		slot.release()
		return replica.QueryResult{}, ctx.Err()
	}
	done := make(chan replica.QueryResult, 1)
	failed := make(chan error, 1)
	q.SetTurns(slot.turns())
	q.Through(func(do func()) error {
		slot.yield()
		winding := func(d *Driver) { d.clockOnly = true; do() }
		if err := d.askUnsettled(context.Background(), winding); err != nil {
			return err
		}
		return slot.acquire()
	})
	go func() {
		defer q.generation.queries.Done()
		defer func() {
			if err := contain.Recovered(recover()); err != nil {
				failed <- d.queryFailed(err)
			}
		}()
		result, err := slot.run(q.PreparedQuery)
		if err != nil {
			failed <- err
			return
		}
		q.generation.counts.add(&result)
		d.countQuery(q.method, &result)
		done <- result
	}()
	select {
	case result := <-done:
		return result, d.Settle(ctx)
	case err := <-failed:
		return replica.QueryResult{}, err
	case <-ctx.Done():
		return replica.QueryResult{}, ctx.Err()
	}
}

// queryFailed returns the error of a query that panicked. A bug affects this query alone. A damaged page file stops the
// driver, because no message of the canister could be executed either.
func (d *Driver) queryFailed(cause error) error {
	if bug, ok := errors.AsType[*contain.Bug](cause); ok {
		return fmt.Errorf("a query failed by a bug: %v\n%s", bug.Panic, bug.Stack)
	}
	d.Fail(cause)
	return d.stopped()
}

// run runs a prepared query in the slot.
func (q *querySlot) run(prepared *replica.PreparedQuery) (replica.QueryResult, error) {
	defer q.release()
	if err := q.acquire(); err != nil {
		prepared.Discard()
		return replica.QueryResult{}, err
	}
	result := prepared.Run()
	return result, q.err
}
