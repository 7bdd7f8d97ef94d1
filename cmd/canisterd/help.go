package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// about is the beginning of canisterd --help.
const about = `A local Internet Computer in one binary

With canisterd start in one shell, in another:

  canisterd deploy                                  deploy the canisters of this directory
  canisterd canister call bank withdraw 100         run one order of messages
  canisterd explore --op 'bank withdraw 100' --invariant 'vault paidOut <= 100'
  canisterd explore replay explore/*.yaml           replay the findings after a change

Results go to standard output, everything else to standard error. Exit codes are 0
(done), 1 (failed), 2 (a canister rejected a call), 4 (a call is still open) and 130
(interrupted); docs/commands.md lists all.`

// flagsTopic is the topic of help about the flags of every command.
const flagsTopic = "flags"

// helpName is the name of the command that prints help. Cobra does not count it as available.
const helpName = "help"

// helpCommand prints the help of a command, and fails for an unknown one.
func (c *cli) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   helpName + " [COMMAND | " + flagsTopic + "]",
		Short: "Show the help of a command, or the flags of every command",
		Example: `  canisterd help canister call
  canisterd help flags
  canisterd help canister call --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == flagsTopic && !c.json {
				cmd.Printf("Flags of every command:\n\n%s", cmd.Root().PersistentFlags().FlagUsagesWrapped(c.helpWidth()))
				return nil
			}
			if c.json && len(args) == 1 && args[0] == flagsTopic {
				args = nil // they are there with the commands
			}
			of, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(of, rest[0])
			}
			if c.json {
				return c.print("", helpOf(of))
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) (names []string, _ cobra.ShellCompDirective) {
			of, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) == 0 {
				for _, child := range of.Commands() {
					if child.IsAvailableCommand() && strings.HasPrefix(child.Name(), typed) {
						names = append(names, cobra.CompletionWithDesc(child.Name(), child.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// group makes a command that only has subcommands.
func group(name, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.ArbitraryArgs,
		// Without this an unknown command would print the help and succeed.
		RunE: others,
	}
}

// others is the RunE of a command that only has subcommands.
func others(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return cmd.Help()
}

// Widths of help, in cells.
const (
	helpCells     = 100 // if the width of the terminal is unknown
	helpCellsMost = 120
)

// helpWidth returns the width of help, which is that of the terminal.
func (c *cli) helpWidth() int {
	if f, ok := c.out.(*os.File); ok {
		if cells, _, err := term.GetSize(int(f.Fd())); err == nil && cells > 0 {
			return min(cells, helpCellsMost)
		}
	}
	return helpCells
}

// whereFlagsStand stands in place of the flags of every command, which would be most of the help of each.
const whereFlagsStand = "Flags of every command, such as --instance and --json: canisterd help " + flagsTopic

// fitHelp shows the flags of every command in their own help, and breaks the descriptions of flags at the width of the
// terminal. Cobra's templates are not used: they call methods by their names, and for that the linker keeps all exported
// methods of the program (docs/internals/size.md).
func (c *cli) fitHelp(root *cobra.Command) {
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(cmd.OutOrStderr(), usage(cmd, c.helpWidth()))
		return err
	})
}

// usage returns the usage of a command, with the descriptions of flags in lines of a width.
func usage(cmd *cobra.Command, width int) string {
	flags := cmd.LocalFlags() // also gives the command the flags of its parents, which its usage line counts
	var out strings.Builder
	out.WriteString("Usage:")
	if cmd.Runnable() {
		out.WriteString("\n  " + cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		out.WriteString("\n  " + cmd.CommandPath() + " [command]")
	}
	if cmd.HasExample() {
		out.WriteString("\n\nExamples:\n" + cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		out.WriteString(subcommands(cmd))
	}
	if !cmd.HasParent() {
		flags = cmd.LocalNonPersistentFlags()
	}
	if flags.HasAvailableFlags() {
		out.WriteString("\n\nFlags:\n" + strings.TrimRight(flags.FlagUsagesWrapped(width), "\n"))
	}
	if !cmd.HasParent() || cmd.HasAvailableInheritedFlags() {
		out.WriteString("\n\n" + whereFlagsStand)
	}
	if cmd.HasAvailableSubCommands() {
		out.WriteString("\n\nUse \"" + cmd.CommandPath() + " [command] --help\" for more information about a command.")
	}
	return out.String() + "\n"
}

// subcommands lists the subcommands of a command by their groups.
func subcommands(cmd *cobra.Command) string {
	var out strings.Builder
	list := func(title, group string) {
		out.WriteString("\n\n" + title)
		for _, child := range cmd.Commands() {
			if child.GroupID == group && (child.IsAvailableCommand() || child.Name() == helpName) {
				fmt.Fprintf(&out, "\n  %-*s %s", child.NamePadding(), child.Name(), child.Short)
			}
		}
	}
	for _, group := range cmd.Groups() {
		list(group.Title, group.ID)
	}
	switch {
	case len(cmd.Groups()) == 0:
		list("Available Commands:", "")
	case !cmd.AllChildCommandsHaveGroup():
		list("Additional Commands:", "")
	}
	return out.String()
}
