package instancetest

import (
	"context"
	"testing"
	"time"
)

// Patience bounds the wait for the wall clock or for another goroutine.
const Patience = time.Minute

// Patient returns a context for one test, which ends after Patience.
func Patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}
