package rehearse

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/did"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Plan is what is rehearsed.
type Plan struct {
	Daemon     *remote.Daemon
	Instance   string // "" for the default one
	Snapshot   string // of the instance; "" for its present state
	Canister   string // id
	Module     []byte // the next one, plain or gzipped
	Linked     []byte // module that is linked of Module if that is a component; nil: it is none
	Argument   *controlv1.Value
	Sender     string // controller that upgrades; "" for any
	Features   []string
	Queries    []Query  // compared beside those without arguments
	MayDiffer  []string // methods of queries whose answers may differ after the upgrade
	Operations []*controlv1.ExploreOperation
	Invariants []string          // of the exploration
	Names      map[string]string // ids and principals by name, for the invariants
}

// Query is a query that is compared.
type Query struct {
	Title string // for people
	Call  *controlv1.Call
}

// rehearsal is one run of a plan.
type rehearsal struct {
	*Plan
	lease   string
	forks   []string
	base    string // fork of the state that is upgraded; it does not change
	before  *controlv1.Canister
	old     *did.File // interface of the old module; nil: it has none
	control *fork     // the base after its calls in flight, without an upgrade
	after   *fork     // the same after the upgrade
	verdict *Verdict
}

// Run rehearses the upgrade. An error says why it could not be rehearsed; what is wrong with the upgrade is in the
// verdict.
func (p *Plan) Run(ctx context.Context) (verdict *Verdict, err error) {
	lease, err := p.Daemon.HoldLease(ctx)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	r := &rehearsal{Plan: p, lease: lease.ID(), verdict: &Verdict{Canister: p.Canister, Result: Passed}}
	defer func() { err = errors.Join(err, r.deleteForks(ctx)) }()
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	for _, check := range []func(context.Context) error{r.stableTypes, r.candid} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	upgraded, err := r.upgrade(ctx)
	if err != nil || !upgraded {
		return r.verdict, err
	}
	for _, check := range []func(context.Context) error{
		r.callsInFlight, r.timers, r.stableHeader, r.queries, r.secondUpgrade, r.wayBack, r.growth, r.explore,
	} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	return r.verdict, nil
}

// described returns the module whose metadata describes the next one: a component has none.
func (p *Plan) described() []byte {
	if p.Linked != nil {
		return p.Linked
	}
	return p.Module
}

// begin makes the fork that all others are made of.
func (r *rehearsal) begin(ctx context.Context) error {
	base, err := r.fork(ctx, &controlv1.ForkInstanceRequest{Instance: r.Instance, Snapshot: r.Snapshot})
	if err != nil {
		return err
	}
	r.base = base.name
	if r.before, err = base.canister(ctx); err != nil {
		return err
	}
	if len(r.before.GetModuleHash()) == 0 {
		return fmt.Errorf("canister %s has no code, so there is nothing to upgrade: install the module", r.Canister)
	}
	r.control, err = r.another(ctx, r.base)
	return err
}

// upgrade upgrades a fork and notes what it took.
func (r *rehearsal) upgrade(ctx context.Context) (bool, error) {
	const name = "upgrade"
	var err error
	if r.after, err = r.another(ctx, r.base); err != nil {
		return false, err
	}
	spent, where, why, err := r.after.upgraded(ctx, r.Module)
	if err != nil {
		return false, err
	}
	if why != "" {
		text := "no hook ran"
		if where != "" {
			text = where + " did not run to its end"
		}
		r.verdict.add(name, text, Failed, why)
		return false, nil
	}
	now, err := r.after.canister(ctx)
	if err != nil {
		return false, err
	}
	r.verdict.Cost = &Cost{
		Instructions: spent, Cycles: less(r.before.GetCycles(), now.GetCycles()),
		HeapBefore: r.before.GetHeapBytes(), HeapAfter: now.GetHeapBytes(),
		StableBefore: r.before.GetStableBytes(), StableAfter: now.GetStableBytes(),
	}
	r.verdict.add(name, "the hooks ran to their end", Failed)
	return true, nil
}
