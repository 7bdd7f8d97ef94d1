package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAddressesAreWrittenInFourWays(t *testing.T) {
	for address, want := range map[string]struct {
		target       string
		secure, here bool
	}{
		"127.0.0.1:4943":         {"passthrough:///127.0.0.1:4943", false, true},
		"http://localhost:4943":  {"passthrough:///localhost:4943", false, true},
		"http://192.0.2.1:4943/": {"passthrough:///192.0.2.1:4943", false, false},
		"https://[::1]:443":      {"passthrough:///[::1]:443", true, true},
		"unix:///run/c.sock":     {"unix:/run/c.sock", false, true},
	} {
		target, secure, err := parse(address)
		if err != nil || target != want.target || secure != want.secure || isLocal(target) != want.here {
			t.Errorf("%s: %s, TLS %t, near %t (%v)", address, target, secure, isLocal(target), err)
		}
	}
	for _, address := range []string{"", "localhost", "http://localhost", "ftp://localhost:1", "http://%zz:1"} {
		if target, _, err := parse(address); err == nil {
			t.Errorf("%q is taken for %s", address, target)
		}
	}
}

func TestATokenNeverTravelsInTheClear(t *testing.T) {
	if d, err := Dial("http://192.0.2.1:4943", WithToken("secret")); err == nil {
		_ = d.Close()
		t.Error("the token would have been sent")
	} else if strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "https://") {
		t.Error(err)
	}
	for _, address := range []string{"127.0.0.1:1", "https://192.0.2.1:1", "unix:///nowhere"} {
		d, err := Dial(address, WithToken("secret"))
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		_ = d.Close()
	}
}

func TestCertificatesToTrustMustBeThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "roots.pem")
	if _, err := Dial("https://127.0.0.1:1", WithRoots(path)); err == nil {
		t.Error("a file that is not there was trusted")
	}
	if err := os.WriteFile(path, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial("https://127.0.0.1:1", WithRoots(path)); err == nil || !strings.Contains(err.Error(), "no certificate") {
		t.Errorf("an empty file: %v", err)
	}
}
