package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
)

func TestInspectPrintsTheAddressOfWhatItIsAskedFor(t *testing.T) {
	homeWith(t, "counter")
	d := serving(t, daemon.Control{})
	token, err := daemon.InspectorToken()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(code int, args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		if got := run(context.Background(), append([]string{"--url", d.URL(), "inspect", "--print"}, args...), &out, &errOut); got != code {
			t.Errorf("canisterd inspect %q: exit code %d, want %d: %s%s", args, got, code, &out, &errOut)
		}
		return strings.TrimSpace(out.String() + errOut.String())
	}
	at := d.URL() + "/_/inspect/"
	for want, args := range map[string][]string{
		at + "?token=" + token:                                             nil,
		at + "?i=lab&token=" + token:                                       {"-i", "lab"},
		at + "canister/ryjl3-tyaaa-aaaaa-aaaba-cai?token=" + token:         {"ryjl3-tyaaa-aaaaa-aaaba-cai"},
		at + "call/399fdfd5?token=" + token:                                {"399fdfd5"},
		`error: "bnak" is not a canister id, and no canisters were deploy`: {"bnak"},
	} {
		code := exitOK
		if strings.HasPrefix(want, "error") {
			code = exitFailed
		}
		if got := ask(code, args...); got != want && (code == exitOK || !strings.HasPrefix(got, want)) {
			t.Errorf("canisterd inspect %q prints %s, want %s", args, got, want)
		}
	}
	hidden := serving(t, daemon.Control{Address: daemon.NoControl})
	var out bytes.Buffer
	if code := run(context.Background(), []string{"--url", hidden.URL(), "inspect", "--print"}, &out, &out); code != exitFailed || !strings.Contains(out.String(), "does not serve the inspector") {
		t.Errorf("without an inspector: exit code %d, %s", code, &out)
	}
}
