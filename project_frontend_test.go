package canisterd_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd"
)

func TestTheFrontEndOfAProjectIsUploaded(t *testing.T) {
	module, err := os.ReadFile("test/canistertest/fixtures/webroot/webroot.wasm")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range map[string]string{
		"canisterd.yaml":  "canisters: {web: {wasm: web.wasm, frontend: dist}}\n",
		"web.wasm":        string(module),
		"dist/index.html": "<title>Page</title>",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ic := canisterd.New(t)
	ic.DeployProject(folder)
	var got canisterd.Text
	err = ic.Canister("web").Query(t.Context(), "get", canisterd.Text(`(record { key = "/index.html"; accept_encodings = vec { "identity" } })`), canisterd.Into(&got))
	if want := `(record { content = blob "<title>Page</title>"; content_type = "text/html"; content_encoding = "identity" })`; err != nil || string(got) != want {
		t.Errorf("the page is %s (%v)", got, err)
	}
}
