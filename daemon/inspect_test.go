package daemon

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/inspect"
	"github.com/canisterd/canisterd/test/canistertest"
)

// fetched returns the status and the body of an answer, without following it elsewhere, and where that would be.
func fetched(t *testing.T, method, url, accept string, header http.Header) (status int, body, location string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // only for reading
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header.Get("Location")
}

// sessionAt returns the headers of a browser that has opened the inspector's URL.
func sessionAt(t *testing.T, d *Daemon) http.Header {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.InspectorURL(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // only for reading
	cookie, _, _ := strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	return http.Header{"Cookie": {cookie}, "Content-Type": {"application/json"}, "X-Canisterd-Inspect": {"1"}}
}

func TestABrowserIsLedToTheInspectorAndAProgramIsNot(t *testing.T) {
	d := started(t, Config{Inspector: Inspector{Token: "secret", Names: func(instance string) map[string]string {
		return map[string]string{"aaaaa-aa": "names of " + instance}
	}}})
	if status, _, location := fetched(t, http.MethodGet, d.URL()+"/", "text/html", nil); status != 303 || location != inspect.Path {
		t.Errorf("a browser gets %d and is led to %q", status, location)
	}
	if status, body, _ := fetched(t, http.MethodGet, d.URL()+"/", "", nil); status != 404 && status != 400 || !strings.Contains(body, "There is nothing at") {
		t.Errorf("a program gets %d: %s", status, body)
	}
	if status, body, _ := fetched(t, http.MethodGet, d.URL()+inspect.Path+"now", "text/html", nil); status != 200 || !strings.Contains(body, "app.js") {
		t.Errorf("the page: %d", status)
	}
	if status, _, _ := fetched(t, http.MethodGet, d.URL()+"/_/inspector", "", nil); status == 200 {
		t.Error("a longer path is the inspector's")
	}
	session := sessionAt(t, d)
	if status, body, _ := fetched(t, http.MethodPost, d.URL()+inspect.Path+"rpc/Instances/ListInstances", "", session); status != 200 || !strings.Contains(body, "default") {
		t.Errorf("an RPC: %d %s", status, body)
	}
	if status, body, _ := fetched(t, http.MethodGet, d.URL()+inspect.Path+"names?instance=lab", "", session); status != 200 || !strings.Contains(body, "names of lab") {
		t.Errorf("names: %d %s", status, body)
	}
	if want := d.URL() + inspect.Path + "?token=secret"; d.InspectorURL() != want {
		t.Errorf("its address is %s, want %s", d.InspectorURL(), want)
	}
}

func TestTheInspectorUsesTheControlAPIWithItsToken(t *testing.T) {
	d := started(t, Config{Control: Control{Token: "of the API"}, Inspector: Inspector{Token: "of the browser"}})
	session := sessionAt(t, d)
	if status, body, _ := fetched(t, http.MethodPost, d.URL()+inspect.Path+"rpc/Clock/GetTime", "", session); status != 200 {
		t.Errorf("an RPC: %d %s", status, body)
	}
	if status, _, _ := fetched(t, http.MethodPost, d.URL()+inspect.Path+"rpc/Clock/GetTime", "", http.Header{"Content-Type": {"application/json"}}); status != 401 {
		t.Errorf("an RPC without a session: %d", status)
	}
}

func TestTheInspectorIsOnlyWhereTheControlAPIIs(t *testing.T) {
	for name, row := range map[string]struct {
		config Config
		served bool
	}{
		"by default":                  {Config{}, true},
		"without the control API":     {Config{Control: Control{Address: NoControl}}, false},
		"at an open address":          {Config{Listen: "0.0.0.0:0", Control: Control{Address: "127.0.0.1:0"}}, false},
		"at an open address, allowed": {Config{Listen: "0.0.0.0:0", Control: Control{Address: "127.0.0.1:0"}, Inspector: Inspector{Everywhere: true}}, true},
	} {
		row.config.CacheDir = canistertest.CacheDir(t)
		if row.config.Listen == "" {
			row.config.Listen = "127.0.0.1:0"
		}
		d, err := Start(t.Context(), row.config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() }) // nothing of it is looked at any more
		if served := d.InspectorURL() != ""; served != row.served {
			t.Errorf("%s: it is served: %t", name, served)
		}
	}
}

// A page of a canister may have registered a service worker at an address that had no inspector then.
func TestAServiceWorkerAtTheOriginOfTheInspectorEnds(t *testing.T) {
	script := http.Header{"Service-Worker": {"script"}}
	d := started(t, Config{})
	for _, path := range []string{"/sw.js?canisterId=ryjl3-tyaaa-aaaaa-aaaba-cai", "/instances/default/sw.js", "/_/inspect/sw.js"} {
		if status, body, _ := fetched(t, http.MethodGet, d.URL()+path, "", script); status != 200 || !strings.Contains(body, "registration.unregister()") {
			t.Errorf("the worker at %s: %d %s", path, status, body)
		}
	}
	hidden := started(t, Config{Control: Control{Address: NoControl}})
	if _, body, _ := fetched(t, http.MethodGet, hidden.URL()+"/sw.js", "", script); strings.Contains(body, "unregister") {
		t.Error("without an inspector, a worker ends too")
	}
}

func TestTheTokenOfAUserStaysTheSame(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	first, err := InspectorToken()
	if err != nil || len(first) < 32 {
		t.Fatalf("a token of %d bytes: %v", len(first), err)
	}
	if again, err := InspectorToken(); err != nil || again != first {
		t.Errorf("the second time it is another one (%v)", err)
	}
	file := filepath.Join(data, "canisterd", "inspector-token")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others can read it: %v", info.Mode())
	}
	for size, good := range map[int]bool{256: true, 257: false} {
		if err := os.WriteFile(file, fmt.Appendf(nil, "%-*s", size, first), 0o600); err != nil {
			t.Fatal(err)
		}
		if token, err := InspectorToken(); (err == nil) != good || good && token != first {
			t.Errorf("a file of %d bytes gives the token %q (%v)", size, token, err)
		}
	}
	for _, damaged := range []string{"", first[:10]} {
		if err := os.WriteFile(file, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if again, err := InspectorToken(); err != nil || again == first || len(again) != len(first) {
			t.Errorf("a file with %q gives the token %q (%v)", damaged, again, err)
		}
	}
}
