package control_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/test/canistertest"
)

// checkpoints is how many files this process has open under a folder: a checkpoint file is unlinked, so that nothing of
// it is left however the daemon ends.
func checkpoints(t *testing.T, folder string) (open int) {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d open files: %v", len(all), err)
	}
	for _, fd := range all {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, folder+"/") {
			open++
		}
	}
	return open
}

func TestWhatGoesOnInAFolderStaysInItAndEndsWithTheLast(t *testing.T) {
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	folder := filepath.Join(t.TempDir(), "made", "by", "the daemon")
	found := func(instance string, want int) {
		t.Helper()
		i := must(a, a.instances.GetInstance, &controlv1.GetInstanceRequest{Instance: instance}).GetInstance()
		if got := checkpoints(t, folder); got != want || i.GetStateDir() != folder {
			t.Errorf("%d files are open, want %d; %s is in %q", got, want, instance, i.GetStateDir())
		}
	}
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "first", Pacing: manual, StateDir: folder})
	id := must(a, a.canisters.CreateCanister, &controlv1.CreateCanisterRequest{Instance: "first"}).GetCanisterId()
	if _, err := a.upload(&controlv1.InstallHead{Instance: "first", CanisterId: id}, canistertest.Fixture("counter")); err != nil {
		t.Fatal(err)
	}
	a.expect("at first", a.counting("first", id), "(1 : nat)")
	found("first", 1)

	// Snapshots and forks are on the engine of their source, whose folder it is.
	must(a, a.instances.TakeSnapshot, &controlv1.TakeSnapshotRequest{Instance: "first", Snapshot: "one"})
	a.expect("then", a.counting("first", id), "(2 : nat)")
	must(a, a.instances.ForkInstance, &controlv1.ForkInstanceRequest{Instance: "first", Snapshot: "one", Name: "fork"})
	a.expect("in the fork", a.counting("fork", id), "(2 : nat)")
	must(a, a.instances.RestoreSnapshot, &controlv1.RestoreSnapshotRequest{Instance: "first", Snapshot: "one"})
	a.expect("restored", a.counting("first", id), "(2 : nat)")
	found("fork", 1)

	// Two of one folder do not know of each other.
	file, err := a.export(&controlv1.ExportInstanceRequest{Instance: "first"})
	if err != nil {
		t.Fatal(err)
	}
	a.imported("into the same folder", &controlv1.ImportOptions{Instance: "second", Pacing: manual, StateDir: folder}, file)
	found("second", 2)
	a.expect("in the second", a.counting("second", id), "(3 : nat)")
	a.expect("in the first", a.counting("first", id), "(3 : nat)")

	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "first"})
	found("fork", 2)
	a.expect("in the fork", a.counting("fork", id), "(3 : nat)")
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "fork"})
	found("second", 1)
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "second"})
	if left, err := os.ReadDir(folder); checkpoints(t, folder) != 0 || err != nil || len(left) != 0 {
		t.Errorf("%d files are open, %d are in the folder (%v)", checkpoints(t, folder), len(left), err)
	}
}

func TestAFolderThatCannotBeUsedIsReportedWithTheReason(t *testing.T) {
	a := served(t, daemon.Config{Pacing: daemon.Manual})
	file, err := a.export(&controlv1.ExportInstanceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a.mask(dir, "/DIR")
	note := filepath.Join(dir, "note")
	if err := os.WriteFile(note, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"relative", "../up", note, note + "/in"} {
		call(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{StateDir: folder})
		a.imported("as a file", &controlv1.ImportOptions{StateDir: folder}, file)
	}
	a.compare("instances_folders")
	// Not even the system's own user can make files in the first two.
	for _, folder := range []string{"/proc", "/proc/none", dir + "/\x00", dir + "/" + strings.Repeat("n", 300)} {
		_, err := a.instances.CreateInstance(a.ctx, &controlv1.CreateInstanceRequest{StateDir: folder})
		if info := whyOf(err); info.GetReason() != "BAD_FOLDER" {
			t.Errorf("%.40q: %v", folder, err)
		}
	}

	// A folder with something in it may be used; what is there stays as it was.
	must(a, a.instances.CreateInstance, &controlv1.CreateInstanceRequest{Instance: "there", StateDir: dir})
	// One that is made for an instance that there is not cannot be used either.
	if _, err := a.instances.CreateInstance(a.ctx, &controlv1.CreateInstanceRequest{StateDir: dir, Subnets: []*controlv1.SubnetSpec{{Admins: []string{"aaaaa-aa"}}}}); err == nil {
		t.Error("there is no such network")
	}
	if open := checkpoints(t, dir); open != 1 {
		t.Errorf("%d files are open for one instance", open)
	}
	must(a, a.instances.DeleteInstance, &controlv1.DeleteInstanceRequest{Instance: "there"})
	if got, err := os.ReadFile(note); string(got) != "mine" || err != nil || checkpoints(t, dir) != 0 {
		t.Errorf("the file of somebody else has %q: %v; %d files are open", got, err, checkpoints(t, dir))
	}
	if left := must(a, a.instances.ListInstances, &controlv1.ListInstancesRequest{}).GetInstances(); len(left) != 1 {
		t.Errorf("%d instances are there", len(left))
	}
}
