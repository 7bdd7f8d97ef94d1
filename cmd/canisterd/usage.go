package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// explain makes errors about wrong numbers of arguments say what a command takes, and which argument is missing.
func (c *cli) explain(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return nil
			}
			use := strings.TrimSuffix(cmd.UseLine(), " [flags]")
			if missing := missingArgument(cmd.Use, len(args)); missing != "" {
				return fmt.Errorf("missing argument %s%s: %s (see %s --help)", missing, c.choices(missing, args), use, cmd.CommandPath())
			}
			return fmt.Errorf("expected %s, but got %s (see %s --help)", use, count(uint64(len(args)), "argument"), cmd.CommandPath())
		}
	}
	for _, child := range cmd.Commands() {
		c.explain(child)
	}
}

// missingArgument returns the first required argument of a usage line that is not given; "" if there is none.
func missingArgument(use string, given int) string {
	places := strings.Fields(use)[1:]
	if given >= len(places) || strings.ContainsAny(use, "|(") {
		return ""
	}
	if place := places[given]; !strings.HasPrefix(place, "[") {
		return strings.TrimSuffix(place, "...")
	}
	return ""
}

// choices returns the possible values of a missing argument.
func (c *cli) choices(missing string, before []string) string {
	c.url = withScheme(c.url)
	var all []string
	switch missing {
	case "CANISTER":
		all = canisters(context.Background(), c, nil)
	case "METHOD":
		all = methods(context.Background(), c, before)
	}
	if len(all) == 0 {
		return ""
	}
	return " (one of " + strings.Join(all, ", ") + ")"
}

// wrongFlag explains an error about a flag: which one was meant, or what it takes.
func wrongFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var empty *pflag.ValueRequiredError
	switch {
	case errors.As(err, &invalid):
		name, value := invalid.GetFlag().Name, invalid.GetValue()
		switch invalid.GetFlag().Value.Type() {
		case "bool":
			return fmt.Errorf("invalid --%s %q: expected true or false", name, value)
		case "int", "int64":
			return fmt.Errorf("invalid --%s %q: expected a whole number", name, value)
		case "uint32":
			return fmt.Errorf("invalid --%s %q: expected a whole number from 0 to %d", name, value, uint32(math.MaxUint32))
		case "uint64":
			return fmt.Errorf("invalid --%s %q: expected a whole number from 0 to %d", name, value, uint64(math.MaxUint64))
		}
		return fmt.Errorf("--%s: %w", name, errors.Unwrap(invalid))
	case errors.As(err, &empty):
		return fmt.Errorf("--%s needs a value: %s", empty.GetFlag().Name, empty.GetFlag().Usage)
	}
	return unknownFlag(cmd, err)
}

// negative is an argument that is a number and not a flag.
var negative = regexp.MustCompile(`^-[0-9]`)

// withNegatives allows negative numbers and durations as arguments of a command: - and a digit do not begin a flag. It
// adds a space in front, which changes no number, so that they are not taken for flags.
func withNegatives(root *cobra.Command, args []string) []string {
	out := slices.Clone(args)
	cmd, _, err := root.Find(args)
	if err != nil {
		cmd = root
	}
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if negative.MatchString(arg) && (i == 0 || !takesNext(cmd, args[i-1])) {
			out[i] = " " + arg
		}
	}
	return out
}

// takesNext reports whether an argument is a flag whose value is the next argument. Unknown flags count: their error
// comes first.
func takesNext(cmd *cobra.Command, arg string) bool {
	if len(arg) < 2 || arg[0] != '-' || strings.Contains(arg, "=") || negative.MatchString(arg) {
		return false
	}
	name, long := strings.CutPrefix(arg, "--")
	flag := cmd.Flag(name)
	if !long {
		last := name[len(name)-1:]
		flag = cmp.Or(cmd.Flags().ShorthandLookup(last), cmd.InheritedFlags().ShorthandLookup(last))
	}
	return flag == nil || flag.NoOptDefVal == ""
}
