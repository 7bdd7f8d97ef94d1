//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/instance"
)

func TestAStateDirectoryIsCheckedReplayedCompactedAndRepaired(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for range 2 {
		d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir(), StateDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Driver().Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(code int, want string, args ...string) {
		t.Helper()
		var out, errOut bytes.Buffer
		if got := run(t.Context(), append(args, dir), &out, &errOut); got != code || !strings.Contains(out.String()+errOut.String(), want) {
			t.Errorf("canisterd %s: exit code %d, want %d and %q:\n%s%s", strings.Join(args, " "), got, code, want, &out, &errOut)
		}
	}
	expect(exitOK, "checkpoint  checkpoint-", "state", "check")
	expect(exitOK, "1 checkpoint compared", "replay")
	file := filepath.Join(t.TempDir(), "journal")
	expect(exitOK, file+": exported", "state", "export", file)
	states := map[string]bool{}
	for _, from := range []string{dir, file} {
		var out bytes.Buffer
		if code := run(t.Context(), []string{"replay", from}, &out, &out); code != exitOK || !strings.Contains(out.String(), "1 checkpoint compared") {
			t.Errorf("the replay of %s: exit code %d: %s", from, code, &out)
		}
		states[out.String()] = true
	}
	if len(states) != 1 {
		t.Errorf("directory and file come to %v", states)
	}
	expect(exitOK, "nothing is damaged", "state", "repair")
	newest, err := filepath.Glob(filepath.Join(dir, "checkpoint-*"))
	if err != nil || len(newest) != 2 {
		t.Fatalf("the checkpoints are %s: %v", newest, err)
	}
	if err := os.WriteFile(newest[1], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(exitFailed, "recovers "+filepath.Base(newest[0]), "state", "check")
	expect(exitOK, "is repaired", "state", "repair")
	expect(exitOK, "0 checkpoints compared", "replay")
	expect(exitOK, "0 records after the oldest", "state", "compact")
	expect(exitOK, "0 records (0 inputs", "replay")
	checkRepairWithoutStore(t, dir, expect)
}

// checkRepairWithoutStore removes the store of a state directory, and checks that the repaired directory has the same
// network.
func checkRepairWithoutStore(t *testing.T, dir string, expect func(code int, want string, args ...string)) {
	t.Helper()
	var before, after bytes.Buffer
	run(t.Context(), []string{"replay", dir}, &before, &before)
	if err := os.RemoveAll(filepath.Join(dir, "store")); err != nil {
		t.Fatal(err)
	}
	if _, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir(), StateDir: dir}); err == nil || !strings.Contains(err.Error(), "store: it is missing") {
		t.Errorf("a start without the store: %v", err)
	}
	expect(exitFailed, "DAMAGED     store: it is missing\n", "state", "check")
	expect(exitOK, "is repaired", "state", "repair")
	run(t.Context(), []string{"replay", dir}, &after, &after)
	if after.String() != before.String() {
		t.Errorf("the repaired state is %s, want %s", &after, &before)
	}
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir(), StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if height := d.Driver().View().Height; height == 0 {
		t.Error("the repaired directory has a new network")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestStartKeepsItsNetworkInTheUsersDataFolder(t *testing.T) {
	homeWith(t, "counter")
	dir := filepath.Join(os.Getenv("XDG_DATA_HOME"), "canisterd", "state")
	expect := func(code int, want string, args ...string) {
		t.Helper()
		var out, errOut bytes.Buffer
		if got := run(t.Context(), args, &out, &errOut); got != code || !strings.Contains(out.String()+errOut.String(), want) {
			t.Errorf("canisterd %s: exit code %d, want %d and %q:\n%s%s", strings.Join(args, " "), got, code, want, &out, &errOut)
		}
	}
	expect(exitFailed, "no state in "+dir, "state", "check")
	for _, want := range []string{"(1 : nat)\n", "(2 : nat)\n"} {
		text, stop := startAgain(t, want, "--call", "counter inc")
		if !strings.Contains(text, "state     kept in "+dir+"\n") {
			t.Errorf("it does not say where the state is:\n%s", text)
		}
		expect(exitFailed, "is in use by another canisterd: stop that one (canisterd stop), or start with another directory (--state-dir) or none (--ephemeral)", "start", "--listen", "127.0.0.1:0")
		if notes := stop(); !strings.Contains(notes, "stopping; canisters and their state are kept in "+dir) {
			t.Error(notes)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the state directory is %v: %v", info, err)
	}
	expect(exitOK, "checkpoint  ", "state", "check")
	expect(exitFailed, "no state in "+filepath.Join(dir, "instances", "lab"), "-i", "lab", "state", "check")
	expect(exitOK, "height", "replay")
	expect(exitOK, ".inc()\n", "replay", "--traces", "1")
	expect(exitFailed, "pass --yes to delete the networks that are kept in "+dir, "state", "delete")
	expect(exitFailed, `another seed`, "start", "--listen", "127.0.0.1:0", "--seed", "07")
	expect(exitFailed, "not both", "start", "--ephemeral", "--state-dir", dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	expect(exitFailed, "is open to other users (mode 0755)", "start", "--listen", "127.0.0.1:0")
	expect(exitFailed, "--state-dir "+dir+" cannot be used: "+dir+" is open to other users (mode 0755)", "start", "--listen", "127.0.0.1:0", "--state-dir", dir)
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	expect(exitFailed, shared+" can be written by other users (mode 0777), but what is there is run", "start", "--ephemeral", "--listen", "127.0.0.1:0", "--cache-dir", shared)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "")
	expect(exitFailed, "pass --state-dir or --ephemeral", "start", "--listen", "127.0.0.1:0")
	expect(exitFailed, "omit --instance default to delete all of them", "-i", "default", "state", "delete", "--yes", dir)
	expect(exitOK, dir+": deleted", "state", "delete", "--yes", dir)
	expect(exitFailed, "is not a state directory", "state", "delete", "--yes", ".")
	if _, err := os.Stat(dir); err == nil {
		t.Error("the state directory is there")
	}
}

// TestTheDirectoriesOfAllInstancesAreCheckedAndRepaired damages a page file of an instance, and checks the directory of
// the daemon.
func TestTheDirectoriesOfAllInstancesAreCheckedAndRepaired(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	config := daemon.Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir(), StateDir: dir}
	d, err := daemon.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lab", "other"} {
		if _, err := d.Instances().Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: name}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	expect := func(code int, args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		if got := run(t.Context(), append(args, dir), &out, &errOut); got != code {
			t.Errorf("canisterd %s: exit code %d, want %d:\n%s%s", strings.Join(args, " "), got, code, &out, &errOut)
		}
		return out.String() + errOut.String()
	}
	lab := filepath.Join(dir, "instances", "lab")
	text := expect(exitOK, "state", "check")
	if strings.Count(text, "\njournal ") != 3 || !strings.Contains(text, "instance    lab, in "+lab+"\n") {
		t.Errorf("three instances are checked as\n%s", text)
	}
	files, err := filepath.Glob(filepath.Join(lab, "checkpoint-*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("the checkpoints are %q: %v", files, err)
	}
	newest := files[len(files)-1]
	if err := os.WriteFile(newest, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	text = expect(exitFailed, "state", "check")
	if want := "instance lab is damaged: canisterd state repair " + lab + " recovers "; !strings.Contains(text, want) || strings.Count(text, "DAMAGED") != 1 {
		t.Errorf("it says, without %q,\n%s", want, text)
	}
	if text := expect(exitFailed, "state", "check", "--json"); !strings.Contains(text, `"instance":"lab"`) {
		t.Errorf("in JSON, it says\n%s", text)
	}
	if text := expect(exitOK, "state", "repair"); !strings.Contains(text, "instance lab is repaired") || strings.Contains(text, "instance other") {
		t.Errorf("the repair says\n%s", text)
	}
	if text := expect(exitOK, "state", "repair"); !strings.Contains(text, "nothing is damaged") {
		t.Errorf("the second repair says\n%s", text)
	}
	if err := os.WriteFile(filepath.Join(lab, "FORMAT"), []byte("canisterd state directory, version 99\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := expect(exitFailed, "state", "check"); strings.Count(text, "\njournal ") != 2 || !strings.Contains(text, "instance lab cannot be read: ") {
		t.Errorf("beside an instance that cannot be read, it says\n%s", text)
	}
}

func TestADamagedSnapshotIsNamedAndRemovedByARepair(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir(), StateDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	i, err := d.Instances().Instance(instance.Default)
	if err == nil {
		_, err = i.TakeSnapshot(t.Context(), "begun", false)
	}
	if err = errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "file-*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the files of snapshots are %q: %v", files, err)
	}
	if err := os.Truncate(files[0], 100); err != nil {
		t.Fatal(err)
	}
	damage := `DAMAGED     snapshot "begun": ` + filepath.Base(files[0]) + ": "
	for _, step := range []struct {
		command string
		code    int
		want    []string
	}{
		{"check", exitFailed, []string{damage, "the file ends at byte 100", "the state directory has 1 snapshot that cannot be read: a daemon can start from it, and canisterd state repair " + dir + " removes what is damaged"}},
		{"repair", exitOK, []string{damage, `snapshot "begun" of the state directory is removed: its file was damaged`}},
		{"check", exitOK, []string{"checkpoint  "}},
		{"repair", exitOK, []string{"nothing is damaged"}},
	} {
		var out bytes.Buffer
		if code := run(t.Context(), []string{"state", step.command, dir}, &out, &out); code != step.code {
			t.Errorf("canisterd state %s: exit code %d, want %d", step.command, code, step.code)
		}
		for _, want := range step.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("canisterd state %s says, without %q,\n%s", step.command, want, &out)
			}
		}
	}
	if _, err := os.Stat(files[0]); err == nil {
		t.Errorf("after the repair, %s is there", files[0])
	}
}
