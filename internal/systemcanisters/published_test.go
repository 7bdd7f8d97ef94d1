package systemcanisters_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/systemcanisters"
)

func TestAMissingModuleIsNamedWithThePlaceWhereItIsPublished(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ folder, where string }{{"", systemcanisters.FolderVariable}, {folder, folder}} {
		modules := systemcanisters.Modules{Folder: c.folder}
		name, err := modules.Check([]systemcanisters.Name{systemcanisters.Registry, systemcanisters.InternetIdentity})
		missing, ok := errors.AsType[*systemcanisters.MissingError](err)
		if !ok || missing.Name != name || name != systemcanisters.InternetIdentity {
			t.Fatalf("folder %q: %v", c.folder, err)
		}
		for _, want := range []string{"internet_identity_dev.wasm.gz", "https://github.com/dfinity/internet-identity/releases", c.where, "SHA-256"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not name %s", err, want)
			}
		}
		if _, err := modules.Check(systemcanisters.All()); err != nil {
			t.Errorf("the canisters whose modules are here: %v", err)
		}
	}
	if _, err := systemcanisters.InternetIdentity.Module(); err == nil {
		t.Error("canisterd has a module of Internet Identity")
	}
}

// A file that is named by a hash is read, and refused if its content is another one.
func TestAModuleIsFoundByItsHash(t *testing.T) {
	const tested = "cc1630d642df788a6150e21a6f2c5ba721077d624d7778463c3326631364cd99"
	for _, name := range []string{tested, tested + ".wasm.gz"} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, name), []byte("another module"), 0o600); err != nil {
			t.Fatal(err)
		}
		modules := systemcanisters.Modules{Folder: folder}
		if _, err := modules.Check([]systemcanisters.Name{systemcanisters.InternetIdentity}); err == nil || !strings.Contains(err.Error(), name+" has another SHA-256, ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheModulesThatAreNotInstalledArePublishedElsewhere(t *testing.T) {
	for feature, want := range map[string]string{
		"nns_governance": "its module governance-canister.wasm.gz is published at https://github.com/dfinity/ic/releases",
		"ii":             "",
	} {
		if got := systemcanisters.Elsewhere(feature); got != want {
			t.Errorf("%s: %q, want %q", feature, got, want)
		}
	}
}

func TestAFolderOfModulesCanHaveUnreadableFiles(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "ledger-canister.wasm.gz"), 0o700); err != nil {
		t.Fatal(err)
	}
	modules := systemcanisters.Modules{Folder: folder, Found: func(name systemcanisters.Name, _ string, _ [sha256.Size]byte) { t.Errorf("%s is found", name) }}
	if _, err := modules.Check([]systemcanisters.Name{systemcanisters.ICPToken}); err == nil || !strings.Contains(err.Error(), "icp_token cannot be read") {
		t.Errorf("a folder in the place of a module: %v", err)
	}
}

func TestModulesAreFoundByTheirHash(t *testing.T) {
	folder := t.TempDir()
	for _, name := range systemcanisters.All() {
		own, err := name.Module()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := systemcanisters.ModuleOf(sha256.Sum256(own)); err != nil || !bytes.Equal(got, own) {
			t.Errorf("the module of %s is not found (%v)", name, err)
		}
	}
	if got, err := systemcanisters.ModuleOf([32]byte{}); got != nil || err != nil {
		t.Errorf("a hash of no module gives %d bytes (%v)", len(got), err)
	}
	hash := sha256.Sum256([]byte("published"))
	if got, file, err := systemcanisters.PublishedModule(folder, hash); got != nil || err != nil {
		t.Errorf("an empty folder has %s (%v)", file, err)
	}
	for _, name := range []string{"governance-canister.wasm.gz", "ledger-canister.wasm.gz", hex.EncodeToString(hash[:]), hex.EncodeToString(hash[:]) + ".wasm"} {
		path := filepath.Join(folder, name)
		for _, content := range []string{"another", "published"} {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, file, err := systemcanisters.PublishedModule(folder, hash)
			if found := content == "published"; err != nil || (string(got) == content) != found || found && file != path {
				t.Errorf("%s with %s: %q in %s (%v)", name, content, got, file, err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
