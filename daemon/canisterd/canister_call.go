package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
)

// ask is how a method is asked: as an update or as a query.
type ask func(connection *client.Client, ctx context.Context, callee, effective principal.Principal, method string, arg []byte) ([]byte, error)

func (c *cli) canisterCall() *cobra.Command {
	return c.invocation("call", "Call a method and print its reply", (*client.Client).Call)
}

func (c *cli) canisterQuery() *cobra.Command {
	return c.invocation("query", "Query a method and print its reply", (*client.Client).Query)
}

func (c *cli) invocation(name, short string, ask ask) *cobra.Command {
	var raw string
	cmd := &cobra.Command{
		Use:   name + " CANISTER METHOD [ARGUMENTS]",
		Short: short,
		Long: short + `.

ARGUMENTS is a Candid argument list such as '("Ada", 3)'; for one argument the
parentheses may be left out. Types and the names in the reply come from the
module's candid:service section where it has one.`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := canisterID(args[0])
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			connection, err := c.dial(ctx)
			if err != nil {
				return err
			}
			defer connection.Close()
			method, known := c.describe(ctx, connection, id, args[1])
			arg, err := argument(args[2:], raw, method, known)
			if err != nil {
				return err
			}
			reply, err := ask(connection, ctx, id, id, args[1], arg)
			if err != nil {
				return err
			}
			return c.printReply(reply, method, known)
		},
	}
	cmd.Flags().StringVar(&raw, "hex", "", "the argument as bytes in hex, instead of ARGUMENTS")
	return cmd
}

// describe is what the module says of a method. Where it says nothing, or what
// it says cannot be read, arguments are encoded as they are written and replies
// printed by what they carry.
func (c *cli) describe(ctx context.Context, connection *client.Client, id principal.Principal, method string) (did.Method, bool) {
	text, ok, err := connection.Metadata(ctx, id, "candid:service")
	if err != nil || !ok {
		return did.Method{}, false
	}
	file, err := did.Parse(text)
	if err != nil {
		c.note("note: the module's candid:service cannot be read, types are taken from the values: %v", err)
		return did.Method{}, false
	}
	return file.Method(method)
}

func argument(args []string, raw string, method did.Method, known bool) ([]byte, error) {
	if raw != "" {
		if len(args) > 0 {
			return nil, fmt.Errorf("give either ARGUMENTS or --hex, not both")
		}
		arg, err := hex.DecodeString(strings.TrimPrefix(raw, "0x"))
		if err != nil {
			return nil, fmt.Errorf("--hex: %w", err)
		}
		return arg, nil
	}
	text := "()"
	if len(args) > 0 {
		text = parenthesised(args[0])
	}
	if known {
		arg, err := method.EncodeArgs(text)
		if err != nil {
			return nil, err // names the method
		}
		return arg, nil
	}
	values, err := candid.ParseArgs(text)
	if err != nil {
		return nil, fmt.Errorf("the arguments: %w", err)
	}
	return candid.EncodeValues(values...)
}

type replyResult struct {
	Candid string `json:"candid,omitempty"`
	Hex    string `json:"hex"`
}

func (c *cli) printReply(reply []byte, method did.Method, known bool) error {
	result := replyResult{Hex: hex.EncodeToString(reply)}
	values, _, err := candid.Decode(reply)
	if known {
		if named, namedErr := method.DecodeResults(reply); namedErr == nil {
			values, err = named, nil
		}
	}
	if err != nil {
		c.note("note: the reply is not Candid: %v", err)
		return c.print(result.Hex, result)
	}
	result.Candid = candid.FormatArgs(values)
	return c.print(candid.PrettyArgs(values), result)
}
