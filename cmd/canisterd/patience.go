package main

import (
	"context"
	"time"
)

// patient returns a context that ends after the time for which a user waits. A caller with a deadline of its own, as a
// test on a busy machine, waits until that.
func patient(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	if _, set := ctx.Deadline(); set {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, wait)
}
