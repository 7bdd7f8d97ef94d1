package eventually

import (
	"context"
	"testing"
	"time"
)

// Limit ends a test that hangs.
const Limit = 2 * time.Minute

// pause is the time between two looks at a condition. Ours.
const pause = time.Millisecond

// True waits until a condition is true. It looks at the condition again and again: where the other side can signal, a
// channel is better (Receive).
func True(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(Limit); !condition(); time.Sleep(pause) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, Limit)
		}
	}
}

// Receive returns what comes from a channel, or the zero value if it is closed.
func Receive[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(Limit):
		t.Fatalf("%s: not within %s", what, Limit)
		panic("unreachable")
	}
}

// Context returns a context that ends with the test, and at the limit.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	t.Cleanup(cancel)
	return ctx
}
