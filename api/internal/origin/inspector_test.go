package origin

import "testing"

func TestTheCookieOfASessionNamesItsPort(t *testing.T) {
	for host, want := range map[string]string{
		"127.0.0.1:4943": "canisterd_inspector_4943", "[::1]:80": "canisterd_inspector_80",
		"proxy.test": "canisterd_inspector", "[::1]": "canisterd_inspector",
	} {
		if got := SessionCookie(host); got != want {
			t.Errorf("at %s it is %s, want %s", host, got, want)
		}
	}
}

func TestSessionsAreRemovedFromCookies(t *testing.T) {
	for cookies, want := range map[string]string{
		"":                                     "",
		"a=1; b=2":                             "a=1; b=2",
		"canisterd_inspector_4943=x":           "",
		"a=1;canisterd_inspector_4943=x; b=2":  "a=1; b=2",
		" canisterd_inspector=x ;a=canisterd_": "a=canisterd_",
	} {
		if got := WithoutSessions(cookies); got != want {
			t.Errorf("%q becomes %q, want %q", cookies, got, want)
		}
	}
}
