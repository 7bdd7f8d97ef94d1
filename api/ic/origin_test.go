package ic

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/canisterd/canisterd/api"
	"github.com/canisterd/canisterd/api/internal/wire"
	"github.com/canisterd/canisterd/candid/principal"
)

func TestPagesOfStrangersCannotUseProvisionalMethods(t *testing.T) {
	const own = "127.0.0.1:4943"
	for _, row := range []struct {
		host, origin string
		foreign      string
	}{
		{own, "", ""},
		{own, "http://localhost:3000", ""},
		{own, "http://LOCALHOST", ""},
		{own, "http://ryjl3-tyaaa-aaaaa-aaaba-cai.localhost:4943", ""},
		{own, "http://127.0.0.1:8000", ""},
		{own, "http://[::1]:8000", ""},
		{own, "https://evil.example", `Origin: https://evil.example`},
		{own, "https://localhost.evil.example", `Origin: https://localhost.evil.example`},
		{own, "https://notlocalhost", `Origin: https://notlocalhost`},
		{own, "http://192.168.1.5:4943", `Origin: http://192.168.1.5:4943`},
		{own, "null", `Origin: null`},
		{own, "http://%zz", `Origin: http://%zz`},
		{"localhost:4943", "", ""},
		{"aaaaa-aa.localhost:4943", "", ""},
		{"[::1]:4943", "", ""},
		{"192.168.1.5", "", ""},
		{"canisterd:4943", "", ""},
		{"host.docker.internal:4943", "", ""},
		{"rebound.evil.example:4943", "", `Host: rebound.evil.example:4943`},
		{"rebound.evil.example.", "", `Host: rebound.evil.example.`},
		{"rebound.evil.example", "http://localhost", `Host: rebound.evil.example`},
	} {
		for _, method := range []string{"provisional_create_canister_with_cycles", "provisional_top_up_canister", "install_code"} {
			n := newFakeNetwork(t)
			n.answer = echo
			n.submit = func(*api.Ingress) (api.Receipt, error) { return api.Receipt{}, nil }
			signed := sign(t, wire.NewCall(principal.Management, method, nil), alice(t))
			r := newRequest(http.MethodPost, canisterURL("v2", principal.Management, "call"), signed.Body)
			r.URL.Path = canisterURL("v2", appCanister, "call")
			r.Host = row.host
			if row.origin != "" {
				r.Header.Set("Origin", row.origin)
			}
			w := httptest.NewRecorder()
			New(n, Info{}).ServeHTTP(w, r)
			if row.foreign == "" || method == "install_code" {
				if w.Code == http.StatusForbidden {
					t.Errorf("%s with Host %q and Origin %q: %d %s", method, row.host, row.origin, w.Code, w.Body)
				}
				continue
			}
			wantRefusal(t, w, http.StatusForbidden, method+` is refused for a request with "`+row.foreign+`"`)
			if n.submitted != 0 {
				t.Errorf("%s with Host %q and Origin %q was handed in", method, row.host, row.origin)
			}
		}
	}
}
