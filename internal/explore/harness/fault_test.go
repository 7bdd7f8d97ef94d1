package harness_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

func TestFaultsDoToTheirMessagesWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		fault harness.Fault
		paid  uint64
		says  string // part of the answer; "" for a reply
		open  bool
	}{
		{fault: harness.Fault{}, paid: 100},
		{fault: harness.Fault{At: "op1/1.request", Kind: harness.RejectTransient}},
		{fault: harness.Fault{At: "op1/1.request", Kind: harness.RejectDestination}},
		{fault: harness.Fault{At: "op1/1.request", Kind: harness.RejectError}},
		{fault: harness.Fault{At: "op1/1.request", Kind: harness.RejectCanister}},
		{fault: harness.Fault{At: "op1/1.reply", Kind: harness.TrapCallback}, paid: 100, says: "The reply callback was given no instructions (injected fault)"},
		{fault: harness.Fault{At: "op1/1.reply", Kind: harness.TrapCleanup}, paid: 100, says: "The cleanup was given no instructions (injected fault)"},
		{fault: harness.Fault{At: "op1", Kind: harness.NoCalls}},
		{fault: harness.Fault{At: "op1/1.request", Kind: harness.Silent}, open: true},
	} {
		s, setup := theft(t, "bank", 1)
		r := begin(t, setup, harness.Plan{c.fault})
		fifo(t, r)
		a := r.Answers()[0]
		rejection := ""
		if a.Reject != nil {
			rejection = a.Reject.Text
		}
		if !strings.Contains(rejection, c.says) || (c.says == "") != (rejection == "") || a.Open != c.open || paidOut(t, s, r) != c.paid {
			t.Errorf("%s at %s: %d are paid, want %d; %s", c.fault.Kind, c.fault.At, paidOut(t, s, r), c.paid, a)
		}
		if c.fault.At != "" && len(r.Unapplied()) > 0 {
			t.Errorf("%s at %s was not applied", c.fault.Kind, c.fault.At)
		}
		if open := len(r.Open()) > 0; open != c.open {
			t.Errorf("%s at %s: open contexts: %t", c.fault.Kind, c.fault.At, open)
		}
	}
}

func TestAFaultThatDoesNotFitItsMessageIsNotApplied(t *testing.T) {
	_, setup := theft(t, "bank", 1)
	plan := harness.Plan{{At: "op1/1.request", Kind: harness.Unknown}, {At: "op1/7.request", Kind: harness.Silent}} // a guaranteed response, and no such call
	r := begin(t, setup, plan)
	fifo(t, r)
	if left := r.Unapplied(); len(left) != 2 {
		t.Errorf("not applied are %v", left)
	}
}
