package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/candid/reference"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// unknownCommand suggests a command for an unknown word under another command.
func unknownCommand(under *cobra.Command, word string) error {
	var names []string
	for _, child := range under.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	question := reference.Meant(word, names)
	if elsewhere := commandNamed(under.Root(), word); question == "" && elsewhere != nil {
		question = fmt.Sprintf("; did you mean %s?", elsewhere.CommandPath())
	}
	return fmt.Errorf("unknown command %q for %q%s (see %s --help)", word, under.CommandPath(), question, under.CommandPath())
}

// commandNamed returns the first command with a name, at any depth; nil if there is none.
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

// unknownFlag suggests a flag for an unknown one.
func unknownFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	question := ""
	if name := reference.Closest(missing.GetSpecifiedName(), names); name != "" {
		question = fmt.Sprintf("; did you mean --%s?", name)
	} else if cmd.Name() == "exec" {
		question = "; write -- before a command with flags of its own"
	}
	return fmt.Errorf("%w%s (see %s --help)", err, question, cmd.CommandPath())
}

// hintFeature says how to install a module that the network refuses because it needs a feature. The remedy is a format with
// the name of the feature.
func (c *cli) hintFeature(err error, remedy string) {
	text := err.Error()
	switch {
	case c.json:
	case strings.Contains(text, "from 'wasi_snapshot_preview1' that is not exported"):
		c.note("note: the module imports WASI, which the Internet Computer does not provide: %s, or convert it with canisterd wasm polyfill", fmt.Sprintf(remedy, "wasi"))
	case strings.Contains(text, "unknown binary version and encoding combination"):
		c.note("note: the file may be a component, which the Internet Computer does not run: %s, or link it into a module with canisterd component link", fmt.Sprintf(remedy, "components"))
	}
}

// noSuchMethod is the error code for a method that a canister does not have (interface specification, "Error codes").
const noSuchMethod = "IC0536"

// canisterError is the code of rejects that the code of a canister causes.
const canisterError = 5

// hintReject says which known module runs in a canister without a name whose code rejects a call, and suggests a method
// for one that it does not have.
func (c *cli) hintReject(ctx context.Context, d *remote.Daemon, canister, method string, err error) {
	var reject *remote.Reject
	if !errors.As(err, &reject) || reject.GetCode() != canisterError || c.json {
		return
	}
	found, err := c.existing(ctx, d, canister)
	if err != nil {
		return
	}
	if name := moduleText(found.GetKnownModule()); name != "" && c.nameOf(canister) == canister {
		c.note("note: %s runs the %s", canister, name)
	}
	if reject.GetErrorCode() == noSuchMethod {
		c.hintMethod(found, method)
	}
}

// hintMethod suggests a method of a canister for one that it does not have.
func (c *cli) hintMethod(found *controlv1.Canister, method string) {
	names := map[string]string{}
	var words []string
	for _, m := range found.GetMethods() {
		names[m.GetName()] = m.GetKind()
		words = append(words, m.GetName())
	}
	if kind := names[method]; kind != "" {
		c.note("note: %s.%s is a method of kind %s", c.nameOf(found.GetCanisterId()), method, kind)
	} else if word := reference.Closest(method, words); word != "" {
		c.note("note: did you mean %s?", oneLine(word))
	}
}
