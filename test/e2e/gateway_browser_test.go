//go:build clients && browser

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
)

func TestABrowserLoadsCertifiedPagesAndShowsWhyOthersAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "assets.wasm")
	if err := os.WriteFile(path, canistertest.Fixture("assets"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := start(t)
	id := d.command(t, "canister", "create")
	d.command(t, "canister", "install", id, path)
	backend := d.command(t, "canister", "create")
	d.command(t, "canister", "install", backend, fixture("counter"))
	node := exec.Command("node", "gateway.mjs", d.url[strings.LastIndex(d.url, ":")+1:], id, backend)
	node.Dir = "browser"
	var errOut bytes.Buffer
	node.Stderr = &errOut
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	var seen struct {
		Frontend, Agent, Changed, Followed, Rebound, Foreign string
		Large                                                int
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	for _, row := range []struct{ what, got, want string }{
		{"the frontend calls its backend", seen.Frontend, "status 200, POST number 1"},
		{"the page calls its backend with an agent", seen.Agent, "1 by an update, 1 by a query"},
		{"a page that was changed is refused", seen.Changed, "ResponseVerificationFailed"},
		{"its page says why", seen.Changed, "are not those that the canister has certified"},
		{"the list of canisters has links", seen.Followed, "assets"},
		{"a page of strangers has no list of canisters", seen.Rebound, "UnknownDomain"},
		{"another may not read the list, but may read the status", seen.Foreign, "refused, refused, 200"},
	} {
		if !strings.Contains(row.got, row.want) {
			t.Errorf("%s: %q, want %q", row.what, row.got, row.want)
		}
	}
	if seen.Large != 5_000_000 {
		t.Errorf("a file in ranges has %d bytes", seen.Large)
	}
}
