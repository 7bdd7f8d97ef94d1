package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"github.com/canisterd/canisterd/api/control/remote"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

func (c *cli) held() *cobra.Command {
	var wait bool
	var rule uint64
	cmd := &cobra.Command{
		Use:   "held",
		Short: "List the messages that rules hold",
		Example: `  canisterd -i lab held
  canisterd -i lab held --wait --rule 1`,
		Args: cobra.NoArgs,
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, _ []string) error {
			if wait {
				done := c.whileWaiting(ctx, "no rule holds a message (canisterd rule list)")
				_, err := d.Messages.AwaitHeld(ctx, &controlv1.AwaitHeldRequest{Instance: c.instance, RuleId: rule})
				done()
				if err != nil {
					return err
				}
			}
			all, err := allPages((*controlv1.ListHeldResponse).GetHeld, func(token string) (*controlv1.ListHeldResponse, error) {
				return d.Messages.ListHeld(ctx, &controlv1.ListHeldRequest{Instance: c.instance, RuleId: rule, Page: &controlv1.Page{Size: pageSize, Token: token}})
			})
			if err != nil {
				return err
			}
			t := c.table("HELD", "RULE", "KIND", "CALLER", "CALLEE", "METHOD", "SINCE")
			for _, h := range all {
				t.row(fmt.Sprint(h.GetHeldId()), fmt.Sprint(h.GetRuleId()), word(h.GetKind(), "MESSAGE_KIND_"),
					c.nameOf(h.GetCaller()), c.nameOf(h.GetCallee()), h.GetMethod(), stamp(h.GetSince()))
			}
			return c.print(t.String(), &controlv1.ListHeldResponse{Held: all})
		}),
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for a held message")
	cmd.Flags().Uint64Var(&rule, "rule", 0, "only messages that this rule holds (default: all)")
	return cmd
}

func (c *cli) release() *cobra.Command {
	return c.forHeld("release", "Release held messages", "released", func(ctx context.Context, d *remote.Daemon, id uint64) (proto.Message, error) {
		return d.Messages.Release(ctx, &controlv1.ReleaseRequest{Instance: c.instance, HeldId: id})
	})
}

func (c *cli) drop() *cobra.Command {
	return c.forHeld("drop", "Drop held messages of best-effort calls", "dropped", func(ctx context.Context, d *remote.Daemon, id uint64) (proto.Message, error) {
		return d.Messages.Drop(ctx, &controlv1.DropRequest{Instance: c.instance, HeldId: id})
	})
}

// forHeld makes a command that does one thing to held messages.
func (c *cli) forHeld(name, short, done string, do func(context.Context, *remote.Daemon, uint64) (proto.Message, error)) *cobra.Command {
	return &cobra.Command{
		Use:     name + " HELD...",
		Short:   short,
		Example: fmt.Sprintf("  canisterd %[1]s 1\n  canisterd -i lab %[1]s 1 2", name),
		Args:    cobra.MinimumNArgs(1),
		RunE: c.connecting(func(ctx context.Context, d *remote.Daemon, args []string) error {
			for _, arg := range args {
				id, err := number("held message", "canisterd held", arg)
				if err != nil {
					return err
				}
				if _, err := do(ctx, d, id); err != nil {
					return err
				}
				if err := c.done(map[string]any{"held_id": id, "done": done}, "%d: %s", id, done); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func (c *cli) settle() *cobra.Command {
	var held, call uint64
	var subnet string
	cmd := &cobra.Command{
		Use:   "settle (--held N | --call N [--subnet SUBNET]) unknown | reply CANDID | reject [CODE] TEXT",
		Short: "Answer a call in place of its callee",
		Example: `  canisterd settle --held 1 reject sys_transient "the network is busy"
  canisterd settle --call 1 reply '()'`,
		Args: cobra.RangeArgs(1, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			answer, err := parseAnswer(args)
			if err != nil {
				return err
			}
			request := &controlv1.SettleRequest{Instance: c.instance, Answer: answer}
			switch {
			case held != 0 && call == 0:
				request.Which = &controlv1.SettleRequest_HeldId{HeldId: held}
			case call != 0 && held == 0:
			default:
				return errors.New("no call given: use --held N (canisterd held) or --call N (canisterd futures)")
			}
			return c.connected(cmd.Context(), func(ctx context.Context, d *remote.Daemon) error {
				if call != 0 {
					which, err := c.waitingCall(ctx, d, subnet, call)
					if err != nil {
						return err
					}
					request.Which = &controlv1.SettleRequest_Call{Call: which}
				}
				if _, err := d.Messages.Settle(ctx, request); err != nil {
					return err
				}
				return c.done(map[string]string{"done": "settled"}, "settled")
			})
		},
	}
	cmd.Flags().Uint64Var(&held, "held", 0, "held message to answer (canisterd held)")
	cmd.Flags().Uint64Var(&call, "call", 0, "open call to answer (canisterd futures)")
	cmd.Flags().StringVar(&subnet, "subnet", "", "subnet of the caller (default: the only one with such a call)")
	return cmd
}
