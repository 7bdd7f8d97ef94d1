package rehearse

import (
	"context"
	"encoding/hex"
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
	without, err := r.control.happened(ctx, last)
	if err != nil {
		return err
	}
	with, err := r.after.happened(ctx, height)
	if err != nil {
		return err
	}
	findings = append(findings, with.beyond(without)...)
	r.verdict.add(name, fmt.Sprintf("answered in the new module: %d", open), Failed, findings...)
	return nil
}

func bits(c *controlv1.Canister) string {
	if c.GetMemory64() {
		return "64-bit"
	}
	return "32-bit"
}

var errSeen = errors.New("all events were seen")

// callOutcomes are what became of messages and calls of the canister in a fork.
type callOutcomes struct {
	traps   []string   // messages of the canister that trapped
	answers []answered // of calls of the canister, in their order
}

// answered is the answer to a call of the canister by a user or a canister.
type answered struct {
	call   string // the same in all forks
	title  string
	reject string // "": a reply
}

// happened lists what became of messages and calls of the canister in a fork, up to a round.
func (f *fork) happened(ctx context.Context, height uint64) (all callOutcomes, err error) {
	request := &controlv1.WatchRequest{Instance: f.name, FromBeginning: true, Filter: &controlv1.EventFilter{
		Kinds: []controlv1.EventKind{
			controlv1.EventKind_EVENT_KIND_TRAPPED, controlv1.EventKind_EVENT_KIND_INGRESS_ANSWERED,
			controlv1.EventKind_EVENT_KIND_CALL_SETTLED, controlv1.EventKind_EVENT_KIND_ROUND_ENDED,
		},
	}}
	err = f.Daemon.Watch(ctx, request, func(e *controlv1.Event) error {
		switch reject := firstLine(e.GetReject().GetText()); {
		case e.GetKind() == controlv1.EventKind_EVENT_KIND_TRAPPED && e.GetCanisterId() == f.Canister:
			all.traps = append(all.traps, fmt.Sprintf("the %s of %s trapped: %s", e.GetEntry(), e.GetMethod(), reject))
		case e.GetKind() == controlv1.EventKind_EVENT_KIND_INGRESS_ANSWERED && e.GetCanisterId() == f.Canister:
			all.answers = append(all.answers, answered{hex.EncodeToString(e.GetRequestId()), "the call of " + e.GetMethod() + " by a user", reject})
		case e.GetKind() == controlv1.EventKind_EVENT_KIND_CALL_SETTLED && e.GetPeer() == f.Canister:
			all.answers = append(all.answers, answered{fmt.Sprint(e.GetSubnetId(), e.GetCallId()), "the call by canister " + e.GetCanisterId(), reject})
		case e.GetKind() == controlv1.EventKind_EVENT_KIND_ROUND_ENDED && e.GetHeight() >= height:
			return errSeen
		}
		return nil
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return all, err
}

// beyond lists traps that the same calls did not meet without the upgrade, and calls that were replied to without it.
func (o callOutcomes) beyond(without callOutcomes) (findings []string) {
	for _, trap := range o.traps {
		if !slices.Contains(without.traps, trap) {
			findings = append(findings, trap)
		}
	}
	answers := map[string]answered{}
	for _, one := range o.answers {
		answers[one.call] = one
	}
	for _, before := range without.answers {
		switch now, found := answers[before.call]; {
		case before.reject != "":
		case !found:
			findings = append(findings, before.title+" gets a reply without the upgrade, and no answer after it")
		case now.reject != "":
			findings = append(findings, before.title+" gets a reply without the upgrade, and is rejected after it: "+now.reject)
		}
	}
	return findings
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
