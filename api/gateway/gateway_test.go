package gateway

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

func TestAHostNamesACanister(t *testing.T) {
	file := filepath.Join(t.TempDir(), "domains.txt")
	if err := os.WriteFile(file, []byte("# ours\nShop.local.localhost: "+shop.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := shop.String()
	g := New(&fakeNetwork{name: "fork"}, Config{Domains: []string{"Example.com"}, DomainsFile: file, Names: func(_, name string) (principal.Principal, bool) {
		return shop, name == "shop"
	}})
	for _, row := range []struct {
		host, query, referer string
		want                 string
	}{
		{id + ".localhost:4943", "", "", "canister"},
		{strings.ToUpper(id) + ".LOCALHOST.", "", "", "canister"},
		{id + ".raw.localhost:4943", "", "", "canister raw"},
		{id + ".fork.localhost", "", "", "canister"},
		{id + ".raw.fork.localhost", "", "", "canister raw"},
		{id + ".fork.raw.localhost", "", "", "canister raw"},
		{id + ".other.localhost", "", "", "no instance"},
		{id + ".a.b.localhost", "", "", "no instance"},
		{id + ".example.com", "", "", "canister"},
		{id + ".other.com", "", "", "foreign"},
		{"pull-9--" + id + ".localhost", "", "", "canister"},
		{"shop.localhost", "", "", "canister"},
		{"pear.localhost", "", "", `label "pear"`},
		{"shop.local.localhost", "", "", "canister"},
		{"localhost:4943", "", "", "nothing"},
		{"localhost:4943", "?canisterId=" + id, "", "canister"},
		{"127.0.0.1:4943", "?canisterId=" + id, "", "canister"},
		{"127.0.0.1:4943", "?canisterId=pear", "", "nothing"},
		{"127.0.0.1:4943", "", "http://127.0.0.1:4943/?canisterId=" + id, "canister"},
		{"127.0.0.1:4943", "", "http://evil.example/?canisterId=" + id, "nothing"},
		{"[::1]:4943", "", "", "nothing"},
		{"canisterd:4943", "", "", "nothing"},
		{"rebound.evil.example", "?canisterId=" + id, "", "foreign"},
		{"example.com", "", "", "nothing"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/"+row.query, http.NoBody)
		r.Host = row.host
		r.Header.Set("Referer", row.referer)
		to := g.resolve(r)
		got := "nothing"
		switch {
		case to.foreign:
			got = "foreign"
		case to.network == nil:
			got = "no instance"
		case to.found && to.raw:
			got = "canister raw"
		case to.found:
			got = "canister"
		case to.label != "":
			got = fmt.Sprintf("label %q", to.label)
		}
		if got != row.want || to.found && to.canister != shop {
			t.Errorf("%s%s from %s: %s (%s), want %s", row.host, row.query, row.referer, got, to.canister, row.want)
		}
	}
}

func TestAFileOfDomainsIsReadAgainWhenItChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "domains.txt")
	var faults []string
	d := &customDomains{path: path, fail: func(err error) { faults = append(faults, err.Error()) }}
	for _, row := range []struct {
		content, host string
		found         bool
	}{
		{"", "a.localhost", false},
		{"a.localhost:" + shop.String() + "\n", "a.localhost", true},
		{"b.localhost:" + shop.String() + "\n\n", "a.localhost", false},
		{"bad line\nc.localhost:" + shop.String(), "c.localhost", true},
	} {
		if row.content != "" {
			if err := os.WriteFile(path, []byte(row.content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, found := d.find(row.host); found != row.found {
			t.Errorf("%q: %s is found: %t", row.content, row.host, found)
		}
	}
	if len(faults) != 1 || !strings.Contains(faults[0], `invalid line 1`) || !strings.Contains(faults[0], "expected HOST:CANISTER") {
		t.Errorf("the faults are %q", faults)
	}
}

func TestOwnPagesAreOnHostsWithoutACanister(t *testing.T) {
	n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200, Body: []byte("the canister's")} })
	g := New(n, Config{})
	const browser = "Accept: text/html,application/xhtml+xml"
	for _, row := range []struct {
		url, accept string
		status      int
		want        string
	}{
		{"http://localhost:4943/", browser, 200, "<h2>Instance default</h2>"},
		{"http://127.0.0.1:4943/_/dashboard", "", 200, `<a href="/_/canister/` + shop.String() + `">`},
		{"http://127.0.0.1:4943/_/canister/" + shop.String(), "", 200, `<a href="http://` + shop.String() + `.localhost:4943/">`},
		{"http://127.0.0.1:4943/_/canister/" + shop.String(), "", 200, "<h1>&lt;shop&gt;</h1>"},
		{"http://127.0.0.1:4943/_/canister/aaaaa-aa", "", 404, "CanisterNotFound"},
		{"http://evil.example/_/canister/" + shop.String(), "", 403, "UnknownDomain"},
		{rawShop + "/_/canister/" + shop.String(), "", 200, "the canister's"},
		{"http://127.0.0.1:4943/_/dashboard", "", 200, "&lt;running&gt;"},
		{"http://127.0.0.1:4943/_/dashboard", "", 200, "<th>Subnet</th>"},
		{"http://127.0.0.1:4943/_/dashboard", "", 200, "<td><code>" + subnet.String() + "</code></td>"},
		{"http://localhost:4943/", "", 400, "CanisterIdNotFound"},
		{"http://localhost:4943/page", browser, 400, "<h1>There is nothing at &#34;/page&#34;"},
		{"http://localhost:4943/_/topology", "", 200, `{"of":"default"}`},
		{"http://localhost:4943/health", "", 204, ""},
		{"http://localhost:4943/api/v2/status", "", 200, "interface of default"},
		{"http://localhost:4943/api/v9/status", "", 200, "interface of default"},
		{rawShop + "/api/v2/status", "", 200, "interface of default"},
		{rawShop + "/api/items", "", 200, "the canister's"},
		{rawShop + "/health", "", 200, "the canister's"},
		{rawShop + "/_/dashboard", "", 200, "the canister's"},
		{"http://pear.localhost/", "Accept: application/json", 400, `"code":"CanisterIdNotFound"`},
		{"http://evil.example/", browser, 403, "is not served here"},
		{"http://evil.example/_/dashboard", "", 403, "UnknownDomain"},
		{"http://evil.example/_/topology", "", 403, "UnknownDomain"},
		{"http://aaaaa-aa.other.localhost/", "", 404, "InstanceNotFound"},
	} {
		w := get(g, http.MethodGet, row.url, row.accept)
		if w.Code != row.status || !strings.Contains(w.Body.String(), row.want) {
			t.Errorf("%s with %q: %d %s, want %d with %q", row.url, row.accept, w.Code, w.Body, row.status, row.want)
		}
		if strings.Contains(w.Body.String(), "Instance default") && w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: pages of strangers may read the list of canisters", row.url)
		}
	}
}

func TestAnAnswerWithoutACertificateIsShownAtRawHostsAlone(t *testing.T) {
	n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200, Body: []byte("shown")} })
	verified := strings.Replace(rawShop, ".raw", "", 1) + "/"
	for _, row := range []struct {
		url        string
		unverified bool
		want       string
	}{
		{rawShop + "/", false, "shown"},
		{verified, true, "shown"},
		{verified, false, "ResponseVerificationFailed: The answer of the canister is not certified, or it was changed after the canister certified it.\n" +
			"canister: " + shop.String() + "\ncause: the response has no header IC-Certificate: the canister does not certify it\n" +
			"Certify the response in the canister, or look at it without verification at " + strings.TrimPrefix(rawShop, "http://") + ".\n"},
	} {
		if w := get(New(n, Config{Unverified: row.unverified}), http.MethodGet, row.url); w.Body.String() != row.want {
			t.Errorf("%s: %s", row.url, w.Body)
		}
	}
}

func TestACanisterNeverGetsTheSessionOfTheInspector(t *testing.T) {
	var got []string
	n := answering(t, func(r queryArgument) canisterAnswer {
		got = nil
		for _, h := range r.Headers {
			if h.Name == "cookie" {
				got = append(got, h.Value)
			}
		}
		return canisterAnswer{Status: 200}
	})
	g := New(n, Config{Unverified: true})
	for cookies, want := range map[string]string{
		"canisterd_inspector_4943=secret":      "[]",
		"a=1; canisterd_inspector_4943=secret": "[a=1]",
		"a=1; canisterd_inspector=secret; b=2": "[a=1; b=2]",
	} {
		get(g, http.MethodGet, rawShop+"/", "Cookie: "+cookies)
		if fmt.Sprint(got) != want {
			t.Errorf("of %q, a canister gets %v, want %s", cookies, got, want)
		}
	}
}

func TestACanisterGetsTheRequestWithoutHeadersOfTheConnection(t *testing.T) {
	var got queryArgument
	n := answering(t, func(r queryArgument) canisterAnswer {
		got = r
		return canisterAnswer{Status: 201, Headers: []verify.Header{
			{Name: "X-One", Value: "1"},
			{Name: "x-one", Value: "2"},
			{Name: "Connection", Value: "close"},
			{Name: "Transfer-Encoding", Value: "chunked"},
			{Name: "Content-Length", Value: "999"},
			{Name: "bad name", Value: "1"},
			{Name: "X-Split", Value: "a\r\nb: c"},
			{Name: "ETag", Value: `"e"`},
		}, Body: []byte("made")}
	})
	r := httptest.NewRequest(http.MethodPut, rawShop+"/a%20b?x=1", strings.NewReader("content"))
	for name, value := range map[string]string{
		"Connection": "x-mine", "X-Mine": "1", "Te": "trailers", "X-Request-Id": "9", "Accept-Encoding": "gzip", "If-None-Match": `"e"`,
	} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	New(n, Config{}).ServeHTTP(w, r)
	wantHeaders := fmt.Sprint([]verify.Header{
		{Name: "accept-encoding", Value: "gzip, identity"}, {Name: "host", Value: strings.TrimPrefix(rawShop, "http://")}, {Name: "if-none-match", Value: `"e"`},
	})
	if got.Method != "PUT" || got.URL != "/a%20b?x=1" || string(got.Body) != "content" || fmt.Sprint(got.Headers) != wantHeaders || *got.Version != 2 {
		t.Errorf("the canister got %+v", got)
	}
	for name, want := range map[string]string{
		"X-One": "[1 2]", "Connection": "[]", "Transfer-Encoding": "[]", "Content-Length": "[4]", "X-Split": "[]", "Etag": `["e"]`,
		"X-Ic-Canister-Id": "[" + shop.String() + "]", "Access-Control-Allow-Origin": "[*]",
	} {
		if got := fmt.Sprint(w.Header().Values(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if w.Code != http.StatusCreated || w.Body.String() != "made" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestARequestIsUpgradedToAnUpdate(t *testing.T) {
	n := answering(t, nil)
	n.call = func(method string, arg []byte) []byte {
		if method == "http_request" {
			return encoded(canisterAnswer{Status: 200, Upgrade: new(true), Body: []byte("ignored")})
		}
		if asked(t, arg).Version != nil {
			t.Error("the update has a certificate_version")
		}
		return encoded(canisterAnswer{Status: 202, Upgrade: new(true), Body: []byte("updated")})
	}
	url := strings.Replace(rawShop, ".raw", "", 1)
	w := get(New(n, Config{}), http.MethodPost, url+"/")
	if w.Code != http.StatusAccepted || w.Body.String() != "updated" || fmt.Sprint(n.methods) != "[http_request http_request_update]" {
		t.Errorf("%d %s by %v", w.Code, w.Body, n.methods)
	}
	n.call = func(method string, _ []byte) []byte {
		if method == "http_request" {
			return encoded(canisterAnswer{Status: 200, Upgrade: new(true)})
		}
		return nil
	}
	if w := get(New(n, Config{}), http.MethodPost, url+"/"); w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "reject code 4: not today") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestPreflightsAreAnsweredByTheGateway(t *testing.T) {
	n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200, Body: []byte("options")} })
	w := get(New(n, Config{}), http.MethodOptions, rawShop+"/", "Access-Control-Request-Method: PUT", "Origin: http://localhost:3000")
	if w.Code != http.StatusNoContent || !strings.Contains(w.Header().Get("Access-Control-Allow-Methods"), "PUT") || len(n.methods) != 0 {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := get(New(n, Config{}), http.MethodOptions, rawShop+"/"); w.Body.String() != "options" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAFaultIsShownInTheFormThatTheClientWants(t *testing.T) {
	n := &fakeNetwork{name: "default", call: func(string, []byte) []byte { return nil }}
	for accept, want := range map[string]string{
		"Accept: text/html":                  "<pre>reject code 5: the canister &lt;traps&gt;</pre>",
		"Accept: application/json":           `"cause":"reject code 5: the canister <traps>","remedy":"Read the canister's log: canisterd canister logs.","canister_id":"` + shop.String() + `"`,
		"Accept: image/png, text/plain, */*": "cause: reject code 5: the canister <traps>\n",
		"Accept: */*":                        "CanisterReject: The canister, or the system, rejects the request.\n",
	} {
		w := get(New(n, Config{}), http.MethodGet, rawShop+"/", accept)
		if w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), want) || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %d %s", accept, w.Code, w.Body)
		}
	}
}

func TestAnAnswerThatIsNotAResponseIsAFault(t *testing.T) {
	for name, row := range map[string]struct {
		reply []byte
		want  string
	}{
		"no Candid":    {[]byte("hello"), "its type must be record { status_code"},
		"another type": {encoded("text"), "its type must be record { status_code"},
		"status 99":    {encoded(canisterAnswer{Status: 99}), "invalid status code 99"},
		"another canister's callback": {
			encoded(canisterAnswer{Status: 200, Streaming: &strategy{&continuation{Callback: candid.Func{Service: principal.Canister(2), Method: "part"}}}}),
			"is a method of canister " + principal.Canister(2).String(),
		},
		"206 without a range": {encoded(canisterAnswer{Status: 206}), `invalid header Content-Range ""`},
		"many headers":        {encoded(canisterAnswer{Status: 200, Headers: make([]verify.Header, maxHeaders+1)}), "its headers are more than 256"},
	} {
		n := &fakeNetwork{name: "default", call: func(string, []byte) []byte { return row.reply }}
		w := get(New(n, Config{}), http.MethodGet, rawShop+"/")
		if w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "InvalidAnswer") || !strings.Contains(w.Body.String(), row.want) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestAMissingCanisterAndALargeBodyAreFaults(t *testing.T) {
	n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200} })
	missing := strings.Replace(rawShop, shop.String(), principal.Canister(2).String(), 1)
	if w := get(New(n, Config{}), http.MethodGet, missing+"/"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "CanisterNotFound") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for size, want := range map[int]int{2_031_616: 200, 2_031_617: 413} {
		for _, announced := range []bool{true, false} {
			r := httptest.NewRequest(http.MethodPost, rawShop+"/", strings.NewReader(strings.Repeat("x", size)))
			if !announced {
				r.ContentLength = -1
			}
			w := httptest.NewRecorder()
			New(n, Config{}).ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%d bytes: %d %s", size, w.Code, w.Body)
			}
		}
	}
}
