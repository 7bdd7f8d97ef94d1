package rehearse

import (
	"context"
	"errors"
	"fmt"
	"slices"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// callsInFlight lets the calls that were open at the upgrade be answered in the new module.
func (r *rehearsal) callsInFlight(ctx context.Context) error {
	const name = "calls in flight"
	open, err := r.control.openCalls(ctx)
	if err != nil {
		return err
	}
	last, err := r.control.settle(ctx)
	if err != nil {
		return err
	}
	height, err := r.after.settle(ctx)
	if err != nil {
		return err
	}
	if open == 0 {
		r.verdict.skip(name, "no call of the canister was open: rehearse in a state with open calls, or pass operations")
		return nil
	}
	var findings []string
	now, err := r.after.canister(ctx)
	if err != nil {
		return err
	}
	if r.before.GetMemory64() != now.GetMemory64() {
		findings = append(findings, fmt.Sprintf("the heap changed from %s to %s addresses while calls were open (%d): their callbacks refer to the old heap", bits(r.before), bits(now), open))
	}
	without, err := r.control.traps(ctx, last)
	if err != nil {
		return err
	}
	trapped, err := r.after.traps(ctx, height)
	if err != nil {
		return err
	}
	trapped = slices.DeleteFunc(trapped, func(finding string) bool { return slices.Contains(without, finding) }) // not by the upgrade
	r.verdict.add(name, fmt.Sprintf("answered in the new module: %d", open), Failed, append(findings, trapped...)...)
	return nil
}

func bits(c *controlv1.Canister) string {
	if c.GetMemory64() {
		return "64-bit"
	}
	return "32-bit"
}

var errSeen = errors.New("all events were seen")

// traps lists the messages of the canister that trapped in a fork, up to a round.
func (f *fork) traps(ctx context.Context, height uint64) (findings []string, err error) {
	request := &controlv1.WatchRequest{Instance: f.name, FromBeginning: true, Filter: &controlv1.EventFilter{
		Kinds: []controlv1.EventKind{controlv1.EventKind_EVENT_KIND_TRAPPED, controlv1.EventKind_EVENT_KIND_ROUND_ENDED},
	}}
	err = f.Daemon.Watch(ctx, request, func(e *controlv1.Event) error {
		if e.GetKind() == controlv1.EventKind_EVENT_KIND_TRAPPED && e.GetCanisterId() == f.Canister {
			findings = append(findings, fmt.Sprintf("the %s of %s trapped: %s", e.GetEntry(), e.GetMethod(), firstLine(e.GetReject().GetText())))
		}
		if e.GetKind() == controlv1.EventKind_EVENT_KIND_ROUND_ENDED && e.GetHeight() >= height {
			return errSeen
		}
		return nil
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return findings, err
}

// timers compares which timers are armed.
func (r *rehearsal) timers(ctx context.Context) error {
	const name = "timers"
	now, err := r.after.canister(ctx)
	if err != nil {
		return err
	}
	armed := r.before.GetGlobalTimer() != nil
	if !armed && !r.before.GetHeartbeat() {
		r.verdict.skip(name, "the old module has no timer armed and no heartbeat")
		return nil
	}
	var findings []string
	if armed && now.GetGlobalTimer() == nil {
		findings = append(findings, fmt.Sprintf("the global timer was armed for %s, and nothing armed it after the upgrade: set timers again in post_upgrade",
			r.before.GetGlobalTimer().AsTime().Format("2006-01-02T15:04:05.999999999Z07:00")))
	}
	if r.before.GetHeartbeat() && !now.GetHeartbeat() {
		findings = append(findings, "the new module lacks canister_heartbeat, which the old one exports")
	}
	r.verdict.add(name, "armed before and after", Failed, findings...)
	return nil
}
