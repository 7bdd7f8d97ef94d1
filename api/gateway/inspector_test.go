package gateway

import (
	"net/http"
	"testing"
)

// A page at the host of the inspector would be as powerful as the inspector.
func TestNoPageOfACanisterHasTheOriginOfTheInspector(t *testing.T) {
	n := answering(t, func(queryArgument) canisterAnswer { return canisterAnswer{Status: 200, Body: []byte("the canister's")} })
	const browser, navigation, frame = "Accept: text/html", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Mode: no-cors"
	own := "http://" + shop.String() + ".localhost:4943"
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
		{rawShop + "/a", browser, true, 200, "", ""},
	} {
		config := Config{Unverified: true}
		if row.inspector {
			config.Inspector = func() bool { return true }
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
