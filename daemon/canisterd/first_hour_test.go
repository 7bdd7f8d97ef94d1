//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// firstHour is what went wrong when a new user tried canisterd, each point with the lines that show that it is right now:
// of a script or a page, whose lines are what commands print, or of a test.
var firstHour = []struct{ point, file, line string }{
	{"1 deploy overwrites no canister of a stranger", "testdata/deploy_strangers.txt", "belongs to a, of a project with the canisters a, b, c"},
	{"1 deploy forgets ids of an earlier run", "testdata/deploy_strangers.txt", "canisters of earlier runs are gone; new ones are made for b, c"},
	{"2 types of init arguments are read", "testdata/init.txt", `(principal "7tjcv-pp777-77776-qaaaa-cai", 5 : nat, "XDR")`},
	{"3 stopping says that state is gone", "../../docs/start.md", "has stopped; its canisters and their state are gone"},
	{"4 prefixes of request ids are accepted", "testdata/requests.txt", "$ -i lab canister await 0xC7FA912C"},
	{"5 nothing is compiled twice", "first_hour_test.go", "func TestNothingIsCompiledTwiceWithOtherFlags("},
	{"6 names stand for principals", "testdata/identities.txt", "$ -i lab canister id ledger"},
	{"7 keys of canisterd.yaml are checked", "testdata/project.txt", "did you mean environment?"},
	{"8 identities of other tools are read", "testdata/identities.txt", "$ identity import bob $TESTDATA/keys/p256.pem"},
	{"9 JSON is one dialect", "../../docs/output.md", "$ canisterd -i lab deploy --jq '.greeter.done'"},
	{"10 time passes unless it is to jump", "testdata/instances.txt", "$ -i hourly time +7d12h --jump"},
	{"11 stop ends make run", "../../docs/start.md", "$ canisterd stop"},
	{"11 Ctrl-C ends make run without an error", "first_hour_test.go", "func TestCtrlCEndsMakeRunWithoutAnError("},
	{"12 a command that is not there is exit code 127", "testdata/exec.txt", "(exit 127)"},
	{"13 traces decode arguments and replies", "../../docs/testing.md", "to bank.withdraw(100)"},
	{"14 the default instance is deleted only after a yes", "testdata/default_deleted.txt", "$ instance delete default --yes"},
	{"15 --as counts or is refused", "testdata/identities.txt", "--as has no meaning for canisterd canister stop"},
	{"16 held outcalls are answered", "testdata/outcalls.txt", "$ -i lab outcalls answer 0 reply 'four'"},
	{"17 errors say what is missing", "testdata/errors.txt", "$ -i lab canister call counter add -5"},
	{"18 a daemon says where the documentation is", "start_test.go", `"documentation: https://"`},
}

func TestEachPointOfTheFirstHourIsShown(t *testing.T) {
	shown := map[string]bool{}
	for _, p := range firstHour {
		number, _, _ := strings.Cut(p.point, " ")
		shown[number] = true
		if !strings.Contains(mustRead(t, filepath.FromSlash(p.file)), p.line) {
			t.Errorf("%s: %s does not have %q", p.point, p.file, p.line)
		}
	}
	if len(shown) != 18 {
		t.Errorf("%d of 18 points are shown", len(shown))
	}
}

// TestTheFirstHourGoesFromCloneToProject reads the first two pages as one.
func TestTheFirstHourGoesFromCloneToProject(t *testing.T) {
	r := newReader(t)
	start, project := mustRead(t, filepath.Join(r.repository, "docs/start.md")), mustRead(t, filepath.Join(r.repository, "docs/project.md"))
	r.read(start)
	r.run("cd " + r.clone)
	r.serve(step{command: "canisterd start --seed 00", output: "…\nready; stop with Ctrl-C or canisterd stop\n"})
	r.read(project)
}

func TestCtrlCEndsMakeRunWithoutAnError(t *testing.T) {
	r := newReader(t)
	// The end of the test is the Ctrl-C.
	r.serve(step{command: "make run", output: "…\n(\"the greeter says: Hello, world!\")\n"})
}

// compilation is a line of make that compiles.
var compilation = regexp.MustCompile(`(?m)^\S*go (build|test) (.*)$`)

// TestNothingIsCompiledTwiceWithOtherFlags compares what make run and make test compile with: packages are cached by
// their flags.
func TestNothingIsCompiledTwiceWithOtherFlags(t *testing.T) {
	out, err := exec.Command("make", "--dry-run", "--directory", mustAbs(t, repository), "run", "test").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := compilation.FindAllStringSubmatch(string(out), -1)
	if len(lines) != 2 {
		t.Fatalf("make run and make test compile with %d commands:\n%s", len(lines), out)
	}
	for _, line := range lines {
		for word := range strings.FieldsSeq(line[2]) {
			if strings.HasPrefix(word, "-") && !slices.Contains([]string{"-v", "-o"}, word) || strings.Contains(word, "=") {
				t.Errorf("go %s has %s: the other command compiles all packages again", line[1], word)
			}
		}
	}
}
