package eventually

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// recorder is a test whose failure is looked at.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failureOf returns what a wait ends with; empty if it succeeds.
func failureOf(t *testing.T, wait func(t testing.TB)) string {
	r := &recorder{TB: t}
	ended := make(chan struct{})
	go func() { defer close(ended); wait(r) }()
	<-ended
	return r.failure
}

func TestAWaitEndsWhenItsConditionIsTrue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		True(t, "an hour is not waited for", func() bool { return time.Since(begun) >= time.Minute })
		signal := make(chan int)
		go func() { time.Sleep(time.Minute); signal <- 7 }()
		if got := Receive(t, "a signal", signal); got != 7 {
			t.Errorf("received %d", got)
		}
	})
}

func TestAWaitThatHangsFailsWithWhatItWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if got := failureOf(t, func(t testing.TB) { True(t, "the daemon listens", func() bool { return false }) }); got != "the daemon listens: not within 2m0s" {
			t.Errorf("the condition: %q", got)
		}
		if got := failureOf(t, func(t testing.TB) { Receive(t, "a reply", make(chan bool)) }); got != "a reply: not within 2m0s" {
			t.Errorf("the channel: %q", got)
		}
		ctx := Context(t)
		if begun := time.Now(); true {
			<-ctx.Done()
			if waited := time.Since(begun); waited != Limit {
				t.Errorf("the context ended after %s", waited)
			}
		}
	})
}
