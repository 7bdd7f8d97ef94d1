package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// documented returns the commands that do something themselves, with those of servers that parse their own flags.
func documented(root *cobra.Command) []*cobra.Command {
	all := leaves(root)
	for i, cmd := range all {
		if inner := innerCommand(cmd.Name()); inner != nil {
			all[i] = inner
		}
	}
	return all
}

func TestHelpOfACommandHasItsPurposeItsFlagsAndExamples(t *testing.T) {
	root := (&cli{}).root()
	root.InitDefaultHelpCmd()
	all := documented(root)
	if len(all) < 60 {
		t.Fatalf("%d commands are found", len(all))
	}
	for _, cmd := range all {
		examples := strings.Split(cmd.Example, "\n")
		if len(examples) < 2 || len(examples) > 4 {
			t.Errorf("%s has %d lines of examples, want two to four", cmd.CommandPath(), len(examples))
		}
		if !slices.ContainsFunc(examples, func(line string) bool { return inOrder(line, strings.Fields(cmd.CommandPath())) }) {
			t.Errorf("no example of %s runs it", cmd.CommandPath())
		}
	}
}

// inOrder reports whether a command line has words in their order.
func inOrder(line string, words []string) bool {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" $()", r) }) {
		if len(words) > 0 && word == words[0] {
			words = words[1:]
		}
	}
	return len(words) == 0
}

func TestFlagsOfEveryCommandStandInTheirOwnHelp(t *testing.T) {
	root := (&cli{}).root()
	var names []string
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	_, flags, _ := invoke(t, "help", "flags")
	for _, name := range names {
		if !strings.Contains(flags, name+" ") {
			t.Errorf("canisterd help flags lacks %s", name)
		}
	}
	all := [][]string{nil}
	for _, cmd := range documented(root) {
		if cmd.HasParent() { // others parse their own flags
			all = append(all, strings.Fields(cmd.CommandPath())[1:])
		}
	}
	for _, path := range all {
		_, help, _ := invoke(t, append(path, "--help")...)
		if !strings.Contains(help, "canisterd help flags") {
			t.Errorf("canisterd %s --help does not say where the flags of every command stand", strings.Join(path, " "))
		}
		for line := range strings.Lines(help) {
			if flag, _, _ := strings.Cut(strings.TrimSpace(line), " "); flag == "--tls-roots" || flag == "--token-file" {
				t.Errorf("canisterd %s --help lists %s", strings.Join(path, " "), flag)
			}
		}
	}
}

func TestHelpAsJSONListsCommandsFlagsAndExitCodes(t *testing.T) {
	code, out, errOut := invoke(t, "help", "--json")
	var help helpJSON
	if err := json.Unmarshal([]byte(out), &help); err != nil || code != exitOK || errOut != "" {
		t.Fatalf("exit code %d, %v, %s", code, err, errOut)
	}
	root := (&cli{}).root()
	root.InitDefaultHelpCmd()
	if len(help.Commands) != len(leaves(root)) || len(help.ExitCodes) != len(exitMeanings) || len(help.Flags) < 8 {
		t.Errorf("%d commands, %d exit codes, %d flags", len(help.Commands), len(help.ExitCodes), len(help.Flags))
	}
	_, out, _ = invoke(t, "help", "explore", "replay", "--json")
	if err := json.Unmarshal([]byte(out), &help); err != nil || help.Commands[0].Usage != "canisterd explore replay FILE..." || len(help.Commands[0].Flags) < 5 || len(help.Commands[0].Examples) < 2 {
		t.Errorf("the help of a command is %s, %v", out, err)
	}
	if code, _, _ := invoke(t, "help", "explor", "--json"); code != exitFailed {
		t.Errorf("an unknown command has the exit code %d", code)
	}
}
