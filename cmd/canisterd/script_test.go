package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/test/canistertest"
)

// TestCommandsPrintWhatTheirScriptsSay runs the scripts of testdata against a daemon of their own: after each line that
// begins with $ comes what the command prints, standard error behind "! ", and its exit code where it is not 0. What
// differs from run to run is masked. A command that ends with < FILE reads the file as its standard input.
func TestCommandsPrintWhatTheirScriptsSay(t *testing.T) {
	golden.Transcripts(t, "testdata", play)
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// play runs a script and gives it back with what its commands print now.
func play(t *testing.T, script string) string {
	prepare(t)
	var text strings.Builder
	for line := range strings.Lines(script) {
		command, is := strings.CutPrefix(line, "$ ")
		file, content, isFile := strings.Cut(strings.TrimPrefix(line, "> "), " = ")
		copied, original, isCopy := strings.Cut(strings.TrimPrefix(line, "> "), " < ")
		switch {
		case strings.HasPrefix(line, "> ") && isCopy:
			text.WriteString(line)
			writeFile(t, copied, mustRead(t, os.ExpandEnv(strings.TrimSpace(original))))
		case is:
			text.WriteString(line + perform(t, expanded(strings.TrimSpace(command))))
		case strings.HasPrefix(line, "> ") && isFile:
			text.WriteString(line)
			written := strings.ReplaceAll(os.ExpandEnv(strings.TrimSpace(content)), `\n`, "\n")
			writeFile(t, file, strings.ReplaceAll(written, "%", "$")+"\n")
		case strings.HasPrefix(line, "#"):
			text.WriteString(line)
		}
	}
	return text.String()
}

// prepare gives a script a daemon and an empty folder.
func prepare(t *testing.T) {
	t.Helper()
	fixtures := mustAbs(t, "../../test/canistertest/fixtures")
	for _, name := range []string{"CANISTERD_CONTROL", "CANISTERD_INSTANCE", "CANISTERD_IDENTITY", "CANISTERD_AS", "CANISTERD_TOKEN_FILE", "CANISTERD_TLS_ROOTS", "CANISTERD_NETWORK", "CANISTERD_PASSWORD"} {
		t.Setenv(name, "")
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	canistertest.UseCacheHome(t)
	d := serving(t, daemon.Control{KnownModules: daemon.KnownModulesFile()})
	t.Setenv("CANISTERD_URL", d.URL())
	t.Setenv("FIXTURES", fixtures)
	t.Setenv("CANISTERD_ALLOW_OUTSIDE", "1") // they are not in the folder of a script
	t.Setenv("EXAMPLES", filepath.Join(fixtures, "../../../examples"))
	here := t.TempDir()
	t.Setenv("TESTDATA", mustAbs(t, "testdata"))
	t.Chdir(here)
	t.Setenv("HERE", here)
}

// expanded is a command with the folders of scripts in it. What is in braces is the command line's to expand.
func expanded(command string) string {
	const kept = "\x00"
	command = strings.NewReplacer("$${", kept+kept, "${", kept).Replace(command)
	return strings.NewReplacer(kept+kept, "$${", kept, "${").Replace(os.ExpandEnv(command))
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// masks are what differs from run to run: ports, times of the wall clock, and how long things took. Networks of scripts
// live in 2030, except the default one: its number of rounds is masked too.
var masks = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\b(network +|network_id":")[0-9a-f]{32}`), "${1}NETWORK"},
	{regexp.MustCompile(`("project_id": ")[0-9a-f]{32}`), "${1}PROJECT"},
	{regexp.MustCompile(`created [0-9]+ seconds? ago`), "created MOMENTS ago"},
	{regexp.MustCompile(`127\.0\.0\.1:[1-9][0-9]*`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`202[0-9]-[0-9-]{5}T[0-9:.]+Z`), "NOW"},
	{regexp.MustCompile(` *\b[0-9.]+ [nµm]s\b`), "  WALL"},
	{regexp.MustCompile(`((?:built|compiled) in) +[0-9.]+ s\b`), "$1  WALL"},
}

// counts are what an instance does that goes by the wall clock.
var counts = regexp.MustCompile(`\b[0-9]+ (round|message)s?\b`)

var spaces = regexp.MustCompile(`  +`)

// masked is a line without what differs from run to run. Columns are as wide as what stood in them.
func masked(line string) string {
	text := line
	for _, mask := range masks {
		text = mask.what.ReplaceAllString(text, mask.by)
	}
	if strings.Contains(text, "NOW") || strings.Contains(text, "PORT") || strings.Contains(line, "TIME") || strings.Contains(line, "TAKEN") {
		text = spaces.ReplaceAllString(text, "  ")
	}
	return strings.TrimRight(text, " \n") + "\n"
}

func perform(t *testing.T, command string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	words := fields(t, command)
	if n := len(words); n > 2 && words[n-2] == "<" {
		words = words[:n-2]
		input, err := os.Open(strings.Fields(command)[len(strings.Fields(command))-1])
		if err != nil {
			t.Fatal(err)
		}
		defer func(stdin *os.File) { os.Stdin = stdin; _ = input.Close() }(os.Stdin)
		os.Stdin = input
	}
	code := run(eventually.Context(t), words, &out, &errOut)
	text := out.String()
	for line := range strings.Lines(errOut.String()) {
		text += "! " + line
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if code != exitOK {
		text += fmt.Sprintf("(exit %d)\n", code)
	}
	var shown strings.Builder
	text = strings.ReplaceAll(text, os.Getenv("HERE"), "HERE")
	for line := range strings.Lines(text) {
		line = masked(line)
		if strings.HasPrefix(command, "time ") || strings.Contains(line, "NOW") {
			line = counts.ReplaceAllString(line, "N ${1}s")
		}
		shown.WriteString(line)
	}
	return shown.String() + "\n"
}

// fields splits a command as a shell does where quotes are single and nothing is escaped.
func fields(t *testing.T, command string) (all []string) {
	t.Helper()
	for rest := strings.TrimLeft(command, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		if quoted, is := strings.CutPrefix(rest, "'"); is {
			word, after, closed := strings.Cut(quoted, "'")
			if !closed {
				t.Fatalf("%s: a quote is open", command)
			}
			all, rest = append(all, word), after
			continue
		}
		word, after, _ := strings.Cut(rest, " ")
		all, rest = append(all, word), after
	}
	return all
}
