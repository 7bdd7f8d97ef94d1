package systemcanisters

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

func TestAModuleIsFoundByTheNameOfItsFileAndByItsHash(t *testing.T) {
	content := []byte("a module")
	hash := sha256.Sum256(content)
	p := published{file: "published.wasm.gz", tested: hex.EncodeToString(hash[:])}
	for _, name := range []string{p.file, p.tested, p.tested + ".wasm.gz"} {
		folder := t.TempDir()
		if _, file, err := p.find(folder); file != "" || err != nil {
			t.Errorf("an empty folder has %q (%v)", file, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
		if module, file, err := p.find(folder); err != nil || string(module) != string(content) || file != filepath.Join(folder, name) {
			t.Errorf("%s: %q in %q (%v)", name, module, file, err)
		}
	}
}
