package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/internal/control/request"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// drawnFlags say which arguments and calls are drawn.
type drawnFlags struct{ any, ranges, examples []string }

func (f *drawnFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.any, "any", nil, "draw calls of the update methods of this canister, 'CANISTER [as PRINCIPAL]': some before the operations and some with them; repeatable")
	flags.StringArrayVar(&f.ranges, "range", nil, "integers in drawn arguments of a method, 'CANISTER METHOD LOW..HIGH'; repeatable")
	flags.StringArrayVar(&f.examples, "example", nil, "arguments that are drawn often, 'CANISTER METHOD ARGUMENTS'; repeatable")
}

// read adds what is drawn to a request.
func (f *drawnFlags) read(c *cli, in *controlv1.ExploreRequest) error {
	for _, text := range f.any {
		name, as := request.CutCaller(text)
		sender, err := c.callerOf(as)
		if err != nil {
			return fmt.Errorf("--any %q: %w", text, err)
		}
		in.Any = append(in.Any, &controlv1.ExploreAny{Canister: strings.TrimSpace(name), Sender: sender})
	}
	for _, text := range f.ranges {
		canister, method, limits := cutMethod(text)
		low, high, found := strings.Cut(limits, "..")
		if !found {
			return fmt.Errorf("invalid --range %q: expected CANISTER METHOD LOW..HIGH, for example bank withdraw 1..200", text)
		}
		in.Arguments = append(in.Arguments, &controlv1.ExploreArguments{Canister: canister, Method: method, Low: strings.TrimSpace(low), High: strings.TrimSpace(high)})
	}
	for _, text := range f.examples {
		canister, method, arguments := cutMethod(text)
		if arguments == "" {
			return fmt.Errorf("invalid --example %q: expected CANISTER METHOD ARGUMENTS, for example bank withdraw 100", text)
		}
		resolved, err := c.withIDs(arguments)
		if err != nil {
			return fmt.Errorf("--example %q: %w", text, err)
		}
		if !strings.HasPrefix(resolved, "(") {
			resolved = "(" + resolved + ")"
		}
		in.Arguments = append(in.Arguments, &controlv1.ExploreArguments{Canister: canister, Method: method, Examples: []string{resolved}})
	}
	return nil
}

// cutMethod divides a text into a canister, a method and the rest.
func cutMethod(text string) (canister, method, rest string) {
	words := append(strings.SplitN(strings.TrimSpace(text), " ", 3), "", "")
	return words[0], words[1], strings.TrimSpace(words[2])
}
