package control_test

import (
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// Instances with a folder for their memories have an engine of their own.
func TestAModuleOfOneInstanceIsInstalledByItsHashInAnother(t *testing.T) {
	t.Parallel()
	a := served(t, daemon.Config{})
	module := canistertest.Fixture("counter")
	hash := sha256.Sum256(module)
	create := func(instance string) (id string) {
		return must(a, a.canisters.CreateCanister, &controlv1.CreateCanisterRequest{Instance: instance}).GetCanisterId()
	}
	byHash := func(instance, id string) error {
		installed, err := a.upload(&controlv1.InstallHead{Instance: instance, CanisterId: id, ModuleHash: hash[:]}, nil)
		if err == nil && !slices.Equal(installed.GetModuleHash(), hash[:]) {
			t.Errorf("instance %s has module %x, want %x", instance, installed.GetModuleHash(), hash)
		}
		return err
	}
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "folder", StateDir: t.TempDir()})
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "other"})
	first, folder, other := a.installed(module, nil), create("folder"), create("other")
	if err := byHash("folder", folder); err != nil {
		t.Error(err)
	}
	must(a, a.canisters.UninstallCode, &controlv1.UninstallCodeRequest{CanisterId: first})
	if err := byHash("other", other); err != nil {
		t.Error(err)
	}
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "other"})
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "folder"})
	if reason := whyOf(byHash("default", first)).GetReason(); reason != "MODULE_UNKNOWN" {
		t.Errorf("once no instance has the module, its installation is refused with %q", reason)
	}
}
