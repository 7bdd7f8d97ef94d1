package gateway

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/api/gateway/internal/verify"
	"github.com/canisterd/canisterd/api/internal/origin"
)

// inspectorAt is where the inspector of the tests is.
func inspectorAt(host string) bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1", "ic.test", "192.168.0.7"}, origin.Hostname(host))
}

// A page at the host of the inspector would be as powerful as the inspector.
func TestNoPageOfACanisterHasTheOriginOfTheInspector(t *testing.T) {
	n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200, Body: []byte("the canister's")} })
	const browser, navigation, frame = "Accept: text/html", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Mode: no-cors"
	own := "//" + shop.String() + ".localhost:4943"
	for _, row := range []struct {
		url, header string
		inspector   bool
		status      int
		location    string
		policy      string
	}{
		{"http://127.0.0.1:4943/", browser, true, 303, "/_/inspect/", ""},
		{"http://127.0.0.1:4943/", browser, false, 200, "", ""},
		{"http://127.0.0.1:4943/a/b?canisterId=" + shop.String() + "&x=1", browser, true, 307, own + "/a/b?x=1", ""},
		{"http://127.0.0.1:4943/a/b?canisterId=" + shop.String(), navigation, true, 307, own + "/a/b", ""},
		{"http://localhost:4943/?canisterId=" + shop.String(), navigation, true, 307, own + "/", ""},
		{"http://127.0.0.1:4943/a.js?canisterId=" + shop.String(), frame, true, 200, "", "sandbox"},
		{"http://127.0.0.1:4943/a?canisterId=" + shop.String(), "", true, 200, "", "sandbox"},
		{"http://127.0.0.1:4943/a?canisterId=" + shop.String(), browser, false, 200, "", ""},
		{"http://ic.test:80/a?canisterId=" + shop.String(), navigation, true, 307, "//" + shop.String() + ".ic.test:80/a", ""},
		{"http://192.168.0.7:4943/a?canisterId=" + shop.String(), navigation, true, 200, "", "sandbox"},
		{"http://[::1]:4943/a?canisterId=" + shop.String(), navigation, true, 307, own + "/a", ""},
		{"http://10.0.0.1:4943/a?canisterId=" + shop.String(), navigation, true, 200, "", ""},
		{"http://10.0.0.1:4943/", browser, true, 200, "", ""},
		{rawShop + "/a", browser, true, 200, "", ""},
	} {
		config := Config{Unverified: true, Domains: []string{"ic.test"}}
		if row.inspector {
			config.Inspector = inspectorAt
		}
		w := get(New(n, config), http.MethodGet, row.url, row.header)
		if policy := w.Header().Get("Content-Security-Policy"); row.policy != "" && policy != row.policy {
			t.Errorf("%s with %q: the policy is %q", row.url, row.header, policy)
		}
		if w.Code != row.status || w.Header().Get("Location") != row.location {
			t.Errorf("%s with %q: %d to %q, want %d to %q", row.url, row.header, w.Code, w.Header().Get("Location"), row.status, row.location)
		}
	}
}

// A browser keeps files of the inspector for long, also those of a time at which there was none.
func TestACanisterAnswersNoPathOfTheInspectorAtASharedHost(t *testing.T) {
	n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200, Body: []byte("the canister's")} })
	g := New(n, Config{Unverified: true})
	const at = "/_/inspect/files/0123/app.js"
	query := "?canisterId=" + shop.String()
	for _, row := range []struct {
		url, header string
		status      int
	}{
		{"http://127.0.0.1:4943" + at + query, "", 400},
		{"http://127.0.0.1:4943" + at, "Referer: http://127.0.0.1:4943/" + query, 400},
		{"http://127.0.0.1:4943/_/inspector" + query, "", 200},
		{rawShop + at, "", 200},
	} {
		if w := get(g, http.MethodGet, row.url, row.header); w.Code != row.status {
			t.Errorf("%s with %q: status %d, want %d: %s", row.url, row.header, w.Code, row.status, w.Body)
		}
	}
}

func TestACanisterSetsNoCookiesAtTheHostOfTheInspector(t *testing.T) {
	cookie := ""
	n := answering(t, func(queryArgument) canisterAnswer {
		return canisterAnswer{Status: 200, Headers: []verify.Header{{Name: "set-cookie", Value: cookie}}}
	})
	for _, row := range []struct {
		host, cookie string
		set          bool
	}{
		{"127.0.0.1:4943", "a=1", false},
		{"10.0.0.1:4943", "a=1", true},
		{shop.String() + ".ic.test", "a=1; Path=/", true},
		{shop.String() + ".ic.test", "a=1; Domain=ic.test", false},
		{shop.String() + ".ic.test", "a=1; domain = .ic.test", false},
		{shop.String() + ".ic.test", "a=1; Domain=" + shop.String() + ".ic.test", true},
		{shop.String() + ".ic.test", "a=1; Domain=other.test; Domain=ic.test", false},
	} {
		cookie = row.cookie
		at := url.URL{Scheme: "http", Host: row.host, Path: "/", RawQuery: "canisterId=" + shop.String()}
		for _, inspector := range []func(string) bool{inspectorAt, nil} {
			w := get(New(n, Config{Unverified: true, Domains: []string{"ic.test"}, Inspector: inspector}), http.MethodGet, at.String())
			if got := w.Header().Get("Set-Cookie"); w.Code != 200 || (got != "") != (row.set || inspector == nil) {
				t.Errorf("at %s, %q sets %q (%d)", row.host, row.cookie, got, w.Code)
			}
		}
	}
}

// twoInstances are a default instance, and one named raw as the hosts of unverified answers.
type twoInstances struct{ first, raw *fakeNetwork }

func (t twoInstances) Networks() []Network { return []Network{t.first, t.raw} }
func (t twoInstances) Network(name string) Network {
	switch name {
	case "":
		return t.first
	case t.raw.name:
		return t.raw
	}
	return nil
}

func TestAnInstanceNamedRawHasHostsForItsCanisters(t *testing.T) {
	answer := func(text string) func(queryArgument) canisterAnswer {
		return func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200, Body: []byte(text)} }
	}
	n := twoInstances{answering(t, answer("of the default instance")), answering(t, answer("of the instance raw"))}
	n.raw.name = "raw"
	g := New(n, Config{Inspector: inspectorAt})
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:4943/a?canisterId="+shop.String(), http.NoBody)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	g.ServeInstance(w, r, n.raw)
	if led := get(g, http.MethodGet, "http:"+w.Header().Get("Location")); w.Code != 307 || led.Body.String() != "of the instance raw" {
		t.Errorf("a browser is led to %q (%d), which is %s", w.Header().Get("Location"), w.Code, led.Body)
	}
}
