package pocketic_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/daemon"
)

// snapshotted is a server with a canister that has a snapshot, and a line that moves the snapshot.
func snapshotted(t *testing.T) (a *api, line func(move, folder string) string) {
	t.Helper()
	a = servedWithin(t, daemon.MinMemoryLimit)
	a.world()
	a.run("GROW_SOME")
	a.ask(`POST /instances/0/update/submit_ingress_message {"sender":"${USER}","canister_id":"","effective_principal":{"CanisterId":"${FIRST}"},"method":"take_canister_snapshot","payload":"${TAKE}"}`)
	answer := a.ask(`POST /instances/0/update/await_ingress_message {"effective_principal":{"CanisterId":"${FIRST}"},"message_id":"${MESSAGE}"}`)
	var reply struct{ Ok []byte }
	var taken takenSnapshot
	if err := json.Unmarshal([]byte(strings.TrimPrefix(answer, "200 ")), &reply); err != nil || candid.Unmarshal(reply.Ok, &taken) != nil {
		t.Fatal(answer, err)
	}
	return a, func(move, folder string) string {
		return fmt.Sprintf(`POST /instances/0/update/canister_snapshot_%s {"sender":{"principal_id":"${USER}"},"canister_id":{"canister_id":"${FIRST}"},"snapshot_id":%q,"snapshot_dir":%q}`,
			move, base64.StdEncoding.EncodeToString(taken.ID), folder)
	}
}

func TestASnapshotIsDownloadedInPiecesWithHoles(t *testing.T) {
	a, line := snapshotted(t)
	folder := filepath.Join(t.TempDir(), "snapshot")
	if answer := a.ask(line("download", folder)); answer != "200 null" {
		t.Fatal(answer)
	}
	info, err := os.Stat(filepath.Join(folder, "stable_memory.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if blocks := info.Sys().(*syscall.Stat_t).Blocks; info.Size() != 64<<20 || blocks*512 > 16<<20 {
		t.Errorf("a stable memory of 64 MiB with one page is a file of %d bytes in %d blocks", info.Size(), blocks)
	}
	content := make([]byte, 3)
	file, err := os.Open(filepath.Join(folder, "stable_memory.bin"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.ReadAt(content, 60<<20); err != nil || string(content) != "end" {
		t.Errorf("it has %q, %v", content, err)
	}
	if answer := a.ask(line("upload", folder)); !strings.HasPrefix(answer, `200 {"snapshot_id":"`) {
		t.Error(answer)
	}
}

func TestFilesOfASnapshotAreRegularOnesOfItsFolder(t *testing.T) {
	a, line := snapshotted(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	linkTo := func(to string) func(string) error { return func(path string) error { return os.Symlink(to, path) } }
	for _, row := range []struct {
		file string
		make func(path string) error
		want string
	}{
		{"metadata.json", pipe, "metadata.json is a named pipe: it must be a regular file"},
		{"metadata.json", linkTo("/dev/zero"), "path escapes from parent"},
		{"metadata.json", func(path string) error {
			file, err := os.Create(path)
			if err != nil {
				return err
			}
			defer file.Close()
			return file.Truncate(8 << 40)
		}, "metadata.json has more than 4194304 bytes: that is the limit"},
		{"wasm_module.bin", pipe, "wasm_module.bin is a named pipe"},
		{"wasm_memory.bin", linkTo(secret), "path escapes from parent"},
		{"stable_memory.bin", linkTo("/dev/zero"), "path escapes from parent"},
		{"stable_memory.bin", func(path string) error { return os.Mkdir(path, 0o700) }, "stable_memory.bin is a directory"},
	} {
		folder := filepath.Join(t.TempDir(), "snapshot")
		if answer := a.ask(line("download", folder)); answer != "200 null" {
			t.Fatal(answer)
		}
		path := filepath.Join(folder, row.file)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := row.make(path); err != nil {
			t.Skipf("the file system has no such file: %v", err)
		}
		if answer := a.ask(line("upload", folder)); !strings.HasPrefix(answer, `400 {"message":"InvalidCanisterSnapshotDirectory(`) || !strings.Contains(answer, row.want) {
			t.Errorf("%s: %s, want %s", row.file, answer, row.want)
		}
	}
	folder := filepath.Join(t.TempDir(), "snapshot")
	if err := pipe(folder); err != nil {
		t.Fatal(err)
	}
	for _, move := range []string{"download", "upload"} {
		if answer := a.ask(line(move, folder)); !strings.HasPrefix(answer, `400 {"message":"InvalidCanisterSnapshotDirectory(`) {
			t.Errorf("%s of a folder that is a pipe: %s", move, answer)
		}
	}
	outside, folder := t.TempDir(), filepath.Join(t.TempDir(), "snapshot")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "wasm_chunk_store")); err != nil {
		t.Fatal(err)
	}
	a.ask(line("download", folder))
	if files, err := os.ReadDir(outside); err != nil || len(files) > 0 {
		t.Errorf("a download wrote %v outside of its folder (%v)", files, err)
	}
}

func TestFilesThatAConfigurationNamesAreRegular(t *testing.T) {
	a := served(t)
	folder := t.TempDir()
	for _, name := range []string{"instance.canisterd", "pipe"} {
		if err := syscall.Mkfifo(filepath.Join(folder, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, config := range []string{
		fmt.Sprintf(`"state_dir":%q`, folder),
		fmt.Sprintf(`"http_gateway_config":{"https_config":{"cert_path":%q,"key_path":"/dev/zero"}}`, filepath.Join(folder, "pipe")),
	} {
		answer := a.ask(`POST /instances {"subnet_config_set":{"application":[{}]},` + config + `}`)
		if !strings.HasPrefix(answer, `400 {"Error":`) || !strings.Contains(answer, "is a named pipe: it must be a regular file") {
			t.Errorf("%s: %s", config, answer)
		}
	}
}
