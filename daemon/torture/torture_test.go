package main

import (
	"testing"
	"time"
)

func TestADaemonThatIsKilledLosesNoAcknowledgedUpdate(t *testing.T) {
	done, err := torture(t.Context(), options{kills: 4, clients: 4, seed: 1, longest: time.Second})
	if err != nil || done.lost > 0 || done.kills != 4 || done.acknowledged == 0 {
		t.Errorf("%s: %v", done, err)
	}
}

func TestALostUpdateIsCounted(t *testing.T) {
	r := &run{counted: make([]uint64, 1)}
	for _, told := range []uint64{1, 2, 5, 4} { // two were done without an answer, then two are lost
		r.told(0, told)
	}
	if r.lost != 2 || r.acknowledged != 4 {
		t.Errorf("%d updates are lost and %d acknowledged, want 2 and 4", r.lost, r.acknowledged)
	}
}
