package origin

import (
	"net/http/httptest"
	"testing"
)

func TestAllowedOriginsAndTheirHostsAreLocal(t *testing.T) {
	one := Allowed{"https://app.example", "http://10.0.0.7:8080"}
	for _, row := range []struct {
		allowed      Allowed
		host, origin string
		foreign      string
	}{
		{nil, "127.0.0.1:4943", "https://app.example", "Origin: https://app.example"},
		{nil, "127.0.0.1:4943", "http://localhost:3000", ""},
		{one, "127.0.0.1:4943", "https://app.example", ""},
		{one, "127.0.0.1:4943", "https://APP.example", ""},
		{one, "127.0.0.1:4943", "http://localhost:3000", ""},
		{one, "127.0.0.1:4943", "http://app.example", "Origin: http://app.example"},
		{one, "127.0.0.1:4943", "https://app.example:8443", "Origin: https://app.example:8443"},
		{one, "127.0.0.1:4943", "http://10.0.0.7", "Origin: http://10.0.0.7"},
		{one, "127.0.0.1:4943", "http://10.0.0.7:8080", ""},
		{one, "app.example:4943", "", ""},
		{one, "app.example", "https://evil.example", "Origin: https://evil.example"},
		{one, "evil.example", "https://app.example", "Host: evil.example"},
		{nil, "attacker.test:4943", "", "Host: attacker.test:4943"},
		{Allowed{"http://app.test"}, "app.test:4943", "http://app.test", ""},
		{nil, "host.docker.internal:4943", "", ""},
		{nil, "canisterd:4943", "", ""},
		{Allowed{"*"}, "evil.example", "https://evil.example", ""},
	} {
		r := httptest.NewRequest("POST", "/instances", nil)
		r.Host = row.host
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		if got := row.allowed.ForeignHeader(r); got != row.foreign {
			t.Errorf("%v, Host %q, Origin %q: %q, want %q", row.allowed, row.host, row.origin, got, row.foreign)
		}
	}
}

func TestOnlyWhatABrowserSendsIsAnOrigin(t *testing.T) {
	for text, good := range map[string]bool{
		"*": true, "https://app.example": true, "http://10.0.0.7:8080": true, "http://[::1]:80": true,
		"": false, "app.example": false, "https://app.example/": false, "https://": false, "https://a b": false, "null": false, "https://user@app.example": false,
	} {
		if err := (Allowed{text}).Check(); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}
