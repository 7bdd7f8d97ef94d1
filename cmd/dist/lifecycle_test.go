//go:build dist && linux && amd64

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// installation is a kind of package as users install it.
type installation struct {
	program program
	install func(packages string) // from the files of a directory, over an older version if one is installed
	remove  func()
}

// lifecycle installs the version before, upgrades it to this version, which continues its state and begins a state of its
// own, and removes the program. State remains.
func lifecycle(t *testing.T, i installation) {
	t.Helper()
	i.install(*before)
	old := i.program.at(t, "before")
	old.live(t)
	i.install(*packages)
	old.continues(t)
	i.program.at(t, "now").live(t)
	i.program.refusesLaterState(t)
	i.remove()
	if _, err := os.Stat(i.program.onHost(i.program.path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the removal there is still a program (%v)", err)
	}
}

// program is canisterd as a package has installed it.
type program struct {
	path string              // of the binary, as the process sees it
	root string              // that the process sees as /; "" for that of this machine
	dir  string              // home of its user, as the process sees it
	argv []string            // what is typed in front, such as node
	env  []string            // beside HOME, PATH and TMPDIR
	stop bool                // canisterd stop ends the daemon, and not a signal: Windows has none
	user *syscall.Credential // nil for that of the test
}

// onHost returns a path as the test sees it.
func (p program) onHost(path string) string { return filepath.Join(p.root, path) }

// at returns the program with a home of its own, which has the example in motoko and a state directory in state.
func (p program) at(t *testing.T, name string) program {
	t.Helper()
	p.dir = filepath.Join(p.dir, name)
	if err := os.CopyFS(p.onHost(p.dir+"/motoko"), os.DirFS("../../examples/motoko")); err != nil {
		t.Fatal(err)
	}
	p.own(t)
	return p
}

// own gives the home to the user of the program.
func (p program) own(t *testing.T) {
	t.Helper()
	if p.user != nil {
		do(t, ".", "chown", "--recursive", fmt.Sprintf("%d:%d", p.user.Uid, p.user.Gid), p.onHost(p.dir))
	}
}

// command returns a command that finds no program but those of Debian: no Go, and none of the tools of this repository.
func (p program) command(args ...string) *exec.Cmd {
	argv := append(slices.Clone(p.argv), append([]string{p.path}, args...)...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = p.dir + "/motoko" // names of canisters belong to the directory
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: p.root, Credential: p.user}
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

// daemon is a daemon on the state directory of a program.
type daemon struct {
	process *exec.Cmd
	url     string // "" if the daemon has ended instead
	log     *bytes.Buffer
}

// launch starts a daemon, and waits until it serves or has ended.
func (p program) launch(t *testing.T) daemon {
	t.Helper()
	d := daemon{process: p.command("start", "--json", "--listen", "127.0.0.1:0", "--state-dir", p.dir+"/state"), log: &bytes.Buffer{}}
	d.process.Stderr = d.log
	d.process.SysProcAttr.Setpgid = true // the package of npm starts the daemon in a process of its own
	printed, err := d.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.kill() })
	line, err := bufio.NewReader(printed).ReadString('\n')
	if err != nil {
		d.process.Wait()
		return d
	}
	var started struct{ URL string }
	if err := json.Unmarshal([]byte(line), &started); err != nil {
		t.Fatalf("canisterd start printed %q: %v", line, err)
	}
	d.url = started.URL
	return d
}

// start starts a daemon that must serve.
func (p program) start(t *testing.T) daemon {
	t.Helper()
	d := p.launch(t)
	if d.url == "" {
		t.Fatalf("canisterd start ended:\n%s", d.log)
	}
	return d
}

// kill kills the daemon and what it was started with.
func (d daemon) kill() error { return syscall.Kill(-d.process.Process.Pid, syscall.SIGKILL) }

// live starts, deploys, calls, is killed and goes on.
func (p program) live(t *testing.T) {
	t.Helper()
	d := p.start(t)
	p.run(t, "--url", d.url, "deploy")
	if got := p.run(t, "--url", d.url, "canister", "call", "relay", "pass", `("${greeter}", "world")`); got != `("the greeter says: Hello, world!")` {
		t.Errorf("the relay answers %s", got)
	}
	if err := d.kill(); err != nil {
		t.Fatal(err)
	}
	d.process.Wait()
	p.continues(t)
}

// continues starts a daemon on a state in which the greeter was called once, and upgrades the greeter: the count stays.
func (p program) continues(t *testing.T) {
	t.Helper()
	d := p.start(t)
	p.run(t, "--url", d.url, "deploy", "--mode", "upgrade")
	if got := p.run(t, "--url", d.url, "canister", "query", "greeter", "count"); got != "(1 : nat)" {
		t.Errorf("after the start the greeter counts %s, want (1 : nat)", got)
	}
	if p.stop {
		p.run(t, "--url", d.url, "stop")
		d.process.Wait() // killed
		return
	}
	if err := d.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := d.process.Wait(); err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
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
