package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeChecksums writes the digests of all packages as sha256sum --check reads them.
func writeChecksums(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return os.WriteFile(filepath.Join(out, "checksums.txt"), []byte(list.String()), 0o644)
}
