package canister

import (
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
)

// QueryTarget is the state of a canister when it was prepared, for queries on any goroutine while the canister itself
// goes on. It must be released.
type QueryTarget struct {
	canister Canister // its settings and balances at that time
	state    *state
	view     *runner
	inPlace  bool // view is the runner of the canister
}

// PrepareQuery retains the last committed state. It rejects an empty canister (IC0537), and may be called while a
// message of the canister is paused.
func (c *Canister) PrepareQuery() (*QueryTarget, *intercanister.Reject) {
	s := c.state
	if s == nil {
		return nil, moduleNotFound().reject(c.ID)
	}
	view, err := s.view()
	if err != nil {
		return nil, engineFailed(err).reject(c.ID)
	}
	q := &QueryTarget{canister: *c, state: s, view: view}
	q.canister.state = nil
	return q, nil
}

// QueryInPlace is a cheaper PrepareQuery without a view: a query runs on the memories of the canister itself, and is
// undone. The target can run everything except composite queries, on the goroutine of the canister, until its next
// message begins. No message may be paused.
func (c *Canister) QueryInPlace() (*QueryTarget, *intercanister.Reject) {
	s := c.state
	if s == nil {
		return nil, moduleNotFound().reject(c.ID)
	}
	q := &QueryTarget{canister: *c, state: s, view: s.loadedRunner(), inPlace: true}
	q.canister.state = nil
	return q, nil
}

// Module returns the module whose code runs.
func (q *QueryTarget) Module() *Module { return q.state.module }

// Run runs a query, a transform or inspect_message on the state and changes nothing. A composite query and its
// callbacks see what earlier runs on the target changed. A callback that fails changes nothing; its cleanup closure,
// run in CompositeCleanup, may.
func (q *QueryTarget) Run(sub *Subnet, m *Message) Outcome {
	c, v := &q.canister, q.view
	entry, missing := v.entry(m)
	if missing != nil {
		return Outcome{Failure: missing.reject(c.ID)}
	}
	limit := limitOf(&sub.Limits, m.Context)
	a := attempt{context: m.Context, entry: entry, limit: limit, report: limit, pause: m.Pause, after: sub.Limits.PauseAfter, canceled: m.Canceled}
	var out Outcome
	switch m.Context {
	case CompositeReply, CompositeReject:
		out = q.callback(sub, m, &a)
	case CompositeQuery:
		out = q.attempt(sub, m, &a)
	default:
		out = q.attempt(sub, m, &a)
		v.rollback()
	}
	q.state.module.countCalls(q.canister.ID, sub, m, &out)
	out.Runs = v.takeRuns()
	v.forget()
	return out
}

// attempt runs a function and returns its outcome.
func (q *QueryTarget) attempt(sub *Subnet, m *Message, a *attempt) Outcome {
	c := &q.canister
	res := q.view.run(c, &c.Logs, sub, m, a)
	x := q.view.x
	out := Outcome{Instructions: res.instructions}
	switch {
	case res.failure != nil:
		out.Failure, out.Backtrace, out.Lines = res.failure.reject(c.ID), res.failure.frames(), res.failure.lines
	case m.Context == InspectMessage && !x.Admitted:
		out.Failure = rejection(intercanister.CanisterRejectedMessage, "Error from Canister "+c.ID.String()+": Canister rejected the message")
	default:
		out.Response, out.Calls, out.AcceptedIngress = x.Response, x.Calls, x.Admitted
	}
	return out
}

// callback runs a callback of a composite query. If it fails, its changes are undone, and its cleanup closure runs with
// the remaining instructions.
func (q *QueryTarget) callback(sub *Subnet, m *Message, a *attempt) Outcome {
	c, v := &q.canister, q.view
	if err := v.hold(); err != nil {
		return Outcome{Failure: engineFailed(err).reject(c.ID)}
	}
	res := v.run(c, &c.Logs, sub, m, a)
	if res.failure == nil {
		return Outcome{Instructions: res.instructions, Response: v.x.Response, Calls: v.x.Calls}
	}
	out := Outcome{Instructions: res.instructions, Failure: res.failure.reject(c.ID), Backtrace: res.failure.frames(), Lines: res.failure.lines}
	if err := v.revert(); err != nil {
		out.Failure = engineFailed(err).reject(c.ID)
		return out
	}
	if m.Cleanup == nil {
		return out
	}
	a.context, a.entry = CompositeCleanup, wasm.Entry{Fn: m.Cleanup.Fn, Env: m.Cleanup.Env}
	a.limit -= res.instructions
	a.report = a.limit
	cleanup := v.run(c, &c.Logs, sub, m, a)
	out.Instructions += cleanup.instructions
	if out.Cleaned = cleanup.failure == nil; !out.Cleaned {
		out.Failure = joined(c.ID, res.failure, cleanup.failure)
	}
	return out
}

// hold records the memories of a view, and revert restores them.
func (r *runner) hold() error {
	if err := r.stable.Hold(); err != nil {
		return err
	}
	return r.guest.Hold()
}

func (r *runner) revert() error {
	r.stable.Revert()
	return r.guest.Revert()
}

// Release releases the state.
func (q *QueryTarget) Release() {
	if q.view != nil && !q.inPlace {
		q.state.release(q.view)
	}
	q.view = nil
}
