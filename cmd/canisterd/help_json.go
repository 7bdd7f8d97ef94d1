package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandJSON is a command for help --json.
type commandJSON struct {
	Path     string     `json:"path"`
	Usage    string     `json:"usage"`
	Short    string     `json:"short"`
	Long     string     `json:"long,omitempty"`     // of the command that help is about
	Examples []string   `json:"examples,omitempty"` // likewise
	Flags    []flagJSON `json:"flags,omitempty"`    // of its own
}

// flagJSON is a flag for help --json.
type flagJSON struct {
	Name    string `json:"name"`
	Short   string `json:"short,omitempty"`
	Type    string `json:"type,omitempty"` // of its value; all but the name: of the command that help is about
	Default string `json:"default,omitempty"`
	Usage   string `json:"usage,omitempty"`
}

// helpJSON is the result of help --json: a command and those below it, or all of them with the flags of every command and
// the exit codes.
type helpJSON struct {
	Commands  []commandJSON `json:"commands"`
	Flags     []flagJSON    `json:"flags,omitempty"`
	ExitCodes []exitMeaning `json:"exit_codes,omitempty"`
}

// helpOf describes a command in full, and lists those below it with the names of their flags.
func helpOf(cmd *cobra.Command) helpJSON {
	var help helpJSON
	if cmd.HasParent() {
		one := describe(cmd)
		one.Long, one.Flags = cmd.Long, flagsOf(cmd.LocalNonPersistentFlags(), true)
		for line := range strings.Lines(cmd.Example) {
			one.Examples = append(one.Examples, strings.TrimSpace(line))
		}
		help.Commands = append(help.Commands, one)
	} else {
		help.Flags, help.ExitCodes = flagsOf(cmd.PersistentFlags(), true), exitMeanings
	}
	for _, below := range leaves(cmd) {
		one := describe(below)
		one.Flags = flagsOf(below.LocalNonPersistentFlags(), false)
		help.Commands = append(help.Commands, one)
	}
	return help
}

// describe returns a command without its details.
func describe(cmd *cobra.Command) commandJSON {
	return commandJSON{Path: cmd.CommandPath(), Usage: strings.TrimSuffix(cmd.UseLine(), " [flags]"), Short: cmd.Short}
}

// flagsOf returns flags, with their details or their names alone.
func flagsOf(of *pflag.FlagSet, details bool) (all []flagJSON) {
	of.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" && f.Shorthand == "v" {
			return
		}
		one := flagJSON{Name: f.Name}
		if details {
			_, usage := pflag.UnquoteUsage(f)
			one = flagJSON{f.Name, f.Shorthand, f.Value.Type(), f.DefValue, usage}
		}
		all = append(all, one)
	})
	return all
}

// leaves returns the commands below one that do something themselves, in the order of help.
func leaves(under *cobra.Command) (all []*cobra.Command) {
	for _, cmd := range under.Commands() {
		if cmd.Hidden {
			continue
		}
		if acts(cmd) {
			all = append(all, cmd)
		}
		all = append(all, leaves(cmd)...)
	}
	return all
}

// acts reports whether a command does something itself: one that only has subcommands has no flags.
func acts(cmd *cobra.Command) bool {
	return !cmd.HasSubCommands() || cmd.LocalNonPersistentFlags().HasAvailableFlags()
}
