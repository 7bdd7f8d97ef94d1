package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/internal/eventually"
)

func TestACommandWaitsUntilTheDeadlineOfItsCallerIfThereIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		ctx, cancel := patient(t.Context(), time.Second)
		defer cancel()
		if <-ctx.Done(); time.Since(begun) != time.Second {
			t.Errorf("without a deadline it waits for %s, want 1s", time.Since(begun))
		}
		begun = time.Now()
		ctx, cancel = patient(eventually.Context(t), time.Second)
		defer cancel()
		if <-ctx.Done(); time.Since(begun) != eventually.Limit {
			t.Errorf("with a deadline it waits for %s, want %s", time.Since(begun), eventually.Limit)
		}
	})
}
