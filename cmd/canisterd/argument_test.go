package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest"
)

// A shell refuses a word of 128 KiB.
func TestArgumentsFromAFileMayBeLongerThanAWord(t *testing.T) {
	d := serving(t, daemon.Control{})
	t.Chdir(t.TempDir())
	invoked := func(args ...string) string {
		var out, errOut bytes.Buffer
		if code := run(eventually.Context(t), append([]string{"--url", d.URL()}, args...), &out, &errOut); code != exitOK {
			t.Fatalf("canisterd %s: exit code %d: %s", strings.Join(args, " "), code, &errOut)
		}
		return strings.TrimSpace(out.String())
	}
	const length = 1 << 20
	writeFile(t, "ledger.wasm", string(canistertest.Fixture("ledger")))
	writeFile(t, "long.txt", fmt.Sprintf("(1, %q)", strings.Repeat("x", length)))
	id := invoked("canister", "create")
	invoked("canister", "install", id, "ledger.wasm")
	if got := invoked("canister", "call", id, "record", "--argument-file", "long.txt"); got != "(1 : nat)" {
		t.Errorf("the reply is %s", got)
	}
	if got := invoked("canister", "query", id, "entry", "0"); strings.Count(got, "x") < length {
		t.Errorf("the entry has %d bytes", len(got))
	}
}

func TestInputThatIsTooLongIsRefused(t *testing.T) {
	if _, err := readInput(strings.NewReader(strings.Repeat(" ", maxInputBytes+1))); err == nil || !strings.Contains(err.Error(), "more than 64.0 MiB") {
		t.Errorf("it is read: %v", err)
	}
	if text, err := readInput(strings.NewReader(" (5)\n")); text != "(5)" || err != nil {
		t.Errorf("it is %q (%v)", text, err)
	}
}
