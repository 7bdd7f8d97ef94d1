package clone_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
)

func TestTheRecordOfACloneHasAtMostAMebibyte(t *testing.T) {
	cache := clone.Cache(t.TempDir())
	canister := principal.Canister(1)
	file := filepath.Join(string(cache), canister.String(), "0a", "clone.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	find := func(n int) error {
		if err := os.WriteFile(file, []byte("{}"+strings.Repeat(" ", n-len("{}"))), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := cache.Find(canister, []byte{0x0a})
		return err
	}
	if err := find(1 << 20); err != nil {
		t.Error(err)
	}
	if err := find(1<<20 + 1); err == nil || !strings.Contains(err.Error(), "clone.json has more than 1048576 bytes: that is the limit") {
		t.Errorf("a byte more: %v", err)
	}
}
