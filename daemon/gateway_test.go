package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/test/canistertest"
)

// pageClient asks a daemon for pages: it resolves all hosts to the daemon, as browsers do with *.localhost.
type pageClient struct {
	*testing.T
	client *http.Client
	port   string
}

func pageClientOf(t *testing.T, d *Daemon) *pageClient {
	t.Helper()
	address := strings.TrimPrefix(d.URL(), "http://")
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &pageClient{t, &http.Client{Transport: transport, CheckRedirect: stay}, port}
}

// served is a response whose body was read.
type served struct {
	Status        string
	StatusCode    int
	Header        http.Header
	ContentLength int64
}

// ask makes a request: the path begins with its host, without the port; lines are headers.
func (b *pageClient) ask(method, path string, lines ...string) (served, string) {
	b.Helper()
	host, path, _ := strings.Cut(path, "/")
	r, err := http.NewRequestWithContext(b.Context(), method, "http://"+net.JoinHostPort(host, b.port)+"/"+path, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	response, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatalf("%s %s: %v", method, path, err)
	}
	return served{response.Status, response.StatusCode, response.Header, response.ContentLength}, string(body)
}

// expect asks for pages and compares status and a part of the body.
func (b *pageClient) expect(rows [][3]string) {
	b.Helper()
	for _, row := range rows {
		method, path, _ := strings.Cut(row[0], " ")
		if response, body := b.ask(method, path); response.Status[:3] != row[1] || !strings.Contains(body, row[2]) {
			b.Errorf("%s: %s %s, want %s with %q", row[0], response.Status, body, row[1], row[2])
		}
	}
}

func TestAPageThatTheLibrariesOfCanistersCertifyIsServed(t *testing.T) {
	d := started(t, Config{})
	id := userOf(t, d).deploy(canistertest.Fixture("assets"))
	b, host, raw := pageClientOf(t, d), id.String()+".localhost", id.String()+".raw.localhost"
	b.expect([][3]string{
		{"GET " + host + "/", "200", `<script src="/app.js">`},
		{"GET " + host + "/?utm=1", "200", `<script src="/app.js">`},
		{"GET " + host + "/a/deep/link", "200", `<script src="/app.js">`},
		{"GET " + host + "/app.js", "200", `fetch("/api/v2/status")`},
		{"HEAD " + host + "/app.js", "200", ""},
		{"GET " + host + "/old", "307", ""},
		{"GET " + host + "/free", "200", "free"},
		{"GET " + host + "/stream", "200", "one two three"},
		{"POST " + host + "/count", "200", "POST number 1"},
		{"GET " + host + "/api/v2/status", "200", "root_key"},
		{"GET 127.0.0.1/?canisterId=" + id.String(), "200", `<script src="/app.js">`},
		{"GET " + host + "/trap", "502", "the page /trap traps"},
		{"GET " + host + "/changed.html", "502", "ResponseVerificationFailed"},
		{"GET " + raw + "/changed.html", "200", "LOADING"},
		{"GET " + host + "/bare", "502", "no header IC-Certificate"},
		{"GET " + raw + "/bare", "200", "without a certificate"},
		{"GET " + principal.Management.String() + ".localhost/", "404", "CanisterNotFound"},
	})
	for _, host := range []string{host, raw} {
		large := make([]byte, 5_000_000)
		for at := range large {
			large[at] = byte(at / 1000)
		}
		response, body := b.ask(http.MethodGet, host+"/large.bin")
		if sha256.Sum256([]byte(body)) != sha256.Sum256(large) || response.StatusCode != http.StatusOK || response.ContentLength != 5_000_000 {
			t.Errorf("%s: %s with %d bytes", host, response.Status, len(body))
		}
		response, body = b.ask(http.MethodGet, host+"/large.bin", "Range: bytes=2000000-")
		if !bytes.Equal([]byte(body), large[2_000_000:4_000_000]) || response.Header.Get("Content-Range") != "bytes 2000000-3999999/5000000" {
			t.Errorf("a range of %s: %s with %d bytes", host, response.Status, len(body))
		}
	}
}

func TestABrowserGetsAPageAboutTheInstances(t *testing.T) {
	d := started(t, Config{})
	id := userOf(t, d).deploy(canistertest.Fixture("assets"))
	if _, err := d.Instances().Fork(t.Context(), &instance.ForkSpec{Placement: instance.Placement{Name: "twin"}, Source: instance.Default}); err != nil {
		t.Fatal(err)
	}
	b := pageClientOf(t, d)
	_, page := b.ask(http.MethodGet, "127.0.0.1/_/dashboard", "Accept: text/html")
	for _, want := range []string{
		"Instance default", `<a href="/_/canister/` + id.String() + `">`,
		"Instance twin", `<a href="/instances/twin/_/canister/` + id.String() + `">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %q: %s", want, page)
		}
	}
	b.expect([][3]string{
		{"GET 127.0.0.1/_/canister/" + id.String(), "200", `<a href="http://` + id.String() + ".localhost:" + b.port + `/">`},
		{"GET 127.0.0.1/_/canister/" + id.String(), "200", "canisterd --url http://127.0.0.1:" + b.port + " -i default canister "},
		{"GET 127.0.0.1/instances/twin/_/canister/" + id.String(), "200", `<a href="http://` + id.String() + ".twin.localhost:" + b.port + `/">`},
		{"GET 127.0.0.1/_/canister/aaaaa-aa", "404", "CanisterNotFound"},
		{"GET 127.0.0.1/_/canister/pear", "404", "CanisterNotFound"},
		{"GET " + id.String() + ".twin.localhost/", "200", `<script src="/app.js">`},
		{"POST " + id.String() + ".twin.localhost/count", "200", "number 1"},
		{"POST " + id.String() + ".localhost/count", "200", "number 1"},
		{"GET " + id.String() + ".localhost/instances/twin/page", "200", `<script src="/app.js">`},
		{"GET 127.0.0.1/instances/twin/_/topology", "200", `"default_effective_canister_id":{"canister_id":`},
		{"GET 127.0.0.1/instances/none/_/topology", "404", "none"},
		{"GET localhost/_/topology", "200", `"subnet_kind":"Application"`},
	})
}

func TestPagesOfStrangersSeeNoPagesOfCanisters(t *testing.T) {
	d := started(t, Config{})
	id := userOf(t, d).deploy(canistertest.Fixture("assets"))
	b := pageClientOf(t, d)
	b.expect([][3]string{
		{"GET rebound.evil.example/", "403", "UnknownDomain"},
		{"GET rebound.evil.example/_/dashboard", "403", "UnknownDomain"},
		{"GET rebound.evil.example/?canisterId=" + id.String(), "403", "UnknownDomain"},
		{"GET " + id.String() + ".evil.example/", "403", "UnknownDomain"},
		{"GET rebound.evil.example/instances/default/_/dashboard", "403", "UnknownDomain"},
	})
	if response, _ := b.ask(http.MethodGet, "127.0.0.1/_/dashboard", "Origin: https://evil.example"); response.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a page of strangers may read the dashboard")
	}
}

func TestDomainsAndNamesAreConfigured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "domains.txt")
	var id principal.Principal
	d := started(t, Config{Gateway: Gateway{
		Domains: []string{"canisters.example"}, DomainsFile: file, Unverified: true,
		Names: func(_, name string) (principal.Principal, bool) { return id, name == "assets" },
	}})
	id = userOf(t, d).deploy(canistertest.Fixture("assets"))
	if err := os.WriteFile(file, []byte("my.page:"+id.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pageClientOf(t, d).expect([][3]string{
		{"GET assets.localhost/", "200", `<script src="/app.js">`},
		{"GET my.page/", "200", `<script src="/app.js">`},
		{"GET " + id.String() + ".canisters.example/", "200", `<script src="/app.js">`},
		{"GET " + id.String() + ".localhost/bare", "200", "without a certificate"},
	})
}
