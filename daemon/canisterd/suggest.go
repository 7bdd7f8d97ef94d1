package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// closest is the word that was most likely meant by another: the one with the fewest edits, the first of equals; none
// if that takes more than a third of the letters, except one edit in short words.
func closest(written string, words []string) string {
	best, found := max(len(written)/3, 1), ""
	for _, word := range words {
		if n := distance(written, word); n <= best && n < len(word) && (found == "" || n < best) {
			best, found = n, word
		}
	}
	return found
}

// distance is how many letters have to be put in, taken out, replaced or exchanged with their neighbours to make b of
// a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case x[i-1] == y[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
				if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
					rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
				}
			}
		}
	}
	return rows[len(x)][len(y)]
}

// meant suggests another word; empty if none is close.
func meant(written string, words []string) string {
	if word := closest(written, words); word != "" {
		return fmt.Sprintf("; did you mean %s?", word)
	}
	return ""
}

// unknownCommand suggests a command for an unknown word under another command.
func unknownCommand(under *cobra.Command, word string) error {
	var names []string
	for _, child := range under.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	question := meant(word, names)
	if elsewhere := commandNamed(under.Root(), word); question == "" && elsewhere != nil {
		question = fmt.Sprintf("; did you mean %s?", elsewhere.CommandPath())
	}
	return fmt.Errorf("unknown command %q for %q%s (%s --help lists those there are)", word, under.CommandPath(), question, under.CommandPath())
}

// commandNamed is the first command of a name, at any depth; nil if there is none.
func commandNamed(under *cobra.Command, name string) *cobra.Command {
	for _, child := range under.Commands() {
		if child.Name() == name && child.IsAvailableCommand() {
			return child
		}
		if found := commandNamed(child, name); found != nil {
			return found
		}
	}
	return nil
}

// unknownFlag says which flag could have been meant.
func unknownFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	question := ""
	if name := closest(missing.GetSpecifiedName(), names); name != "" {
		question = fmt.Sprintf("; did you mean --%s?", name)
	} else if cmd.Name() == "exec" {
		question = "; write -- before a command with flags of its own"
	}
	return fmt.Errorf("%w%s (%s --help lists those there are)", err, question, cmd.CommandPath())
}

// commandOf is what does on the command line what a procedure that the daemon's texts name does.
var commandOf = map[string]string{
	"ListInstances": "canisterd instance list", "ListCanisters": "canisterd canister list", "ListSnapshots": "canisterd instance snapshots",
	"Clock.ListMoves": "canisterd step --list", "Clock.AdvanceTime": "canisterd time", "Clock.RunRounds": "canisterd run", "Flights.ListFutures": "canisterd futures",
	"call Clock.SetPacing with PACING_MODE_MANUAL": "canisterd pacing manual", "call Await with its id": "canisterd canister await",
}

var procedures = regexp.MustCompile(`\bcall Clock\.SetPacing with PACING_MODE_MANUAL|\bcall Await with its id|\b(Clock\.|Flights\.)?(List|Advance|Run)[A-Z][A-Za-z]+`)

// inCommands is a text of the daemon with commands in the places of procedures.
func inCommands(text string) string {
	return procedures.ReplaceAllStringFunc(text, func(procedure string) string {
		if command := commandOf[procedure]; command != "" {
			return command
		}
		return procedure
	})
}

// noSuchInstance is the text of an error about an instance that is not there, with the name that was meant.
func (c *cli) noSuchInstance(ctx context.Context, text, name string) string {
	before, after, found := strings.Cut(text, ":")
	if !found {
		return text
	}
	if name == defaultInstance {
		return before + ": canisterd instance create default makes it again (" + strings.TrimSpace(after) + ")"
	}
	return before + meant(name, instances(ctx, c, nil)) + " (" + strings.TrimSpace(after) + ")"
}

// noSuchMethod is the error code of a call of a method that a canister does not have (interface specification, "Error
// codes").
const noSuchMethod = "IC0536"

// hintMethod says which method of a canister was meant by one that it does not have.
func (c *cli) hintMethod(ctx context.Context, d *remote.Daemon, canister, method string, err error) {
	var reject *remote.Reject
	if !errors.As(err, &reject) || reject.GetErrorCode() != noSuchMethod || c.json {
		return
	}
	got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: c.instance, CanisterId: canister})
	if err != nil {
		return
	}
	names := map[string]string{}
	var words []string
	for _, m := range got.GetCanister().GetMethods() {
		names[m.GetName()] = m.GetKind()
		words = append(words, m.GetName())
	}
	if kind := names[method]; kind != "" {
		c.note("note: %s.%s is a method of kind %s", c.nameOf(canister), method, kind)
	} else if word := closest(method, words); word != "" {
		c.note("note: did you mean %s?", oneLine(word))
	}
}
