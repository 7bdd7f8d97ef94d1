package rehearse

import (
	"context"
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// growth estimates from which size of the state the hooks of an upgrade exceed their instructions.
func (r *rehearsal) growth(ctx context.Context) error {
	const name = "instructions"
	spent := &r.verdict.Cost.Instructions
	text := fmt.Sprintf("%s of %s: canister_pre_upgrade %s, canister_post_upgrade %s, start %s, compiling %s", grouped(spent.Total), grouped(InstallInstructions),
		grouped(spent.PreUpgrade), grouped(spent.PostUpgrade), grouped(spent.Start), grouped(spent.Compiling))
	var findings []string
	result := Noted
	found := func(finding string, of Result) {
		if finding != "" {
			findings = append(findings, finding)
		}
		if of == Failed {
			result = Failed
		}
	}
	for _, op := range r.Operations {
		finding, of, err := r.growthBy(ctx, op)
		if err != nil {
			return err
		}
		found(finding, of)
	}
	if len(r.Operations) == 0 {
		found(r.estimate())
	}
	r.verdict.add(name, text, result, findings...)
	return nil
}

// growthBy compares the upgrade with one after further calls of an operation.
func (r *rehearsal) growthBy(ctx context.Context, op *controlv1.ExploreOperation) (finding string, result Result, err error) {
	if op.GetCall().GetCanisterId() != r.Canister {
		return "", Passed, nil
	}
	f, err := r.another(ctx, r.base)
	if err != nil {
		return "", "", err
	}
	replied := uint64(0)
	for range Repetitions {
		got, err := f.Daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: f.name, Call: op.GetCall(), NoWait: true})
		if err != nil {
			if reason, _ := remote.Reason(err); reason != "" {
				continue // not answered in this state
			}
			return "", "", err
		}
		if got.GetOutcome().GetReply() != nil {
			replied++
		}
	}
	if replied == 0 {
		return "", Passed, nil
	}
	then, where, why, err := f.upgraded(ctx, r.Module)
	switch {
	case err != nil:
		return "", "", err
	case why != "":
		return fmt.Sprintf("after %d further calls of %s the upgrade fails in %s: %s", replied, op.GetTitle(), where, why), Failed, nil
	}
	finding, result = grows(&r.verdict.Cost.Instructions, &then, op.GetTitle(), replied)
	return finding, result, nil
}

// grows says how the hooks grow with each of the calls of an operation, "" if they do not. It is a failure if the limit is
// within reach.
func grows(now, then *Instructions, operation string, calls uint64) (string, Result) {
	if then.Total < now.Total+calls*MinGrowth {
		return "", Passed
	}
	each := (then.Total - now.Total) / calls
	var parts []string
	for _, part := range []struct {
		name      string
		now, then uint64
	}{
		{"canister_pre_upgrade", now.PreUpgrade, then.PreUpgrade},
		{"the start", now.Start, then.Start},
		{"canister_post_upgrade", now.PostUpgrade, then.PostUpgrade},
	} {
		if part.then >= part.now+calls*MinGrowth {
			parts = append(parts, fmt.Sprintf("%s by %s", part.name, grouped((part.then-part.now)/calls)))
		}
	}
	most, result := (InstallInstructions-min(now.Total, InstallInstructions))/each, Noted
	if most <= ReachedCalls {
		result = Failed
	}
	return fmt.Sprintf("the upgrade grows with the state: each call of %s adds %s instructions (%s; measured: %s, and %s after %d calls), so it exceeds the limit after about %s calls",
		operation, grouped(each), strings.Join(parts, ", "), grouped(now.Total), grouped(then.Total), calls, grouped(most)), result
}

// estimate compares the instructions of the hooks for each byte of the state with those that a full heap would allow, ""
// if they may have so many. It is a failure if the limit is within reach. What compiling takes does not depend on the state.
func (r *rehearsal) estimate() (string, Result) {
	c := r.verdict.Cost
	size, most := c.HeapBefore+c.StableBefore, uint64(HeapBytes)
	if r.before.GetMemory64() {
		most = HeapBytes64
	}
	compiling := min(c.Instructions.Compiling, c.Instructions.Total)
	hooks := c.Instructions.Total - compiling
	if hooks < InstallInstructions/LargeUpgrade || size == 0 {
		return "", Passed
	}
	factor := float64(InstallInstructions-min(compiling, InstallInstructions)) / float64(hooks)
	fails := uint64(factor * float64(size))
	if fails >= most {
		return "", Passed
	}
	result := Noted
	if factor <= ReachedFactor {
		result = Failed
	}
	return fmt.Sprintf("at the same instructions for each byte of the state (%s bytes), the upgrade exceeds the limit at %s bytes; pass operations to measure how they grow", grouped(size), grouped(fails)), result
}

// grouped writes a number with commas.
func grouped(n uint64) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
