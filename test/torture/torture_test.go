package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestADaemonThatIsKilledLosesNoAcknowledgedUpdate(t *testing.T) {
	done, err := torture(t.Context(), options{kills: 4, clients: 4, seed: 1, longest: 400 * time.Millisecond})
	if err != nil || done.lost > 0 || done.kills != 4 || done.acknowledged == 0 {
		t.Errorf("%s: %v", done, err)
	}
	for _, kind := range []string{"install", "fork"} { // the log reports the other kinds with a delay
		if done.hits.hits[kind] == 0 {
			t.Errorf("no kill hit a %s: %s", kind, done)
		}
	}
}

func TestAPowerCutLosesNoAcknowledgedUpdate(t *testing.T) {
	c, err := cutPower(t.Context(), 16, 1)
	if err != nil || c.lost > 0 || c.acknowledged == 0 || c.replayed == 0 {
		t.Errorf("%s: %v", c, err)
	}
	for _, kind := range workKinds {
		if c.hits[kind] == 0 {
			t.Errorf("no cut hit a %s: %s", kind, c)
		}
	}
}

// A run that failed early also said that none of 1000 cuts hit a checkpoint, although there was no cut.
func TestARunThatFailsEarlySaysNothingAboutItsHits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := perform(ctx, options{cuts: 1000}); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "hit a") {
		t.Errorf("a run that is canceled says: %v", err)
	}
}

// answerOf returns the reply of a canister with these counts in its heap and its stable memory.
func answerOf(heap, stable uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, heap), stable)
}

func TestALostUpdateIsCounted(t *testing.T) {
	r := &tally{counted: make([]uint64, 1)}
	for _, told := range []uint64{1, 2, 5, 4} { // two were done without a reply, then two are lost
		if err := r.addReply(0, answerOf(told, told)); err != nil {
			t.Error(err)
		}
	}
	if r.lost != 2 || r.acknowledged != 4 {
		t.Errorf("%d updates are lost and %d acknowledged, want 2 and 4", r.lost, r.acknowledged)
	}
	for _, partly := range [][]byte{answerOf(5, 6), bytes.Repeat([]byte{1}, 8)} {
		if err := r.addReply(0, partly); err == nil {
			t.Errorf("answer %x is taken", partly)
		}
	}
}
