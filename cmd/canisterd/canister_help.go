package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/internal/candid/reference"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) canisterHelp() *cobra.Command {
	var candidFile string
	cmd := &cobra.Command{
		Use:   "help CANISTER [METHOD]",
		Short: "List the methods of a canister, each with a command that calls it",
		Long: `List the methods of a canister with their types, each with a command that calls it with
example arguments. They come from the canister's interface, or from --candid.`,
		Example: `  canisterd canister help bank
  canisterd canister help bank withdraw
  canisterd canister help $id --candid bank.did --json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: c.ofCanister(func(ctx context.Context, d *remote.Daemon, id string, args []string) error {
			file, err := c.interfaceOf(ctx, d, id, c.interfacePath(args[0], candidFile))
			if err != nil {
				return err
			}
			all, err := c.methodHelps(file, args)
			if err != nil {
				return err
			}
			var text strings.Builder
			for _, m := range all {
				text.WriteString(m.text())
			}
			return c.print(strings.TrimRight(text.String(), "\n"), map[string][]methodHelp{"methods": all})
		}),
	}
	cmd.Flags().StringVar(&candidFile, "candid", "", "interface (.did file) to use instead of the canister's own")
	return cmd
}

// interfaceOf returns the interface of a canister, or the one in a file if that is named.
func (c *cli) interfaceOf(ctx context.Context, d *remote.Daemon, id, path string) (*did.File, error) {
	if path != "" {
		return readInterface(path)
	}
	got, err := d.Canisters.GetInterface(ctx, &controlv1.GetInterfaceRequest{Instance: c.instance, CanisterId: id})
	if err != nil {
		return nil, err
	}
	return did.Parse(got.GetCandid())
}

// methodHelp describes a method.
type methodHelp struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`      // update, query, composite query, oneway
	Arguments string `json:"arguments"` // types, such as (amount : nat)
	Results   string `json:"results"`
	Example   string `json:"example,omitempty"` // absent: a type has no small value
	Command   string `json:"command,omitempty"`
}

// text is the description for people.
func (m *methodHelp) text() string {
	call := "no example: a type of its arguments has no small value"
	if m.Command != "" {
		call = m.Command
	}
	return fmt.Sprintf("%s  %s  %s -> %s\n  %s\n", oneLine(m.Name), m.Kind, oneLine(m.Arguments), oneLine(m.Results), oneLine(call))
}

// methodHelps describes the methods of an interface, or the one that the arguments name after the canister.
func (c *cli) methodHelps(file *did.File, args []string) ([]methodHelp, error) {
	methods := file.Methods()
	if len(args) > 1 {
		method, found := file.Method(args[1])
		if !found {
			return nil, fmt.Errorf("%s has no method %q%s", args[0], args[1], reference.Meant(args[1], methodNames(file)))
		}
		methods = []did.Method{method}
	}
	all := []methodHelp{}
	for _, m := range methods {
		described := methodHelp{Name: m.Name, Kind: methodKind(m), Arguments: did.FormatTypes(m.Args), Results: did.FormatTypes(m.Results)}
		if example, ok := m.Example(); ok {
			described.Example, described.Command = example, c.callCommand(args[0], m, example)
		}
		all = append(all, described)
	}
	return all, nil
}

// callCommand returns the command that calls a method.
func (c *cli) callCommand(canister string, m did.Method, arguments string) string {
	verb := "call"
	if m.Annotation&(candid.Query|candid.CompositeQuery) != 0 {
		verb = "query"
	}
	words := []string{c.program(), "canister", verb, shellWord(canister), shellWord(m.Name)}
	if len(m.Args) > 0 {
		words = append(words, shellWord(arguments))
	}
	return strings.Join(words, " ")
}

// methodKind names the kind of a method.
func methodKind(m did.Method) string {
	switch {
	case m.Annotation&candid.Query != 0:
		return "query"
	case m.Annotation&candid.CompositeQuery != 0:
		return "composite query"
	case m.Annotation&candid.Oneway != 0:
		return "oneway"
	}
	return "update"
}

// program returns the beginning of a command about the same instance.
func (c *cli) program() string {
	if c.instance == "" {
		return "canisterd"
	}
	return "canisterd -i " + c.instance
}

// shellWord writes a word for a shell, in quotes if it needs them.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
