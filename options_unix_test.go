//go:build unix

package canisterd_test

import (
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
)

func TestAFolderForCompiledModulesThatOthersCanWriteIsRefused(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := canisterd.Open(t.Context(), canisterd.Cache(folder))
	if err == nil || !strings.Contains(err.Error(), folder+" can be written by other users") {
		t.Errorf("the error is %v", err)
	}
}
