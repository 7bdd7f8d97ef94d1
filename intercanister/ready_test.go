package intercanister

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
)

func TestABatchForgetsMailboxesInWhichNothingWaitsAnyMore(t *testing.T) {
	var ready Ready
	boxes := make([]*Mailbox, 3)
	for i := range boxes {
		boxes[i] = &Mailbox{Owner: principal.Canister(uint64(i))}
		boxes[i].PushIngress(uint64(i))
		ready.Add(boxes[i])
	}
	ready.Batch()
	boxes[0].DropIngress(0)
	boxes[2].DropIngress(2)
	ready.Prune(boxes[1])
	if waiting := ready.Waiting(nil); len(waiting) != 1 || waiting[0] != boxes[1] {
		t.Errorf("%d mailboxes wait", len(waiting))
	}
	boxes[1].DropIngress(1)
	ready.Prune(nil)
	if !ready.Empty() || !ready.Between() {
		t.Error("the batch is not over")
	}
	boxes[2].PushIngress(3)
	if ready.Add(boxes[2]); ready.Empty() {
		t.Error("a mailbox that was forgotten is not added again")
	}
}

func TestABatchIsPrunedOnlyAfterItsFirstMessage(t *testing.T) {
	var ready Ready
	first, second := &Mailbox{}, &Mailbox{Owner: principal.Canister(1)}
	for _, box := range []*Mailbox{first, second} {
		box.PushIngress(1)
		ready.Add(box)
	}
	ready.Batch()
	second.DropIngress(1)
	ready.Prune(first)
	ready.Remove(first)
	second.PushIngress(2)
	if ready.Prune(first); ready.Next() != second {
		t.Error("what the first message brought is not in its batch")
	}
}
