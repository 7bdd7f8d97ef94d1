//go:build unix

package gateway

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAFileOfCustomDomainsThatIsAPipeHoldsNoRequestUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "domains")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var failed error
	domains := customDomains{path: path, fail: func(err error) { failed = err }}
	if _, found := domains.find("my.page"); found || failed == nil || !strings.Contains(failed.Error(), path+" is a named pipe: it must be a regular file") {
		t.Errorf("found %v, error %v", found, failed)
	}
}
