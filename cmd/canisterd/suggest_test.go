package main

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestMistypedCommandsAndFlagsSayWhatWasMeant(t *testing.T) {
	for args, want := range map[string]string{
		"depoly":                 `unknown command "depoly" for "canisterd"; did you mean deploy? (canisterd --help lists`,
		"canister statsu":        `unknown command "statsu" for "canisterd canister"; did you mean status? (canisterd canister --help lists`,
		"call":                   "did you mean canisterd canister call?",
		"help depoly":            "did you mean deploy?",
		"help canister instal":   "did you mean install?",
		"canister list --jsno":   "unknown flag: --jsno; did you mean --json?",
		"canister list --foobar": "unknown flag: --foobar (canisterd canister list --help",
		"canister status 7tjcv-pp777-77776-qaaaa-cay": `"7tjcv-pp777-77776-qaaaa-cay" is not the id`,
		"canister status 7tjcv-pp777-77776-qaaab-cai": `is not a principal: its checksum does not match`,
		"--control https://127.0.0.1:1 canister list": "no daemon answers at https://127.0.0.1:1",
	} {
		code, out, errOut := invoke(t, strings.Fields(args)...)
		if code != exitFailed || out != "" || !strings.Contains(errOut, want) {
			t.Errorf("canisterd %s: exit code %d, stdout %q, stderr %q; want %q on stderr", args, code, out, errOut, want)
		}
	}
}

// TestEveryExampleOfTheHelpIsACommandLine takes what help texts show apart as the program would: the command is there,
// has the flags, and takes this number of arguments.
func TestEveryExampleOfTheHelpIsACommandLine(t *testing.T) {
	shown := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			for _, example := range exampleLine.FindAllStringSubmatch(line, -1) {
				shown++
				accept(t, cmd, example[1])
			}
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit((&cli{out: io.Discard, err: io.Discard}).root())
	if shown < 50 {
		t.Errorf("help shows %d examples", shown)
	}
}

// exampleLine is a command in a line of help, up to a pipe, a redirection or a column of remarks.
var exampleLine = regexp.MustCompile(`(?:^  |\$\(|\| |-c ')canisterd (.*?)(?: \|| {3}| > |\n|$)`)

func accept(t *testing.T, of *cobra.Command, example string) {
	t.Helper()
	if !strings.Contains(example, "(") {
		example = strings.TrimSuffix(example, ")") // of the shell
	}
	if strings.Count(example, "'")%2 == 1 {
		example = strings.TrimSuffix(example, "'")
	}
	args := fields(t, strings.ReplaceAll(example, `"`, "'"))
	if strings.Contains(example, "'") {
		args = fields(t, example)
	}
	cmd, rest, err := (&cli{out: io.Discard, err: io.Discard}).root().Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err != nil {
		t.Errorf("%s --help shows canisterd %s: %v", of.CommandPath(), example, err)
	}
}

// TestTheDaemonsTextsNameCommandsAndNoProcedures reads the texts of all errors of the control API: the advice in them
// can be followed on the command line.
func TestTheDaemonsTextsNameCommandsAndNoProcedures(t *testing.T) {
	page, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		text := inCommands(cells[4])
		if text != cells[4] {
			changed++
		}
		if left := regexp.MustCompile(`\b(Clock\.|Messages\.|List|Await|Hold)[A-Z]\w+`).FindString(text); left != "" && left != "HoldLease" {
			t.Errorf("%s names %s", strings.TrimSpace(text), left)
		}
	}
	if changed < 7 {
		t.Errorf("%d texts name procedures", changed)
	}
}
