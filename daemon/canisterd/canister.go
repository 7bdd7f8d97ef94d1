package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

func (c *cli) canister() *cobra.Command {
	group := &cobra.Command{
		Use:   "canister",
		Short: "Create, install, call and look at canisters",
		// Without this a word that is no command would print the help and succeed.
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for %q: see %s --help", args[0], cmd.CommandPath(), cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	group.AddCommand(
		c.canisterCreate(), c.canisterInstall(), c.canisterCall(), c.canisterQuery(), c.canisterStatus(),
		c.lifecycle("start", "start_canister", "Let a stopped canister run again"),
		c.lifecycle("stop", "stop_canister", "Stop a canister; waits for its open calls"),
		c.lifecycle("uninstall", "uninstall_code", "Remove a canister's code and state"),
		c.lifecycle("delete", "delete_canister", "Delete a stopped canister for good"),
	)
	return group
}

// named is the argument of most methods of the management canister.
type named struct {
	Canister principal.Principal `ic:"canister_id"`
}

// manage calls a method of the management canister that concerns a canister.
// reply is filled from the answer unless it is nil.
func manage(ctx context.Context, connection *client.Client, effective principal.Principal, method string, arg, reply any) error {
	encoded, err := candid.Marshal(arg)
	if err != nil {
		return fmt.Errorf("encoding the argument of %s: %w", method, err)
	}
	answer, err := connection.Call(ctx, principal.Management, effective, method, encoded)
	if err != nil {
		return err
	}
	if reply == nil {
		return nil
	}
	if err := candid.Unmarshal(answer, reply); err != nil {
		return fmt.Errorf("reading the reply of %s: %w", method, err)
	}
	return nil
}

// lifecycle is a command that hands one canister to one method.
func (c *cli) lifecycle(name, method, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name + " CANISTER",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := canisterID(args[0])
			if err != nil {
				return err
			}
			connection, err := c.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer connection.Close()
			if err := manage(cmd.Context(), connection, id, method, named{id}, nil); err != nil {
				return err
			}
			c.note("%s: %s done", id, method)
			return nil
		},
	}
}

func canisterID(text string) (principal.Principal, error) {
	id, err := principal.Parse(text)
	if err != nil {
		return principal.Principal{}, fmt.Errorf("the canister id: %w", err)
	}
	if id == principal.Management {
		return principal.Principal{}, errors.New("aaaaa-aa is the management canister; its methods are the commands of `canisterd canister`")
	}
	return id, nil
}
