package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMistakesInFilesForOtherSystemsAreFound(t *testing.T) {
	for _, c := range []struct {
		what, windows string
		found         bool
	}{
		{"no mistake", "package p\n\nfunc twice(n int) int { return 2 * n }\n", false},
		{"a type error", "package p\n\nvar n int = \"one\"\n", true},
		{"a symbol that the system lacks", "package p\n\nimport \"syscall\"\n\nvar _ = syscall.SIGUSR1\n", true},
		{"a mistake that vet finds", "package p\n\nfunc self(n int) { n = n }\n", true},
	} {
		folder := t.TempDir()
		for name, content := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": "package p\n", "p_windows.go": c.windows} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := vetFor(t.Context(), folder, "windows/amd64"); (err != nil) != c.found {
			t.Errorf("%s on Windows: %v", c.what, err)
		}
		if err := vetFor(t.Context(), folder, "linux/amd64"); err != nil {
			t.Errorf("%s on Windows, seen from Linux: %v", c.what, err)
		}
	}
}
