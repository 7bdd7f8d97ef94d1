package inspect

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestToolsAnswerTheUserWithTheTokenAndNoPage(t *testing.T) {
	tools := newTestHandler().ForBearers(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for name, row := range map[string]struct {
		host    string
		headers map[string]string
		status  int
	}{
		"the user":                       {"127.0.0.1:4943", map[string]string{"Authorization": "Bearer " + secret}, http.StatusNoContent},
		"the user at an allowed host":    {"proxy.test", map[string]string{"Authorization": "Bearer " + secret}, http.StatusNoContent},
		"without a token":                {"127.0.0.1:4943", nil, http.StatusUnauthorized},
		"with another token":             {"127.0.0.1:4943", map[string]string{"Authorization": "Bearer " + secret + "0"}, http.StatusUnauthorized},
		"with the token in another form": {"127.0.0.1:4943", map[string]string{"Authorization": secret}, http.StatusUnauthorized},
		"with the cookie of a session":   {"127.0.0.1:4943", map[string]string{"Cookie": "canisterd_inspector_4943=" + session{secret}.cookie("127.0.0.1:4943")}, http.StatusUnauthorized},
		"at another host":                {"evil.example", map[string]string{"Authorization": "Bearer " + secret}, http.StatusForbidden},
		"a page of another origin":       {"127.0.0.1:4943", map[string]string{"Authorization": "Bearer " + secret, "Origin": "https://evil.example"}, http.StatusForbidden},
		"a page of another port":         {"127.0.0.1:4943", map[string]string{"Authorization": "Bearer " + secret, "Origin": "http://127.0.0.1:3000"}, http.StatusForbidden},
		"a page of a sandbox":            {"127.0.0.1:4943", map[string]string{"Authorization": "Bearer " + secret, "Origin": "null"}, http.StatusForbidden},
		"a page of another site":         {"127.0.0.1:4943", map[string]string{"Authorization": "Bearer " + secret, "Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
		r.Host = row.host
		for header, value := range row.headers {
			r.Header.Set(header, value)
		}
		w := httptest.NewRecorder()
		tools.ServeHTTP(w, r)
		if w.Code != row.status {
			t.Errorf("%s gets %d, want %d", name, w.Code, row.status)
		}
	}
}
