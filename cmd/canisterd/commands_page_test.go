package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/internal/golden"
)

// commandsIntroduction is what the page of commands begins with.
const commandsIntroduction = `# Commands

` + "`canisterd help COMMAND`" + ` prints the same about a command, and ` + "`canisterd help flags`" + ` the flags of every command. Results
go to standard output, everything else to standard error; see [Output for programs](output.md).

`

// commandsFlags is what comes after the table of exit codes.
const commandsFlags = `
` + "`exec`" + ` exits with the exit code of its command.

## Flags of every command

` + "`pocket-ic` and `network-launcher` take only their own flags, and `--as` of `exec` has another meaning." + `

`

// TestThePageOfCommandsHasEveryCommand compares docs/commands.md with the commands.
func TestThePageOfCommandsHasEveryCommand(t *testing.T) {
	for _, name := range []string{"CANISTERD_URL", "CANISTERD_CONTROL", "CANISTERD_INSTANCE", "CANISTERD_IDENTITY", "CANISTERD_AS", "CANISTERD_TOKEN_FILE", "CANISTERD_TLS_ROOTS", "CANISTERD_NETWORK", "CANISTERD_POCKET_IC_VERSION", launcherVersionVariable} {
		t.Setenv(name, "")
	}
	root := (&cli{}).root()
	var page strings.Builder
	page.WriteString(commandsIntroduction + "| exit code | meaning |\n|---|---|\n")
	for _, one := range exitMeanings {
		fmt.Fprintf(&page, "| %s | %s |\n", one.Codes, one.Meaning)
	}
	page.WriteString(commandsFlags)
	flagsTable(&page, root.PersistentFlags())
	for _, group := range root.Groups() {
		fmt.Fprintf(&page, "\n## %s\n", strings.TrimSuffix(group.Title, ":"))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID {
				commandSection(&page, cmd)
			}
		}
	}
	page.WriteString("\n## Help\n")
	for _, cmd := range root.Commands() {
		if cmd.GroupID == "" && !cmd.Hidden {
			commandSection(&page, cmd)
		}
	}
	path := mustAbs(t, "../../docs/commands.md")
	golden.Compare(t, path, page.String())
}

// innerCommand returns the command with the flags of one that does not parse its own, nil of others.
func innerCommand(name string) *cobra.Command {
	switch name {
	case pocketName:
		return (&cli{}).pocketServer()
	case launcherName:
		return (&cli{}).launcherServer(nil)
	}
	return nil
}

// commandSection writes what a command does and takes, and its subcommands.
func commandSection(page *strings.Builder, cmd *cobra.Command) {
	if cmd.Hidden {
		return
	}
	path := cmd.CommandPath()
	if inner := innerCommand(cmd.Name()); inner != nil {
		cmd = inner
	}
	fmt.Fprintf(page, "\n### %s\n\n", path)
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	page.WriteString(inPage(strings.TrimSpace(about)) + "\n")
	cmd.InheritedFlags() // adds those of its parents, as a run does: the usage line counts them
	if acts(cmd) {
		fmt.Fprintf(page, "\n    %s\n", cmd.UseLine())
	}
	if cmd.Example != "" {
		page.WriteString("\n```sh usage\n")
		for line := range strings.Lines(cmd.Example) {
			page.WriteString(strings.TrimSpace(line) + "\n")
		}
		page.WriteString("```\n")
	}
	if cmd.LocalNonPersistentFlags().HasAvailableFlags() {
		page.WriteString("\n")
		flagsTable(page, cmd.LocalNonPersistentFlags())
	}
	if cmd.Name() == "completion" { // the shells are its subcommands
		page.WriteString("\n    canisterd completion bash | fish | powershell | zsh\n")
		return
	}
	for _, child := range cmd.Commands() {
		commandSection(page, child)
	}
}

// flagsTable writes what each flag says.
func flagsTable(page *strings.Builder, flags *pflag.FlagSet) {
	page.WriteString("| flag | meaning |\n|---|---|\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || strings.HasPrefix(f.Usage, "version for ") {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := strings.TrimSpace("--" + f.Name + " " + strings.ToUpper(value))
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if !strings.Contains("[] 0 0s false", f.DefValue) && !strings.Contains(usage, "(default: ") {
			usage += fmt.Sprintf(" (default: %s)", f.DefValue)
		}
		fmt.Fprintf(page, "| `%s` | %s |\n", name, inPage(strings.ReplaceAll(usage, "|", `\|`)))
	})
}

// inPage is the text of a help as Markdown: lines that are indented there are code.
func inPage(text string) string {
	var page strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  ") {
			page.WriteString("  " + line)
		} else {
			page.WriteString(strings.NewReplacer("<", `\<`, "*", `\*`).Replace(line))
		}
	}
	return page.String()
}
