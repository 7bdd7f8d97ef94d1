package rehearse

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// growth estimates from which size of the state the hooks of an upgrade exceed their instructions.
func (r *rehearsal) growth(ctx context.Context) error {
	const name = "instructions"
	text := fmt.Sprintf("%s of %s", grouped(r.verdict.Cost.Instructions), grouped(InstallInstructions))
	var findings []string
	for _, op := range r.Operations {
		finding, err := r.growthBy(ctx, op)
		if err != nil {
			return err
		}
		if finding != "" {
			findings = append(findings, finding)
		}
	}
	if finding := r.estimate(); len(r.Operations) == 0 && finding != "" {
		findings = append(findings, finding)
	}
	r.verdict.add(name, text, Failed, findings...)
	return nil
}

// growthBy compares the upgrade with one after further calls of an operation.
func (r *rehearsal) growthBy(ctx context.Context, op *controlv1.ExploreOperation) (finding string, err error) {
	if op.GetCall().GetCanisterId() != r.Canister {
		return "", nil
	}
	f, err := r.another(ctx, r.base)
	if err != nil {
		return "", err
	}
	replied := uint64(0)
	for range Repetitions {
		got, err := f.Daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: f.name, Call: op.GetCall(), NoWait: true})
		if err != nil {
			if reason, _ := remote.Reason(err); reason != "" {
				continue // not answered in this state
			}
			return "", err
		}
		if got.GetOutcome().GetReply() != nil {
			replied++
		}
	}
	if replied == 0 {
		return "", nil
	}
	installed, why, err := f.install(ctx, r.Module)
	switch {
	case err != nil:
		return "", err
	case why != "":
		return fmt.Sprintf("after %d further calls of %s the upgrade fails: %s", replied, op.GetTitle(), why), nil
	}
	now := r.verdict.Cost.Instructions
	if installed.GetInstructions() < now+replied*MinGrowth {
		return "", nil
	}
	each := (installed.GetInstructions() - now) / replied
	return fmt.Sprintf("the hooks grow with the state: %s more for each call of %s (measured: %s, and %s after %d calls), so they exceed the limit after about %s calls",
		grouped(each), op.GetTitle(), grouped(now), grouped(installed.GetInstructions()), replied, grouped((InstallInstructions-min(now, InstallInstructions))/each)), nil
}

// estimate compares the instructions for each byte of the state with those that a full heap would allow.
func (r *rehearsal) estimate() string {
	c := r.verdict.Cost
	size, most := c.HeapBefore+c.StableBefore, uint64(HeapBytes)
	if r.before.GetMemory64() {
		most = HeapBytes64
	}
	if c.Instructions < InstallInstructions/LargeUpgrade || size == 0 {
		return ""
	}
	fails := uint64(float64(InstallInstructions) / float64(c.Instructions) * float64(size))
	if fails >= most {
		return ""
	}
	return fmt.Sprintf("at the same instructions for each byte of the state (%s bytes), the hooks exceed the limit at %s bytes; pass operations to measure how they grow", grouped(size), grouped(fails))
}

// grouped writes a number with commas.
func grouped(n uint64) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
