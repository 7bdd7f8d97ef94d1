package canisterd_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
)

// TestACallOfATaskIsHeldRejectedAndTraced rejects the call that a task of a component waits for. A trace shows it as any other.
func TestACallOfATaskIsHeldRejectedAndTraced(t *testing.T) {
	ctx := t.Context()
	ic := canisterd.New(t)
	till, bank := deployTill(t, ic), deployTill(t, ic)
	if err := till.Call(ctx, "open", bank.ID(), true); err != nil {
		t.Fatal(err)
	}
	held := ic.Hold(canisterd.Calls{Callee: bank})
	var result taken
	pending, err := till.Submit(ctx, "take", uint64(5), canisterd.Into(&result))
	if err != nil {
		t.Fatal(err)
	}
	if m := held.Wait(); m.Caller != till.ID() || m.Callee != bank.ID() || m.Method != "deposit" {
		t.Errorf("%+v is held", m)
	}
	if n := len(held.Messages()); n != 1 {
		t.Errorf("%d messages are held", n)
	}
	held.Reject("closed on Sundays")
	if err := pending.Await(ctx); err != nil || result.Err == nil || *result.Err != "4: closed on Sundays" {
		t.Errorf("the task returned %v, %v", result, err)
	}
	text := ic.Trace(pending)
	for _, want := range []string{"take", "call #", "deposit", "closed on Sundays", "reject callback of #", "replied"} {
		if !strings.Contains(text, want) {
			t.Errorf("the trace has no %q:\n%s", want, text)
		}
	}
}
