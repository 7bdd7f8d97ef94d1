//go:build dist && linux

package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var (
	packages = flag.String("packages", "../../bin/dist", "directory with the packages of dist")
	before   = flag.String("before", "", "binary of the version before")
)

// program is canisterd as a package has installed it.
type program struct {
	path string               // of the binary, as the process sees it
	root string               // that the process sees as /; "" for that of this machine
	dir  string               // home of its user, as the process sees it: the example is in motoko, the state in state
	argv []string             // what is typed in front, such as npx
	env  []string             // beside HOME, PATH and TMPDIR
	stop bool                 // canisterd stop ends the daemon, and not a signal: Windows has none
	attr *syscall.SysProcAttr // nil for none
}

// command returns a command that finds no program but those of Debian: no Go, and none of the tools of this repository.
func (p program) command(args ...string) *exec.Cmd {
	argv := append(slices.Clone(p.argv), append([]string{p.path}, args...)...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.SysProcAttr = p.dir+"/motoko", p.attr // names of canisters belong to the directory
	cmd.Env = append([]string{"HOME=" + p.dir, "PATH=/usr/bin:/bin", "TMPDIR=/tmp"}, p.env...)
	return cmd
}

// run runs a command that must succeed, and returns what it prints.
func (p program) run(t *testing.T, args ...string) string {
	t.Helper()
	var printed, failed bytes.Buffer
	cmd := p.command(args...)
	cmd.Stdout, cmd.Stderr = &printed, &failed
	if err := cmd.Run(); err != nil {
		t.Fatalf("canisterd %s: %v\n%s%s", strings.Join(args, " "), err, printed.String(), failed.String())
	}
	return strings.TrimSpace(printed.String())
}

// start starts a daemon on the state of the program, and returns its URL.
func (p program) start(t *testing.T) (string, *exec.Cmd) {
	t.Helper()
	var log bytes.Buffer
	cmd := p.command("start", "--json", "--listen", "127.0.0.1:0", "--state-dir", p.dir+"/state")
	cmd.Stderr = &log
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true // the package of npm starts the daemon in a process of its own
	printed, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { killGroup(cmd) })
	line, err := bufio.NewReader(printed).ReadString('\n')
	if err != nil {
		cmd.Wait()
		t.Fatalf("canisterd start: %v\n%s", err, log.String())
	}
	var started struct{ URL string }
	if err := json.Unmarshal([]byte(line), &started); err != nil {
		t.Fatalf("canisterd start printed %q: %v", line, err)
	}
	return started.URL, cmd
}

// live starts, deploys, calls, is killed, starts again and is upgraded by the same module: the count of calls stays.
func live(t *testing.T, p program) {
	t.Helper()
	url, daemon := p.start(t)
	p.run(t, "--url", url, "deploy")
	if got := p.run(t, "--url", url, "canister", "call", "relay", "pass", `("${greeter}", "world")`); got != `("the greeter says: Hello, world!")` {
		t.Errorf("the relay answers %s", got)
	}
	if err := killGroup(daemon); err != nil {
		t.Fatal(err)
	}
	daemon.Wait()
	p.checkState(t)
}

// killGroup kills a process and those that it has started.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// checkState starts a daemon on a state in which the greeter was called once.
func (p program) checkState(t *testing.T) {
	t.Helper()
	url, daemon := p.start(t)
	if got := p.run(t, "--url", url, "canister", "query", "greeter", "count"); got != "(1 : nat)" {
		t.Errorf("after the start the greeter counts %s, want (1 : nat)", got)
	}
	if p.stop {
		p.run(t, "--url", url, "stop")
		daemon.Wait() // killed
		return
	}
	if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := daemon.Wait(); err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
}

// directory returns an empty directory with the example.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	copyExample(t, dir)
	return dir
}

func copyExample(t *testing.T, dir string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(dir, "motoko"), os.DirFS("../../examples/motoko")); err != nil {
		t.Fatal(err)
	}
}

// packed returns the one package whose name matches a pattern, as an absolute path.
func packed(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(*packages, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d packages match %s in %s, want 1 (%v): run make dist", len(found), pattern, *packages, err)
	}
	absolute, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// do runs a program of the system that must succeed.
func do(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, printed)
	}
	return strings.TrimSpace(string(printed))
}

func TestTheArchiveRunsWhereItIsUnpacked(t *testing.T) {
	dir := directory(t)
	do(t, dir, "tar", "-xzf", packed(t, "canisterd-*-linux-"+runtime.GOARCH+".tar.gz"), "--strip-components=1")
	p := program{path: dir + "/canisterd", dir: dir}
	live(t, p)
	for _, name := range []string{"LICENSE", "licenses/go/LICENSE", "licenses/github.com/tetratelabs/wazero/LICENSE", "completions/canisterd.bash"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestTheStateOfTheVersionBeforeIsContinued(t *testing.T) {
	if *before == "" {
		t.Fatal("no binary of the version before: run make test-dist")
	}
	dir := directory(t)
	do(t, dir, "tar", "-xzf", packed(t, "canisterd-*-linux-"+runtime.GOARCH+".tar.gz"), "--strip-components=1")
	live(t, program{path: *before, dir: dir})
	program{path: dir + "/canisterd", dir: dir}.checkState(t)
}

func TestAStateOfALaterVersionIsRefusedWithASentence(t *testing.T) {
	dir := directory(t)
	do(t, dir, "tar", "-xzf", packed(t, "canisterd-*-linux-"+runtime.GOARCH+".tar.gz"), "--strip-components=1")
	p := program{path: dir + "/canisterd", dir: dir}
	live(t, p)
	if err := os.WriteFile(filepath.Join(dir, "state", "FORMAT"), []byte("canisterd state directory, version 999\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, err := p.command("start", "--listen", "127.0.0.1:0", "--state-dir", dir+"/state").CombinedOutput()
	if err == nil || !strings.Contains(string(printed), "use the canisterd that wrote it, or a newer one") {
		t.Errorf("the daemon ended with %v:\n%s", err, printed)
	}
}

func TestThePackageOfDebianIsInstalledAndRemoved(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "tmp", "home"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, root, "dpkg", "--root="+root, "--install", packed(t, "canisterd_*_"+runtime.GOARCH+".deb"))
	copyExample(t, filepath.Join(root, "home"))
	p := program{path: root + "/usr/bin/canisterd", dir: filepath.Join(root, "home")}
	live(t, p)
	do(t, root, "dpkg", "--root="+root, "--remove", "canisterd")
	if _, err := os.Stat(p.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the removal there is still a program (%v)", err)
	}
}

func TestTheImageRunsInItsOwnRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("entering the root of an image needs root: run make test-dist as root, or in unshare -r")
	}
	blobs := readTar(t, packed(t, "canisterd-*-oci.tar"))
	root, config := t.TempDir(), enterableImage(t, blobs)
	unpackLayer(t, blobs, config.layer, root)
	copyExample(t, filepath.Join(root, "state"))
	do(t, root, "chown", "--recursive", fmt.Sprint(daemonUser), filepath.Join(root, "state", "motoko"))
	p := program{
		path: config.image.Config.Entrypoint[0], dir: "/state",
		attr: &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: daemonUser, Gid: daemonUser}},
	}
	live(t, p)
}

// enteredImage is an image for this machine.
type enteredImage struct {
	image imageConfig
	layer descriptor
}

func enterableImage(t *testing.T, blobs map[string][]byte) enteredImage {
	t.Helper()
	var top, both index
	decode(t, blobs["index.json"], &top)
	decode(t, blobOfDigest(t, blobs, top.Manifests[0]), &both)
	for _, d := range both.Manifests {
		if d.Platform.Architecture != runtime.GOARCH {
			continue
		}
		var m manifest
		var config imageConfig
		decode(t, blobOfDigest(t, blobs, d), &m)
		decode(t, blobOfDigest(t, blobs, m.Config), &config)
		return enteredImage{config, m.Layers[0]}
	}
	t.Fatalf("there is no image for %s", runtime.GOARCH)
	return enteredImage{}
}

// unpackLayer unpacks a layer as a container engine does, with its owners.
func unpackLayer(t *testing.T, blobs map[string][]byte, layer descriptor, root string) {
	t.Helper()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(blobOfDigest(t, blobs, layer)))
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(root, header.Name)
		if header.Typeflag == tar.TypeDir {
			err = os.Mkdir(name, 0o700)
		} else {
			err = writeFile(name, func(w io.Writer) error { _, err := io.Copy(w, archive); return err })
		}
		if err = errors.Join(err, os.Chown(name, header.Uid, header.Gid), os.Chmod(name, header.FileInfo().Mode())); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheWheelIsInstalledAndRemovedByPip(t *testing.T) {
	dir := directory(t)
	do(t, dir, "python3", "-m", "venv", "venv")
	do(t, dir, "venv/bin/pip", "install", "--no-index", packed(t, "canisterd-*-manylinux*"+machine()+".whl"))
	p := program{path: dir + "/venv/bin/canisterd", dir: dir}
	live(t, p)
	do(t, dir, "venv/bin/pip", "uninstall", "--yes", "canisterd")
	if _, err := os.Stat(p.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the removal there is still a program (%v)", err)
	}
}

// machine returns the architecture as Linux calls it.
func machine() string {
	if runtime.GOARCH == "arm64" {
		return "aarch64"
	}
	return "x86_64"
}

// installFromNPM installs the package and the one with the binary of this machine, as npm does from its registry.
func installFromNPM(t *testing.T, dir string) {
	t.Helper()
	cpu := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	for name, text := range map[string]string{"package.json": `{"type": "module", "private": true}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	do(t, dir, "npm", "install", "--offline", "--no-audit", "--no-fund", packed(t, "canisterd-linux-"+cpu+"-*.tgz"), packed(t, "canisterd-[0-9]*.tgz"))
}

func TestThePackageOfNPMIsInstalledAndRemoved(t *testing.T) {
	dir := directory(t)
	installFromNPM(t, dir)
	p := program{path: dir + "/node_modules/.bin/canisterd", dir: dir, argv: []string{node(t)}}
	live(t, p)
	do(t, dir, "npm", "uninstall", "--offline", "--no-audit", "--no-fund", "canisterd")
	if _, err := os.Stat(p.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the removal there is still a program (%v)", err)
	}
}

// node returns the path of Node.js, which is not where Debian has it.
func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTestRunnersOfJavaScriptStartNetworksAndReplacePocketIC(t *testing.T) {
	dir := directory(t)
	installFromNPM(t, dir)
	script := filepath.Join(dir, "network.test.mjs")
	if err := os.WriteFile(script, []byte(usesPackage), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, dir, node(t), "--test", script)
}

const usesPackage = `
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { exec, start } from "canisterd";

test("a network starts, deploys, answers and stops", async () => {
  const cwd = "motoko";
  const network = await start({ cwd, deploy: "." });
  const { stdout } = await exec(["canister", "call", "greeter", "greet", '("Ada")'], { cwd, env: network.env });
  assert.equal(stdout.trim(), '("Hello, Ada!")');
  await assert.rejects(exec(["canister", "call", "greeter", "nothing"], { cwd, env: network.env }), (error) => error.code === 2);
  await network.stop();
  await assert.rejects(exec(["status"], { env: network.env }), (error) => error.code !== 0 && error.stderr.includes("canisterd start"));
});

test("a process that does not stop its network ends, and the network with it", async () => {
  const url = execFileSync(process.execPath, ["--input-type=module", "--eval", ` + "`" + `
    import { start } from "canisterd";
    process.stdout.write((await start()).url);
  ` + "`" + `], { encoding: "utf8" });
  await assert.rejects(exec(["status", "--url", url]), (error) => error.stderr.includes("canisterd start"));
});

test("a network that cannot start says why", async () => {
  await assert.rejects(start({ listen: "nowhere" }), /nowhere/);
});

test("the import of canisterd/pocket-ic makes clients find PocketIC's server, until the process ends", () => {
  const path = execFileSync(process.execPath, ["--input-type=module", "--eval", ` + "`" + `
    import { pocketIc } from "canisterd/pocket-ic";
    import { execFileSync } from "node:child_process";
    if (process.env.POCKET_IC_BIN !== pocketIc) throw new Error("POCKET_IC_BIN is " + process.env.POCKET_IC_BIN);
    execFileSync(pocketIc, ["--version"]);
    process.stdout.write(pocketIc);
  ` + "`" + `], { encoding: "utf8" });
  assert.equal(existsSync(path), false);
});

test("the program has the exit code of canisterd", () => {
  for (const [args, code] of [[["version"], 0], [["--no-such-flag"], 1]]) {
    assert.equal(spawnSync("npx", ["--offline", "canisterd", ...args]).status, code);
  }
});
`

func TestTwoRunsMakeTheSameBytes(t *testing.T) {
	again := filepath.Join(filepath.Dir(*packages), "dist-again")
	for _, dir := range [][2]string{{*packages, again}, {again, *packages}} {
		compareDirectories(t, dir[0], dir[1])
	}
}

// compareDirectories reports files of a directory that are missing in another one, or differ there.
func compareDirectories(t *testing.T, dir, other string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		one, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		two, err := os.ReadFile(filepath.Join(other, relative))
		if err != nil {
			return err
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs between two runs", relative)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTheChecksumsAreThoseOfThePackages(t *testing.T) {
	do(t, *packages, "sha256sum", "--check", "--strict", "checksums.txt")
}

func TestThePackageOfNPMForEachPlatformHasItsBinary(t *testing.T) {
	for _, p := range platforms {
		name := packed(t, npmArchiveName(npmName(p), "*"))
		listed := do(t, ".", "tar", "-tvzf", name)
		if want := fmt.Sprintf("package/bin/%s", p.program()); !strings.Contains(listed, want) || !strings.Contains(listed, "-rwxr-xr-x") {
			t.Errorf("%s has\n%s", filepath.Base(name), listed)
		}
	}
}
