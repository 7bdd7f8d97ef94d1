//go:build clients && linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
)

// newUser is a user with Node.js and npm, and without Go.
type newUser struct {
	folder string   // of the project
	env    []string // with a PATH of node, npm and what npm has installed in the folder
}

// packForNPM makes the packages of npm for this machine, as make dist does.
func packForNPM(t *testing.T) []string {
	t.Helper()
	out := t.TempDir()
	binary := filepath.Join(out, "canisterd")
	compiling := exec.Command("go", "build", "-o", binary, "../canisterd")
	compiling.Env = append(os.Environ(), "CGO_ENABLED=0")
	if printed, err := compiling.CombinedOutput(); err != nil {
		t.Fatalf("compiling canisterd: %v\n%s", err, printed)
	}
	at := slices.IndexFunc(platforms, func(p platform) bool { return p.goos == runtime.GOOS && p.goarch == runtime.GOARCH })
	r := release{version: "0.0.0-dev.1", time: commitTime}
	if err := packNPM(r, []build{{platform: platforms[at], path: binary}}, nil, out); err != nil {
		t.Fatal(err)
	}
	var packages []string
	for _, name := range []string{npmName(platforms[at]), "canisterd"} {
		packages = append(packages, filepath.Join(out, npmArchiveName(name, r.version)))
	}
	return packages
}

// newNewUser makes an empty home, an empty folder for the project, and a PATH that has no Go.
func newNewUser(t *testing.T) *newUser {
	t.Helper()
	u, programs := &newUser{folder: t.TempDir()}, t.TempDir()
	for _, name := range []string{"node", "npm", "npx", "sh", "env"} {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err == nil {
			err = os.Symlink(path, filepath.Join(programs, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	u.env = []string{"PATH=" + programs, "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
	for _, variable := range os.Environ() { // how npm reaches its registry
		if regexp.MustCompile(`(?i)^(npm_config_registry|https?_proxy|no_proxy|node_extra_ca_certs)=`).MatchString(variable) {
			u.env = append(u.env, variable)
		}
	}
	return u
}

func (u *newUser) command(args ...string) *exec.Cmd {
	programs := strings.TrimPrefix(u.env[0], "PATH=")
	cmd := exec.Command(filepath.Join(programs, args[0]), args[1:]...)
	cmd.Dir, cmd.Env = u.folder, u.env
	return cmd
}

// types runs a command line without quotes that must succeed, and returns what it prints.
func (u *newUser) types(t *testing.T, line string, more ...string) string {
	t.Helper()
	printed, err := u.command(append(strings.Fields(line), more...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, printed)
	}
	return strings.TrimSpace(string(printed))
}

// fails runs a command line that must fail, and returns what it prints.
func (u *newUser) fails(t *testing.T, line string) string {
	t.Helper()
	printed, err := u.command(strings.Fields(line)...).CombinedOutput()
	if err == nil {
		t.Fatalf("%s succeeds:\n%s", line, printed)
	}
	return string(printed)
}

// changes replaces the one place in a file that has some text.
func (u *newUser) changes(t *testing.T, name, from, to string) {
	t.Helper()
	path := filepath.Join(u.folder, name)
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), from) != 1 {
		t.Fatalf("%s does not have %q once (%v)", name, from, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// screen is what a program has printed that still runs.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(part []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(part)
}

// shown returns the first match of a pattern in what was printed, "" if there is none.
func (s *screen) shown(pattern *regexp.Regexp) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return pattern.FindString(s.text.String())
}

// waits waits for a line that matches a pattern, and returns it.
func (s *screen) waits(t *testing.T, pattern string) (line string) {
	t.Helper()
	match := regexp.MustCompile("(?m)^" + pattern + ".*$")
	defer func() {
		if t.Failed() {
			t.Logf("printed:\n%s", s.shown(regexp.MustCompile("(?s).*")))
		}
	}()
	eventually.True(t, "a line "+pattern, func() bool { line = s.shown(match); return line != "" })
	return line
}

// begins runs npm run dev until it is interrupted, as Ctrl-C does.
func (u *newUser) begins(t *testing.T) (s *screen, url string, interrupt func(*testing.T)) {
	t.Helper()
	s = &screen{}
	cmd := u.command("npm", "run", "dev", "--", "--listen", "127.0.0.1:0")
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = s, s, &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait() // npm ends by the signal
		close(ended)
	}()
	group := -cmd.Process.Pid
	t.Cleanup(func() { _ = syscall.Kill(group, syscall.SIGKILL) }) // it has ended, unless the test fails
	url = strings.Fields(s.waits(t, "http +http:"))[1]
	return s, url, func(t *testing.T) {
		t.Helper()
		if err := syscall.Kill(group, syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		s.waits(t, "stopping; canisters and their state are kept")
		eventually.Receive(t, "the end of npm run dev", ended)
	}
}

// TestANewUserGoesFromThePackageOfNPMToAPassingTest types what docs/install.md, canisterd init and the project that it
// writes say. Each step is a subtest, whose time go test -v prints (make new-user).
func TestANewUserGoesFromThePackageOfNPMToAPassingTest(t *testing.T) {
	packages, u := packForNPM(t), newNewUser(t)
	step := func(name string, do func(t *testing.T)) {
		t.Helper()
		if !t.Run(name, do) {
			t.FailNow()
		}
	}
	step("there is no Go", func(t *testing.T) {
		if err := u.command("sh", "-c", "command -v go").Run(); err == nil {
			t.Error("there is a program go")
		}
	})
	step("npm install --save-dev canisterd", func(t *testing.T) { u.types(t, "npm install --save-dev", packages...) })
	step("npx canisterd init motoko", func(t *testing.T) {
		printed := u.types(t, "npx canisterd init motoko")
		if !strings.Contains(printed, "Next:\n\n  npm install\n  npm test\n  npm run dev") {
			t.Errorf("init prints\n%s", printed)
		}
	})
	step("npm install", func(t *testing.T) { u.types(t, "npm install") })
	step("npm test", func(t *testing.T) {
		if printed := u.types(t, "npm test"); !strings.Contains(printed, "pass 2") {
			t.Errorf("the tests print\n%s", printed)
		}
	})
	var dev *screen
	var url string
	var interrupt func(*testing.T)
	var bank func(t *testing.T, kind, method string, more ...string) string
	step("npm run dev", func(_ *testing.T) {
		dev, url, interrupt = u.begins(t)
		dev.waits(t, "ready +watching 2 canisters")
		bank = func(t *testing.T, kind, method string, more ...string) string {
			t.Helper()
			return u.types(t, "npx canisterd --url "+url+" canister "+kind+" bank "+method, more...)
		}
	})
	step("a call", func(t *testing.T) {
		if got := bank(t, "call", "deposit", "100"); got != "(100 : nat)" {
			t.Errorf("the deposit returns %s", got)
		}
	})
	step("a line that is changed is live, and the state is kept", func(t *testing.T) {
		u.changes(t, "src/bank/main.mo", `"not enough money"`, `"not enough"`)
		t.Log(dev.waits(t, "bank: src/bank/main.mo: built .*, upgraded "))
		if got := bank(t, "call", "withdraw", "101"); got != `(variant { refused = "not enough" })` {
			t.Errorf("the withdrawal returns %s", got)
		}
		if got := bank(t, "query", "balance"); got != "(100 : nat)" {
			t.Errorf("the balance is %s", got)
		}
	})
	step("a mistake is told, and the canister is as it was", func(t *testing.T) {
		u.changes(t, "src/bank/main.mo", "balance < amount", "balance < amoun")
		t.Log(dev.waits(t, "src/bank/main.mo:[0-9.]+: error .*unbound variable amoun"))
		dev.waits(t, "bank: src/bank/main.mo: build failed, and the canister is as it was")
		if got := bank(t, "query", "balance"); got != "(100 : nat)" {
			t.Errorf("the balance is %s", got)
		}
		u.changes(t, "src/bank/main.mo", "balance < amoun)", "balance < amount)")
		dev.waits(t, "bank: src/bank/main.mo: built .*, unchanged")
	})
	step("Ctrl-C", func(t *testing.T) { interrupt(t) })
	step("npm test finds the changed line", func(t *testing.T) {
		if printed := u.fails(t, "npm test"); !strings.Contains(printed, "pass 1") {
			t.Errorf("the tests print\n%s", printed)
		}
		u.changes(t, "test/bank.test.mjs", `"not enough money"`, `"not enough"`)
		u.types(t, "npm test")
	})
	step("npm run explore", func(t *testing.T) {
		if printed := u.types(t, "npm run explore"); !strings.Contains(printed, "no violation") {
			t.Errorf("the exploration prints\n%s", printed)
		}
	})
	step("npm run explore finds the bug that the sources describe", func(t *testing.T) {
		const early = "    set(caller, balance - amount : Nat);\n"
		u.changes(t, "src/bank/main.mo", early, "")
		u.changes(t, "src/bank/main.mo", "    #paid(balanceOf(caller))", early+"    #paid(balanceOf(caller))")
		if printed := u.fails(t, "npm run explore"); !strings.Contains(printed, "vault paidOut <= 100") {
			t.Errorf("the exploration prints\n%s", printed)
		}
	})
}
