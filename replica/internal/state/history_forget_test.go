package state

import (
	"testing"

	"github.com/canisterd/canisterd/timers"
)

// One answer that is kept stands before all others in the order of answers.
func TestAnswersThatAreForgottenLeaveNothingBehind(t *testing.T) {
	var h History
	var deadlines timers.Table
	kept := h.Receive(&Ingress{ID: RequestID{1}, Expiry: 10}, &deadlines)
	h.Answer(kept, []byte("kept"), nil, 0, &deadlines, nil)
	for n := range 100_000 {
		r := h.Receive(&Ingress{ID: RequestID{2, byte(n), byte(n >> 8), byte(n >> 16)}, Expiry: 10}, &deadlines)
		h.Answer(r, []byte("answer"), nil, uint64(n), &deadlines, nil)
		h.Forget(r, &deadlines)
	}
	if h.Len() != 1 || h.Find(kept.ID) != kept || h.slots.Len() != 2 || h.answers != len("kept") || deadlines.Len() != 1 {
		t.Errorf("%d messages, %d records, %d bytes and %d deadlines are left", h.Len(), h.slots.Len(), h.answers, deadlines.Len())
	}
	if h.order.Len() > forgottenAnswers+2 {
		t.Errorf("%d answers are in the order", h.order.Len())
	}
	if d, _ := deadlines.Pop(10); d.Number != kept.Number {
		t.Errorf("message %d expires, want %d", d.Number, kept.Number)
	}
}
