package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// about is the beginning of canisterd --help.
const about = `A local Internet Computer in one binary

  canisterd start                    in one shell, and in another:
  canisterd deploy                   the canisters of this folder
  canisterd canister call NAME METHOD ARGUMENTS
  canisterd trace                    what that did

Results are printed to standard output and everything else to standard error;
exit codes are 0 (done), 1 (failed), 2 (a canister rejected a call) and 130
(interrupted); exec has that of its command.`

// helpCommand prints the help of a command, and fails for an unknown one.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show what a command does and takes",
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(of, rest[0])
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

// fitHelp breaks the descriptions of flags at the width of the terminal.
func (c *cli) fitHelp(root *cobra.Command) {
	width := helpCells
	if f, ok := c.out.(*os.File); ok {
		if cells, _, err := term.GetSize(int(f.Fd())); err == nil && cells > 0 {
			width = min(cells, helpCellsMost)
		}
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", width)))
}
