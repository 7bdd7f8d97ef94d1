package journal

import (
	"testing"
	"testing/synctest"
	"time"
)

// gathered returns how long a commit waits for expected callers, which come after some times.
func gathered(t *testing.T, expected int, come ...time.Duration) (waited time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		j := &Journal{wake: make(chan struct{}, 1), closing: make(chan struct{}), expected: expected}
		arrive := func() {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.joinCommit(1)
		}
		for _, after := range come {
			time.AfterFunc(after, arrive) // in a bubble
		}
		begun := time.Now()
		<-j.wake
		came := time.Since(begun)
		j.gather(time.Second)
		waited = time.Since(begun) - came
		time.Sleep(time.Minute) // until all have come
	})
	return waited
}

func TestACommitWaitsForTheCallersThatWereJustServed(t *testing.T) {
	for _, c := range []struct {
		name     string
		expected int
		come     []time.Duration
		want     time.Duration
	}{
		{"a caller that is alone", 1, []time.Duration{0}, 0},
		{"a first caller", 0, []time.Duration{0}, 0},
		{"all that were served", 3, []time.Duration{0, 10, 20}, 20},
		{"one that does not come in time", 3, []time.Duration{0, 10, 3 * time.Second}, time.Second},
		{"one more than were served", 1, []time.Duration{0, 10}, 0},
	} {
		if got := gathered(t, c.expected, c.come...); got != c.want {
			t.Errorf("%s: the commit waits for %v, want %v", c.name, got, c.want)
		}
	}
}

// A record that is appended during a commit waits for the next one.
func TestACallerWaitsForTheFirstCommitThatHasItsRecords(t *testing.T) {
	j := &Journal{wake: make(chan struct{}, 1), writes: 5}
	under, next := j.joinCommit(5), j.joinCommit(6)
	if under == next || j.waiting != 1 {
		t.Errorf("%d callers wait for the next commit, want 1", j.waiting)
	}
	j.wakeWaiters()
	select {
	case <-under:
	default:
		t.Error("the commit is over, and its caller still waits")
	}
	select {
	case <-next:
		t.Error("a caller was served by a commit without its records")
	default:
	}
}
