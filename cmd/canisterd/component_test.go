package main

import (
	"bytes"
	"context"
	"testing"
)

func TestAProgramThatIsInterruptedDoesNotFail(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errOut bytes.Buffer
	code := run(ctx, []string{"component", "run", "../../component/testdata/wasi/timers.wasm"}, &out, &errOut)
	if code != exitInterrupted || errOut.String() != "error: interrupted\n" {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errOut.String())
	}
}
