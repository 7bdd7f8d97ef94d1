//go:build dist && linux && amd64

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// laterDirectory has a canisterd whose format of archives is one version later, and a state directory that it wrote; "" until
// a test needs them.
var laterDirectory string

// laterVersion returns the canisterd of laterDirectory, at home where it wrote a state. Only the number of its version is
// later: it writes what a version would write that changed the format.
func laterVersion(t *testing.T) program {
	t.Helper()
	home := func(dir string) program { return program{path: dir + "/canisterd", dir: dir + "/home"} }
	if laterDirectory != "" {
		return home(laterDirectory)
	}
	dir, err := os.MkdirTemp("", "canisterd-later-")
	if err != nil {
		t.Fatal(err)
	}
	p := home(dir)
	compileLaterVersion(t, p.path)
	p.at(t, ".").live(t)
	laterDirectory = dir
	return p
}

// currentVersion is the line that says which version of the format of archives is written.
var currentVersion = regexp.MustCompile(`(?m)^\tVersion = \w+$`)

// compileLaterVersion compiles canisterd with another file archive/versions.go.
func compileLaterVersion(t *testing.T, binary string) {
	t.Helper()
	name, err := filepath.Abs("../../archive/versions.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(currentVersion.FindAll(text, -1)); n != 1 {
		t.Fatalf("%d lines of %s say which version is written, want 1", n, name)
	}
	changed, overlay := filepath.Join(t.TempDir(), "versions.go"), filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(changed, currentVersion.ReplaceAll(text, []byte("$0 + 1")), 0o644); err != nil {
		t.Fatal(err)
	}
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {name: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, replaced, 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, "../..", "go", "build", "-overlay", overlay, "-o", binary, "./cmd/canisterd")
}

// refusesLaterState checks that the program does not start on the state of a later version, and says what to do.
func (p program) refusesLaterState(t *testing.T) {
	t.Helper()
	later := laterVersion(t)
	p = p.at(t, "later")
	do(t, ".", "cp", "--recursive", later.dir+"/state", p.onHost(p.dir))
	p.own(t)
	p.refuses(t, "read it with the canisterd that wrote it, or a newer one")
}

// refuses checks that a daemon does not start on the state of the program, and says why.
func (p program) refuses(t *testing.T, sentence string) {
	t.Helper()
	if d := p.launch(t); d.url != "" || !strings.Contains(d.log.String(), sentence) {
		t.Errorf("a daemon serves at %q, want none that says %q:\n%s", d.url, sentence, d.log)
	}
}

func TestAStateOfALaterVersionIsRefusedAndLeftAsItIs(t *testing.T) {
	p, later := unpacked(t, *packages), laterVersion(t)
	p.dir = later.dir
	p.refuses(t, "read it with the canisterd that wrote it, or a newer one")
	later.continues(t)
}

func TestADirectoryWithALaterLayoutIsRefused(t *testing.T) {
	p := unpacked(t, *packages).at(t, "home")
	p.live(t)
	if err := os.WriteFile(filepath.Join(p.dir, "state", "FORMAT"), []byte("canisterd state directory, version 999\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.refuses(t, "use the canisterd that wrote it, or a newer one")
}
