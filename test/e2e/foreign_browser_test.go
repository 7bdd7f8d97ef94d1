//go:build clients && browser && linux

package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/test/canistertest"
)

// attempt is a request that a hostile page makes in every way it has.
type attempt struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   string `json:"body,omitempty"`
}

// signedCall is a call that a hostile page makes as the anonymous principal.
type signedCall struct {
	Path     string `json:"path"`
	Canister []int  `json:"canister"`
	Method   string `json:"method"`
	Arg      []int  `json:"arg"`
}

// creation makes a canister with cycles from nothing: only pages of this machine may.
func creation(path string) signedCall {
	return signedCall{path, []int{}, "provisional_create_canister_with_cycles", []int{'D', 'I', 'D', 'L', 1, 0x6c, 0, 1, 0}}
}

// attacked returns what hostile pages could read or open at a server, by page, and what a page of this machine could.
func attacked(t *testing.T, server string, call signedCall, local, requests []attempt) map[string][]string {
	t.Helper()
	at, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := json.Marshal(map[string]any{"port": at.Port(), "requests": requests, "local": local, "call": call})
	if err != nil {
		t.Fatal(err)
	}
	node := exec.Command("node", "foreign.mjs")
	node.Dir, node.Stdin = "browser", bytes.NewReader(plan)
	var errOut bytes.Buffer
	node.Stderr = &errOut
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errOut.String())
	}
	var seen map[string][]string
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	if len(seen) != 6 {
		t.Errorf("%d pages were opened", len(seen))
	}
	return seen
}

// got asks a server for a page as a client of this machine does.
func got(t *testing.T, path string) (int, string) {
	t.Helper()
	response, err := http.Get(path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// posted sends JSON as a client of this machine does.
func posted(t *testing.T, path, body string) string {
	t.Helper()
	response, err := http.Post(path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s: %s %s (%v)", path, response.Status, answer, err)
	}
	return string(answer)
}

func TestForeignPagesInABrowserDoNothingToPocketIC(t *testing.T) {
	s := startPocket(t, pocketIC(t, "pocket-ic"), filepath.Join(t.TempDir(), "port"), "--ttl", "3600")
	posted(t, s.url+"/instances", `{"subnet_config_set":{"application":[{"state_config":"New","instruction_config":"Production"}]}}`)
	posted(t, s.url+"/http_gateway", `{"forward_to":{"PocketIcInstance":0}}`)
	blob := strings.Trim(posted(t, s.url+"/blobstore", "kept"), `"`)
	folder := filepath.Join(t.TempDir(), "of_the_page")
	const stored = `{"a":"blob of the page"}`
	made := `{"state_dir":"` + folder + `","subnet_config_set":{"application":[{"state_config":"New","instruction_config":"Production"}]}}`
	canister := base64.StdEncoding.EncodeToString([]byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 1})
	state := func() string {
		var all strings.Builder
		sum := sha256.Sum256([]byte(stored))
		for _, path := range []string{"/instances", "/http_gateway", "/instances/0/read/get_time", "/instances/0/auto_progress", "/instances/0/read/topology", "/blobstore/" + blob, "/blobstore/" + hex.EncodeToString(sum[:])} {
			status, body := got(t, s.url+path)
			fmt.Fprintf(&all, "%s: %d %s\n", path, status, body)
		}
		_, err := os.Stat(folder)
		fmt.Fprintf(&all, "folder of the page: %t\n", err == nil)
		return all.String()
	}
	before := state()
	seen := attacked(t, s.url, creation("/instances/0/api/v2/canister/aaaaa-aa/call"), []attempt{{"GET", "/instances", ""}}, []attempt{
		{"GET", "/status", ""},
		{"GET", "/api.json", ""},
		{"GET", "/instances", ""},
		{"GET", "/http_gateway", ""},
		{"GET", "/blobstore/" + blob, ""},
		{"GET", "/instances/0/read/get_time", ""},
		{"GET", "/instances/0/read/topology", ""},
		{"GET", "/instances/0/read/get_canister_http", ""},
		{"GET", "/instances/0/_/dashboard", ""},
		{"GET", "/instances/0/_/topology", ""},
		{"GET", "/instances/0/api/v2/status", ""},
		{"GET", "/metrics", ""},
		{"POST", "/instances", "{}"},
		{"POST", "/instances", made},
		{"POST", "/instances/", made},
		{"POST", "/canisterd/fork_of/0/instances", "{}"},
		{"POST", "/canisterd/fork_of/0/http_gateway", `{"forward_to":{"PocketIcInstance":0}}`},
		{"POST", "/http_gateway", `{"ip_addr":"0.0.0.0","port":0,"forward_to":{"PocketIcInstance":0}}`},
		{"POST", "/http_gateway/0/stop", ""},
		{"POST", "/blobstore", stored},
		{"POST", "/verify_signature", "{}"},
		{"POST", "/instances/0/update/tick", "{}"},
		{"POST", "/instances/0/update/set_time", `{"nanos_since_epoch":4102444800000000000}`},
		{"POST", "/instances/0/update/add_cycles", `{"canister_id":"` + canister + `","amount":5}`},
		{"POST", "/instances/0/auto_progress", "{}"},
		{"POST", "/instances/0/update/delete_subnet", "{}"},
		{"POST", "/instances/0/update/canister_snapshot_download", `{"snapshot_dir":"` + folder + `"}`},
		{"POST", "/instances/0/update/submit_ingress_message", "{}"},
		{"POST", "/instances/0/read/get_cycles", `{"canister_id":"` + canister + `"}`},
		{"POST", "/instances/0/canisterd/take_snapshot", `{"name":"of the page"}`},
		{"POST", "/instances/0/canisterd/list_snapshots", "{}"},
		{"DELETE", "/instances/0", ""},
		{"DELETE", "/prune_graph/0/0", ""},
		{"PUT", "/instances/0", "{}"},
		{"PATCH", "/instances/0", "{}"},
	})
	if local := []string{"fetch GET /instances", "xhr GET /instances"}; !slices.Equal(seen["local"], local) {
		t.Errorf("a page of this machine could use %q, want %q", seen["local"], local)
	}
	delete(seen, "local")
	for page, read := range seen {
		if len(read) > 0 {
			t.Errorf("%s: the page could use %q", page, read)
		}
	}
	if after := state(); after != before {
		t.Errorf("the server was\n%s\nand is\n%s", before, after)
	}
	if snapshots := posted(t, s.url+"/instances/0/canisterd/list_snapshots", "{}"); !strings.Contains(snapshots, `"snapshots":[]`) {
		t.Errorf("there are the snapshots %s", snapshots)
	}
}

func TestForeignPagesInABrowserDoNothingToADaemonButWhatIsPublic(t *testing.T) {
	d := start(t)
	path := filepath.Join(t.TempDir(), "assets.wasm")
	if err := os.WriteFile(path, canistertest.Fixture("assets"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := d.command(t, "canister", "create")
	d.command(t, "canister", "install", id, path)
	state := func() string {
		return d.command(t, "instance", "list", "--jq", "[.instances[] | {name, state, seed}]") + d.command(t, "instance", "snapshots", "--json") +
			d.command(t, "canister", "list", "--jq", "[.canisters[] | {canister_id, status, module_hash}]") + d.command(t, "rule", "list", "--json")
	}
	before := state()
	const service = "/canisterd.control.v1.Instances/"
	seen := attacked(t, d.url, creation("/api/v2/canister/"+d.first+"/call"), []attempt{{"GET", "/_/topology", ""}}, []attempt{
		{"GET", "/api/v2/status", ""},
		{"GET", "/?canisterId=" + id, ""},
		{"GET", "/_/topology", ""},
		{"GET", "/health", ""},
		{"GET", "/metrics", ""},
		{"GET", "/", ""},
		{"GET", "/_/dashboard", ""},
		{"GET", "/_/inspect/now", ""},
		{"GET", "/_/inspect/names", ""},
		{"GET", "/_/inspect/files/app.js", ""},
		{"GET", "/_/inspect/stream/Events/Watch?request=%7B%7D", ""},
		{"POST", "/_/inspect/rpc/Instances/ListInstances", "{}"},
		{"GET", "/_/canister/" + id, ""},
		{"GET", "/instances/default/_/dashboard", ""},
		{"GET", "/instances", ""},
		{"POST", "/instances", "{}"},
		{"DELETE", "/instances/0", ""},
		{"DELETE", "/instances/default", ""},
		{"POST", "/http_gateway", `{"forward_to":{"PocketIcInstance":0}}`},
		{"POST", "/blobstore", "{}"},
		{"GET", "/debug/pprof/", ""},
		{"POST", service + "CreateInstance", "\x00\x00\x00\x00\x00"},
		{"POST", service + "DeleteInstance", "\x00\x00\x00\x00\x09\x0a\x07default"},
		{"POST", service + "ListInstances", "\x00\x00\x00\x00\x00"},
		{"GET", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", ""},
	})
	// What agents need, and what canisters publish: docs/javascript.md lists it.
	public := []string{"fetch GET /?canisterId=" + id, "fetch GET /_/topology", "fetch GET /api/v2/status", "xhr GET /?canisterId=" + id, "xhr GET /_/topology", "xhr GET /api/v2/status"}
	delete(seen, "local")
	for page, read := range seen {
		want := public
		if strings.Contains(page, ".") { // a page whose name resolves to this machine
			want = []string{"fetch GET /api/v2/status", "fetch GET /health", "no-cors GET /api/v2/status", "no-cors GET /health", "xhr GET /api/v2/status", "xhr GET /health"}
		}
		if !slices.Equal(read, want) {
			t.Errorf("%s: the page could use %q, want %q", page, read, want)
		}
	}
	if after := state(); after != before {
		t.Errorf("the daemon was\n%s\nand is\n%s", before, after)
	}
}
