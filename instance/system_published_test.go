package instance_test

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

func TestPublishedModulesOfAFolderAreInstalled(t *testing.T) {
	folder, module := t.TempDir(), wat.MustAssemble(`(module)`) // takes any argument
	for _, file := range []string{"internet_identity_dev.wasm.gz", "ledger-canister.wasm.gz"} {
		if err := os.WriteFile(filepath.Join(folder, file), module, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	r := registry(t, instance.Config{SystemModules: folder, Log: slog.New(slog.NewTextHandler(&log, nil))})
	i := made(t, r, &instance.Spec{
		Pacing:          instance.Pacing{Mode: instance.Auto},
		SystemCanisters: []systemcanisters.Name{systemcanisters.InternetIdentity, systemcanisters.ICPToken, systemcanisters.CyclesToken},
	})
	hash := sha256.Sum256(module)
	for name, theirs := range map[systemcanisters.Name]bool{systemcanisters.InternetIdentity: true, systemcanisters.ICPToken: true, systemcanisters.CyclesToken: false} {
		installed := i.Driver().Module(name.ID())
		if installed == nil || (installed.Hash() == hash) != theirs {
			t.Errorf("%s has the published module: %v, want %v", name, !theirs, theirs)
		}
		if told := strings.Contains(log.String(), "canister="+string(name)); told != theirs {
			t.Errorf("the log names %s: %v", name, told)
		}
	}
	if !strings.Contains(log.String(), hex.EncodeToString(hash[:])) {
		t.Errorf("the log does not have the SHA-256: %s", &log)
	}
}

func TestAnInstanceIsNotMadeWithoutAPublishedModule(t *testing.T) {
	r := registry(t, instance.Config{})
	_, err := r.Create(t.Context(), &instance.Spec{SystemCanisters: []systemcanisters.Name{systemcanisters.InternetIdentity}})
	if err == nil || !strings.Contains(err.Error(), "download internet_identity_dev.wasm.gz from") {
		t.Errorf("the instance is made without its module: %v", err)
	}
}
