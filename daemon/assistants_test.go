package daemon

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/canisterd/canisterd/internal/eventually"
)

// bearing sends a token with each request.
type bearing string

// RoundTrip sends a request.
func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	with := r.Clone(r.Context())
	with.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(with)
}

func TestADaemonServesToolsToTheUser(t *testing.T) {
	folder := t.TempDir()
	module, err := os.ReadFile("../test/canistertest/fixtures/counter.wasm")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "counter.wasm"), module, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	d := started(t, Config{Inspector: Inspector{Token: "secret"}, Assistants: Assistants{Folder: folder}})
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(eventually.Context(t), &sdk.StreamableClientTransport{
		Endpoint: d.URL() + AssistantsPath, HTTPClient: &http.Client{Transport: bearing("secret")}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }() // the daemon keeps nothing of it
	for _, step := range []struct {
		tool      string
		arguments map[string]any
		says      string
	}{
		{"deploy", nil, "get () -> (nat) query = (0 : nat)"},
		{"call", map[string]any{"calls": []string{"counter add 5"}}, "counter get  (5 : nat), before (0 : nat)"},
	} {
		answer, err := session.CallTool(eventually.Context(t), &sdk.CallToolParams{Name: step.tool, Arguments: step.arguments})
		if err != nil {
			t.Fatal(err)
		}
		if text := answer.Content[0].(*sdk.TextContent).Text; answer.IsError || !strings.Contains(text, step.says) {
			t.Errorf("%s says\n%s\nwant %s", step.tool, text, step.says)
		}
	}
}

func TestToolsAreServedWhereTheInspectorIs(t *testing.T) {
	shown := started(t, Config{Inspector: Inspector{Token: "secret"}})
	if status, body, _ := fetched(t, http.MethodPost, shown.URL()+AssistantsPath, "", nil); status != http.StatusUnauthorized || !strings.Contains(body, "canisterd mcp --config --http") {
		t.Errorf("without a token: %d %s", status, body)
	}
	if status, body, _ := fetched(t, http.MethodPost, shown.URL()+AssistantsPath, "", http.Header{"Origin": {"https://evil.example"}}); status != http.StatusForbidden {
		t.Errorf("a page gets %d %s", status, body)
	}
	hidden := started(t, Config{Control: Control{Address: NoControl}})
	if status, body, _ := fetched(t, http.MethodPost, hidden.URL()+AssistantsPath, "", nil); status == http.StatusUnauthorized {
		t.Errorf("without a control API: %d %s", status, body)
	}
}
