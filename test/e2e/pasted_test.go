//go:build clients && linux

package e2e

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// toolRow is a row of the table of docs/pocketic.md: a tool, and the line that a user pastes.
type toolRow struct{ tool, line string }

// toolTests are the tests that run the lines, by the tool.
var toolTests = map[string]string{
	"`@dfinity/pic` from 0.23":                      "TestTheJavaScriptClientOfPocketICWorksUnmodified",
	"`@dfinity/pic` before 0.23":                    "TestTheJavaScriptClientOfPocketICWorksUnmodified",
	"Rust crate `pocket-ic` 16":                     "TestTheRustClientOfPocketICWorksUnmodified",
	"Rust crate `pocket-ic`, another major version": "TestTheRustClientOfPocketICWorksUnmodified",
	"Python `pocket-ic`":                            "TestThePythonClientOfPocketICWorksUnmodified",
	"`mops` from 2.24":                              "TestAClientUsesTheServerWhoseAddressItIsGiven",
	"`mops` 2.9":                                    "TestMopsTestsAPackageInCanisters",
	"`canbench`":                                    "TestCanbenchCountsTheInstructionsOfPerformanceCounter",
	"icp-cli":                                       "TestTheManagedNetworkOfICPCLIWorksUnmodified",
	"dfx":                                           "TestTheLinesForToolsSetTheVariablesThatExecSets",
}

// toolTable is the table without its head.
func toolTable(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/pocketic.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| tool | line |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	return table
}

// toolRows are the rows of the table.
func toolRows(t *testing.T) (rows []toolRow) {
	t.Helper()
	for _, row := range regexp.MustCompile("(?m)^\\| ([^|]+) \\| (?:in `mops.toml`: )?`([^|]+)`(?:, [^|]+)? \\|$").FindAllStringSubmatch(toolTable(t), -1) {
		rows = append(rows, toolRow{row[1], row[2]})
	}
	return rows
}

// pasted is the line for a tool.
func pasted(t *testing.T, tool string) string {
	t.Helper()
	for _, row := range toolRows(t) {
		if row.tool == tool {
			return row.line
		}
	}
	t.Fatalf("docs/pocketic.md has no line for %s", tool)
	return ""
}

// userHome is an environment with canisterd on the PATH and its links in ~/bin.
func userHome(t *testing.T) []string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"canisterd", "pocket-ic", "canisterd-launcher"} {
		if err := os.Symlink(binary, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH")}
}

// paste has a shell read the line for a tool in a folder, and gives the variables that it exports.
func paste(t *testing.T, tool, folder string) (variables []string) {
	t.Helper()
	cmd := exec.Command("sh", "-e", "-c", pasted(t, tool)+"\nenv")
	cmd.Dir, cmd.Env = folder, userHome(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the line for %s: %v", tool, err)
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSuffix(line, "\n"); regexp.MustCompile(`^(POCKET_IC|MOPS|ICP|DFX)_\w+=`).MatchString(line) {
			variables = append(variables, line)
		}
	}
	return variables
}

// TestEveryLineOfTheTableOfToolsIsRun finds the name of each tool in the test of toolTests, which takes the line from the
// table.
func TestEveryLineOfTheTableOfToolsIsRun(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(text)
	}
	rows := toolRows(t)
	for _, row := range rows {
		test := toolTests[row.tool]
		_, body, found := strings.Cut(sources.String(), "\nfunc "+test+"(t *testing.T) {\n")
		if body, _, _ = strings.Cut(body, "\n}\n"); !found || !strings.Contains(body, `"`+row.tool+`"`) {
			t.Errorf("toolTests has %q for %s, which does not run its line", test, row.tool)
		}
	}
	if lines := strings.Count(toolTable(t), "\n") + 1; lines != len(rows) || len(rows) != len(toolTests) {
		t.Errorf("%d of %d lines of the table are read, and toolTests has %d", len(rows), lines, len(toolTests))
	}
}

// mops from 2.24 takes the address of a server; npm has 2.9 as its newest. Its client is @dfinity/pic.
func TestAClientUsesTheServerWhoseAddressItIsGiven(t *testing.T) {
	line := strings.ReplaceAll(pasted(t, "`mops` from 2.24"), "4944", freePort(t))
	cmd := exec.Command("sh", "-e", "-c", line+"\nexec node address.mjs")
	cmd.Dir, cmd.Env = "pocketic", userHome(t)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out) // the server's log is among them
	for lines.Scan() && lines.Text() != "(1)" {
	}
	if lines.Text() != "(1)" {
		t.Errorf("the client does not say what the canister has counted (%v)", lines.Err())
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // the server, and the client if it is still running
	_ = cmd.Wait()                                      // it may have ended by the signal
}

// The variables are also those that canisterd exec --as sets.
func TestTheLinesForToolsSetTheVariablesThatExecSets(t *testing.T) {
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(binary, "exec", "--as", "all", "--", "env").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"`@dfinity/pic` from 0.23", "icp-cli", "dfx"} {
		for _, variable := range paste(t, tool, t.TempDir()) {
			name, path, _ := strings.Cut(variable, "=")
			if target, err := os.Readlink(path); err != nil || target != binary {
				t.Errorf("%s is %s, which leads to %q (%v)", name, path, target, err)
			}
			if !slices.ContainsFunc(strings.Split(string(out), "\n"), func(line string) bool { return strings.HasPrefix(line, name+"=") }) {
				t.Errorf("canisterd exec does not set %s", name)
			}
		}
	}
}

// freePort is a port that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}
