package main

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control"
)

func TestMistypedCommandsAndFlagsSayWhatWasMeant(t *testing.T) {
	for args, want := range map[string]string{
		"depoly":                 `unknown command "depoly" for "canisterd"; did you mean deploy? (see canisterd --help)`,
		"canister statsu":        `unknown command "statsu" for "canisterd canister"; did you mean status? (see canisterd canister --help)`,
		"call":                   "did you mean canisterd canister call?",
		"help depoly":            "did you mean deploy?",
		"help canister instal":   "did you mean install?",
		"canister list --jsno":   "unknown flag: --jsno; did you mean --json?",
		"canister list --foobar": "unknown flag: --foobar (see canisterd canister list --help)",
		"canister status 7tjcv-pp777-77776-qaaaa-cay": `"7tjcv-pp777-77776-qaaaa-cay" is not a canister id`,
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

// TestTheDaemonsAdviceIsACommandOfTheCommandLine compares the refusals in which the control API advises clients with
// those for which the command line has advice of its own. No text but this advice names RPCs.
func TestTheDaemonsAdviceIsACommandOfTheCommandLine(t *testing.T) {
	rpc := regexp.MustCompile(`\b(Clock|Messages|List|Await|Hold)\.?[A-Z]\w+`)
	for _, r := range control.Reasons() {
		if (r.Advice != "") != (commandAdvice[r.Name] != "") {
			t.Errorf("%s: the daemon advises %q, and the command line %q", r.Name, r.Advice, commandAdvice[r.Name])
		}
		if named := rpc.FindString(r.Text); named != "" {
			t.Errorf("the text of %s names %s", r.Name, named)
		}
		err := r.Refuse(make([]any, len(r.Keys))...)
		if text := (&cli{}).refusalText(t.Context(), err); r.Advice != "" && strings.Contains(text, r.Advice) {
			t.Errorf("%s: the command line says %q", r.Name, text)
		}
	}
}
